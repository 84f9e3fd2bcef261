"""Measures a real `steady serve`: what an idle host takes of a core, and how late a due wake-up starts under light load.

Guides: at most 1 % of a core; due to started at most 1.5 s (p99). For comparison, what a bare interpreter takes that only wakes up as
often as the host looks. The database is SQLite; set STEADYHAND_TEST_POSTGRES_URL to measure that server's instead.
"""

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import psutil

from steadyhand.core.clock import SystemClock, from_text
from steadyhand.core.ids import LOCAL_SESSION, LOCAL_USER
from steadyhand.store import Store, Tx
from steadyhand.store.later import wakeups
from steadyhand.store.people import people
from steadyhand.wakeups.booking import new_row
from steadyhand.wakeups.times import Moment

SETTLE = 8.0
IDLE = 30.0
WAKEUPS = 150
APART = 0.2
MOST_CPU = 0.01
MOST_LATE = 1.5
BARE = "import time\nwhile True:\n    time.sleep(0.5)\n"


@contextmanager
def running(*command: str, environment: dict[str, str]) -> Iterator[psutil.Process]:
    """Run a program for as long as the block lasts."""
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield psutil.Process(child.pid)
    finally:
        child.terminate()
        child.wait(timeout=30)


def share(process: psutil.Process, seconds: float) -> float:
    """Return what part of a core a process and its children take."""
    before, begun = _spent(process), time.monotonic()
    time.sleep(seconds)
    return (_spent(process) - before) / (time.monotonic() - begun)


def _spent(process: psutil.Process) -> float:
    return sum(sum(one.cpu_times()[:2]) for one in (process, *process.children(recursive=True)))


def book(store: Store) -> list[str]:
    """Book wake-ups that come one after the other, from three seconds from now on."""
    first = SystemClock().now() + timedelta(seconds=3)

    def work(tx: Tx) -> list[str]:
        people.ensure_session(tx, LOCAL_USER, LOCAL_SESSION, "terminal")
        ids = []
        for number in range(WAKEUPS):
            at = Moment(first + timedelta(seconds=APART * number), "UTC")
            row = new_row(tx, LOCAL_USER, LOCAL_SESSION, at, "cron", "text", exact=True)
            wakeups.insert_wakeup(tx, row)
            wakeups.change(tx, row, text=f"tick {number}", name=f"tick {number}")
            ids.append(row.id)
        return ids

    return store.write_now(work)


def lateness(store: Store, ids: list[str]) -> list[float]:
    """Wait until all have run; return how late each started, in seconds."""
    end = time.monotonic() + 120
    while True:
        rows = [store.read_now(lambda tx, one=one: wakeups.by_id(tx, LOCAL_USER, one)) for one in ids]
        if all(row is not None and row.status == "completed" for row in rows):
            return [(_moment(row.started_at) - _moment(row.due_at)) / timedelta(seconds=1) for row in rows if row is not None]
        if time.monotonic() > end:
            raise SystemExit(f"not all have run: {[row.status for row in rows if row is not None]}")
        time.sleep(0.5)


def _moment(text: str | None) -> datetime:
    assert text is not None
    return from_text(text)


def main() -> int:
    """Print the figures; return 1 when a guide is missed."""
    steady = (sys.executable, "-P", "-m", "steadyhand")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        url = os.environ.get("STEADYHAND_TEST_POSTGRES_URL", "")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
        environment |= {"STEADYHAND_DATA_DIR": str(data), "STEADYHAND_LANGUAGE": "en"}
        if url:
            environment["STEADYHAND_DATABASE_URL"] = url
            subprocess.run([*steady, "migrate"], env=environment, check=True)
        subprocess.run([*steady, "session", "list"], env=environment, check=True, stdout=subprocess.DEVNULL)
        with running(sys.executable, "-c", BARE, environment=environment) as bare:
            time.sleep(1)
            least = share(bare, 10.0)
        store = Store(url or f"sqlite:///{data / 'steadyhand.db'}")
        with running(*steady, "serve", environment=environment) as host:
            time.sleep(SETTLE)
            idle = share(host, IDLE)
            memory = host.memory_info().rss / 2**20
            late = sorted(lateness(store, book(store)))
        store.close()
    p99 = late[math.ceil(0.99 * len(late)) - 1]
    print(
        f"idle host on {'PostgreSQL' if url else 'SQLite'}: {idle:.2%} of a core over {IDLE:.0f} s (guide {MOST_CPU:.0%}), {memory:.0f} MiB"
    )
    print(f"  a bare interpreter that wakes up as often: {least:.2%}")
    print(
        f"due to started, {WAKEUPS} wake-ups {APART} s apart: p50 {statistics.median(late):.3f} s, p99 {p99:.3f} s (guide {MOST_LATE} s), "
        f"latest {late[-1]:.3f} s; earliest {late[0]:.3f} s"
    )
    return 1 if idle > MOST_CPU or p99 > MOST_LATE else 0


if __name__ == "__main__":
    sys.exit(main())
