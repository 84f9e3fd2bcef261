"""Taking up wake-ups: 100,000 pending, 10,000 due in one minute, three workers, one of them killed half-way; claims per second beside APScheduler.

Run: python bench/wakeups.py [--pending 100000] [--due 10000] [--peer PYTHON] [--url URL]

It measures a SQLite file in a new folder, and the PostgreSQL of STEADYHAND_TEST_POSTGRES_URL (or --url) in a schema of its own when there is
one. A worker claims a batch and writes that each has started in one transaction, before it counts it: a killed worker leaves nothing that is
claimed and has not started. PYTHON is an interpreter with APScheduler 3.11 and SQLAlchemy.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import insert, text
from sqlalchemy.engine import make_url

from steadyhand.core import owners
from steadyhand.core.clock import SystemClock, to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.core.owners import Claim
from steadyhand.store import Store, Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.tables import wakeups as table
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from steadyhand.wakeups.booking import new_row
from steadyhand.wakeups.times import Moment

T = TypeVar("T")
ME = UserId("bench")
BATCH = 500
SHARE = 50
DESK = SessionId("desk")
CHUNK = 5_000
LINE = len(new_id("wake")) + 1

PEER = """
import json, sys, threading, time, datetime
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.executors.pool import ThreadPoolExecutor

count, done, lock = int(sys.argv[1]), threading.Event(), threading.Lock()
ran = 0

def job():
    global ran
    with lock:
        ran += 1
        if ran == count:
            done.set()

scheduler = BackgroundScheduler(
    jobstores={"default": SQLAlchemyJobStore(url="sqlite:///" + sys.argv[2])},
    executors={"default": ThreadPoolExecutor(10)},
    job_defaults={"misfire_grace_time": 3600, "max_instances": 1000},
)
scheduler.start(paused=True)
when = datetime.datetime.now(datetime.timezone.utc)
for number in range(count):
    scheduler.add_job(job, "date", run_date=when, id=str(number))
begun = time.perf_counter()
scheduler.resume()
done.wait(600)
print(json.dumps({"ran": ran, "seconds": time.perf_counter() - begun}))
scheduler.shutdown(wait=False)
"""


def lay(url: str, pending: int, due: int) -> Store:
    """Lay a database with *pending* rows, of which *due* came due within the last minute."""
    store = Store(url, SystemClock())
    schema.make_place(store)
    schema.migrate(store)
    store.write_now(lambda tx: people.add_user(tx, User(ME, "", "UTC", "en", ("*",))))
    now = store.clock.now()
    first = store.write_now(lambda tx: new_row(tx, ME, DESK, Moment(now, "UTC"), "followup", "wake"))
    known = asdict(first)
    for begin in range(0, pending, CHUNK):
        rows = []
        for number in range(begin, min(begin + CHUNK, pending)):
            behind = timedelta(seconds=60 * number / due) if number < due else -timedelta(days=1, seconds=number)
            at = to_text(now - behind)
            rows.append({**known, "id": new_id("wake"), "number": number + 10, "due_at": at, "meant_at": at})
        store.write_now(lambda tx, rows=rows: tx.execute(insert(table), rows))
    return store


def claims_a_second(store: Store) -> tuple[int, float]:
    """Claim all that is due in batches; return how many that were and how long it took."""
    token, count, begun = new_id("claim"), 0, time.perf_counter()
    while taken := store.write_now(lambda tx: wakeups.claim_due(tx, Claim(owners.myself(), token, None), BATCH, [(ME, DESK)])):
        count += len(taken)
    taken_in = time.perf_counter() - begun
    store.write_now(lambda tx: tx.execute(table.update().where(table.c.status == "running").values(status="pending", attempt=0)))
    return count, taken_in


def work(url: str, log: Path) -> None:
    """Claim, write that each has started, and count it in the log, until nothing is due."""
    store = Store(url, SystemClock())
    token = new_id("claim")
    with log.open("a", encoding="ascii", buffering=1) as file:
        while started := patient(store, lambda tx: start_due(tx, token)):
            file.write("".join(f"{one}\n" for one in started))
    store.close()


def patient(store: Store, work: Callable[[Tx], list[T]]) -> list[T]:
    """Write, and try again when the others keep the database busy, as the host does."""
    while True:
        try:
            return store.write_now(work)
        except StoreUnavailable:
            time.sleep(0.1)


def start_due(tx: Tx, token: str) -> list[str]:
    people.hold_sessions(tx, [(ME, DESK)])
    rows = wakeups.claim_due(tx, Claim(owners.myself(), token, None), SHARE, [(ME, DESK)])
    return [row.id for row in rows if wakeups.change(tx, row, started_at=tx.now())]


def shared(url: str, folder: Path, due: int, *, kill: bool) -> tuple[Counter[str], float]:
    """Let three workers share the work; return how often each wake-up started and how long it took."""
    logs = [folder / f"started-{kill}-{number}" for number in range(3)]
    begun = time.perf_counter()
    children = [spawn(url, log) for log in logs]
    if kill:
        half = due * LINE / 2
        while sum(log.stat().st_size for log in logs if log.exists()) < half:
            time.sleep(0.005)
        victim = next(child for child in children if child.poll() is None)
        victim.send_signal(signal.SIGKILL)
    for child in children:
        child.wait(600)
    taken = time.perf_counter() - begun
    counted = Counter(line for log in logs if log.exists() for line in log.read_text(encoding="ascii").split())
    return counted, taken


def spawn(url: str, log: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, __file__, "--work", url, str(log)])


def measure(name: str, url: str, folder: Path, pending: int, due: int) -> float:
    """Measure one database; return its claims a second."""
    store = lay(url, pending, due)
    count, seconds = claims_a_second(store)
    assert count == due, (count, due)
    print(f"{name}: {pending} pending, {due} due; claimed in batches of {BATCH}: {count / seconds:,.0f} a second")
    for kill in (False, True):
        counted, taken = shared(url, folder, due, kill=kill)
        started = len(store.read_now(wakeups.begun))
        most = max(counted.values(), default=0)
        assert most <= 1, "one was started twice"
        assert started == due, (started, due)
        assert kill or len(counted) == due, (len(counted), due)
        how = "one of three killed half-way" if kill else "three workers"
        print(f"{name}: {how}: {started} started, {len(counted)} counted, each at most {most} times, {taken:.1f} s")
        back = {"status": "pending", "started_at": None, "owner": None, "owner_token": None}
        store.write_now(lambda tx, back=back: tx.execute(table.update().where(table.c.status == "running").values(**back)))
    store.close()
    return count / seconds


def peer(python: str, folder: Path, count: int) -> float:
    """Let APScheduler run as many jobs that are due; return how many it took up a second."""
    told = subprocess.run(
        [python, "-c", PEER, str(count), str(folder / "peer.db")], capture_output=True, text=True, check=True, timeout=900
    )
    found = json.loads(told.stdout.splitlines()[-1])
    assert found["ran"] == count, found
    return found["ran"] / found["seconds"]


def own_schema(url: str) -> str:
    """Make a schema of its own on the server, and return the URL that leads to it."""
    name = new_id("bench")
    store = Store(url, SystemClock())
    store.write_now(lambda tx: tx.execute(text(f"CREATE SCHEMA {name}")))
    store.close()
    made = make_url(url).update_query_dict({"options": f"-csearch_path={name}"})
    return made.render_as_string(hide_password=False)


def main() -> None:
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--pending", type=int, default=100_000)
    parser.add_argument("--due", type=int, default=10_000)
    parser.add_argument("--peer", default="")
    parser.add_argument("--url", default=os.environ.get("STEADYHAND_TEST_POSTGRES_URL", ""))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rate = measure("SQLite", f"sqlite:///{folder / 'bench.db'}", folder, given.pending, given.due)
        if given.peer:
            other = peer(given.peer, folder, min(given.due, 2_000))
            print(f"APScheduler on SQLite: {other:,.0f} a second; ratio {rate / other:.1f}")
    if given.url:
        with tempfile.TemporaryDirectory() as made:
            measure("PostgreSQL", own_schema(given.url), Path(made), given.pending, given.due)


if __name__ == "__main__":
    main()
