"""Three workers of one PostgreSQL share 1,000 reminders that are due at once, many times over: none is lost, told twice or left running, nothing deadlocks.

Run: python bench/wakeups_shared.py [--runs 50] [--due 1000] [--sessions 5] [--seed 1] [--url URL]

The workers are the program's own (`steady worker`), in a database of their own on the server of STEADYHAND_TEST_POSTGRES_URL (or --url);
sessions and due times are drawn at random (--seed), so that each worker meets every session, in an order of its own. The server itself
counts the deadlocks.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, insert, select, text
from sqlalchemy.engine import make_url

from steadyhand.core.clock import SystemClock, to_text
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.store import Store
from steadyhand.store.later.tables import wakeups
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.sessions.tables import inbox, outbox
from steadyhand.store.upkeep import schema
from steadyhand.wakeups.booking import new_row
from steadyhand.wakeups.times import Moment

ME = UserId("bench")
WORKERS = 3
LONGEST = 600.0
FAILED = ("host_database_failed", "host_part_failed", "session_not_run", "Traceback")


def own_database(url: str) -> str:
    """Make a database of its own on the server; return its URL."""
    name = new_id("bench")
    server = Store(url, SystemClock())
    with server.raw() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text(f"CREATE DATABASE {name}"))
    server.close()
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def drop(url: str, own: str) -> None:
    server = Store(url, SystemClock())
    with server.raw() as connection:
        name = make_url(own).database
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.close()


def lay(store: Store, sessions: list[SessionId]) -> None:
    schema.migrate(store)
    store.write_now(lambda tx: people.add_user(tx, User(ME, "", "UTC", "en", ("*",))))
    for session in sessions:
        store.write_now(lambda tx, session=session: people.ensure_session(tx, ME, session, "web"))


def book(store: Store, sessions: list[SessionId], run: int, due: int, drawn: random.Random) -> None:
    """Let *due* reminders of sessions at random have come due between half a minute and 50 seconds ago."""
    at = store.clock.now() - timedelta(seconds=30)
    moments = [to_text(at - timedelta(seconds=drawn.random() * 20)) for _ in range(due)]
    first = asdict(store.write_now(lambda tx: new_row(tx, ME, sessions[0], Moment(at, "UTC"), "followup", "wake", exact=True)))
    rows = [
        {
            **first,
            "id": new_id("wake"),
            "number": 1_000_000 + run * due + number,
            "session_id": drawn.choice(sessions),
            "assistant_commitment_text": f"thing-{run}-{number}",
            "due_at": moment,
            "meant_at": moment,
        }
        for number, moment in enumerate(moments)
    ]
    store.write_now(lambda tx: tx.execute(insert(wakeups), rows))


def left(store: Store) -> int:
    own = wakeups.c.status.in_(("pending", "running"))
    return int(store.read_now(lambda tx: tx.execute(select(func.count()).select_from(wakeups).where(own)).scalar()) or 0)


def deadlocks(store: Store) -> int:
    query = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    return int(store.read_now(lambda tx: tx.execute(query).scalar()) or 0)


def told(store: Store, run: int) -> Counter[str]:
    """Count, by its words, how often each reminder of a run is owed."""
    like = outbox.c.content.like(f"%thing-{run}-%")
    rows = store.read_now(lambda tx: tx.execute(select(outbox.c.content).where(like)).scalars().all())
    return Counter(content[content.index("thing-") :].split()[0].rstrip('".”') for content in rows)


def spawn(url: str, folder: Path, number: int) -> "subprocess.Popen[bytes]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    own = {"STEADYHAND_DATABASE_URL": url, "STEADYHAND_DATA_DIR": str(folder), "STEADYHAND_HEARTBEAT_ENABLED": "false"}
    with (folder / f"worker-{number}.log").open("wb") as log:
        command = [sys.executable, "-m", "steadyhand", "worker"]
        return subprocess.Popen(command, env={**kept, **own}, stdout=log, stderr=log)


def one(store: Store, sessions: list[SessionId], run: int, due: int, drawn: random.Random) -> float:
    """Let one lot come due; return how long it took until all had been told."""
    begun = time.perf_counter()
    book(store, sessions, run, due, drawn)
    while left(store):
        assert time.perf_counter() - begun < LONGEST, f"run {run}: {left(store)} are not told"
        time.sleep(0.25)
    counted = told(store, run)
    assert len(counted) == due, f"run {run}: {len(counted)} of {due} told"
    assert set(counted.values()) == {1}, f"run {run}: told twice"
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--due", type=int, default=1_000)
    parser.add_argument("--sessions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--url", default=os.environ.get("STEADYHAND_TEST_POSTGRES_URL", ""))
    given = parser.parse_args()
    if not given.url:
        parser.error("no server: STEADYHAND_TEST_POSTGRES_URL or --url")
    own = own_database(given.url)
    store = Store(own, SystemClock())
    sessions = [SessionId(f"desk{number}") for number in range(given.sessions)]
    with tempfile.TemporaryDirectory() as made:
        workers = []
        try:
            lay(store, sessions)
            workers = [spawn(own, Path(made), number) for number in range(WORKERS)]
            drawn = random.Random(given.seed)
            took = [one(store, sessions, run, given.due, drawn) for run in range(given.runs)]
            waits = int(
                store.read_now(lambda tx: tx.execute(select(func.count()).where(inbox.c.state == "accepted")).scalar()) or 0
            )
            found = deadlocks(store)
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait(60)
            store.close()
            drop(given.url, own)
        logs = "".join(path.read_text(errors="replace") for path in Path(made).glob("worker-*.log"))
    failed = {sign: logs.count(sign) for sign in FAILED if sign in logs}
    median = sorted(took)[len(took) // 2]
    print(
        f"{given.runs} runs, {WORKERS} workers, {given.due} due in {given.sessions} sessions: each told once; "
        f"{found} deadlocks, {waits} left in an inbox, logged failures {failed or 'none'}; median {median:.1f} s a run"
    )
    assert not found, f"{found} deadlocks"
    assert not failed, logs[-2_000:]


if __name__ == "__main__":
    main()
