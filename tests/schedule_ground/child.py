"""A process of its own that approves one change of the timetable: ``python -m schedule_ground.child URL FOLDER NUMBER``."""

import sys
from pathlib import Path

from schedule_ground.desk import ME, over
from steadyhand.core import logs
from steadyhand.core.clock import SystemClock
from steadyhand.store import changes


def main() -> None:
    logs.configure("error")
    url, folder, number = sys.argv[1:]
    desk = over(url, Path(folder), SystemClock())
    row = desk.store.read_now(lambda tx: changes.by_number(tx, ME, int(number)))
    assert row is not None
    sys.stdout.write(desk.approve(row).state)


if __name__ == "__main__":
    main()
