"""A process of its own that approves a change of the timetable, or places a task in the draft.

``python -m schedule_ground.child URL FOLDER approve NUMBER`` or ``... place TASK_ID``.
"""

import sys
from pathlib import Path

from schedule_ground.desk import ME, over
from steadyhand.core import logs
from steadyhand.core.clock import FakeClock, SystemClock
from steadyhand.store.changes import changes


def main() -> None:
    logs.configure("error")
    url, folder, story, number = sys.argv[1:]
    desk = over(url, Path(folder), FakeClock() if story == "place" else SystemClock())
    if story == "place":
        desk.wrote("place", task_id=int(number), day=3, slot_start=1)
        return
    row = desk.store.read_now(lambda tx: changes.by_number(tx, ME, int(number)))
    assert row is not None
    sys.stdout.write(desk.approve(row).state)


if __name__ == "__main__":
    main()
