"""Measures a change of 2,000 rows through propose, approve and verified on SQLite, against one plain transaction writing the same rows.

The guide is 1.5 s; the ratio says what review, seal, footprint, journal and read-back cost over the bare write.
"""

import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.module import given, target
from steadyhand.domains.schedule.rows.writes import RowWrite
from steadyhand.domains.schedule.term.records import Event, Records, Term
from steadyhand.gate.controller import Decider, Proposal
from steadyhand.gate.machine import State
from steadyhand.wiring.app import App, open_app

ROWS = 2_000
WEEKS = 30
ROUNDS = 5
GUIDE = 1.5
TERM = Term(20260907, "bench", "UTC", date(2026, 9, 7), WEEKS)


def writes_of_round(number: int) -> list[RowWrite]:
    """Return one course and the rows that bring the change to 2,000."""
    cells = [(week, day, slot) for week in range(1, WEEKS + 1) for day in range(1, 8) for slot in range(1, 13)]
    return acts.add_course(Records(TERM), Event(number, "course", f"course {number}"), cells[: ROWS - 1])


async def through_the_gate(app: App, writes: list[RowWrite]) -> tuple[float, float]:
    """Return the seconds from the proposal to the verified read-back, and those of the processor alone."""
    begun, worked = time.perf_counter(), time.process_time()
    source, scope = given(writes)
    proposal = Proposal(app.user.id, LOCAL_SESSION, target(app.user.id, TERM.id), "bench", source, scope)
    row = await app.controller.open(proposal)
    assert app.controller.view(row, "en") is not None
    done = await app.controller.approve(Decider(app.user.id, LOCAL_SESSION, "bench"), row.number, row.seal_digest or "")
    assert done.state == State.VERIFIED, done.reason
    return time.perf_counter() - begun, time.process_time() - worked


def plainly(file: Path, writes: list[RowWrite]) -> float:
    """Return the seconds that one durable transaction takes for the same rows in tables of the same shape."""
    rows = [write.row for write in writes if write.table == "schedules" and write.row is not None]
    columns = list(rows[0])
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    key = "event_id, week, day_of_week, section"
    connection.execute(f"CREATE TABLE IF NOT EXISTS rows ({', '.join(columns)}, PRIMARY KEY ({key}))")
    begun = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO rows VALUES ({marks})", [[row[name] for name in columns] for row in rows])  # noqa: S608  # our own names
    connection.execute("COMMIT")
    taken = time.perf_counter() - begun
    connection.close()
    return taken


def main() -> int:
    """Print the figures; return 1 when the guide is missed."""
    gate: list[tuple[float, float]] = []
    plain: list[float] = []
    for number in range(1, ROUNDS + 1):
        with tempfile.TemporaryDirectory() as folder:
            app = open_app(Settings(data_dir=Path(folder)), "en")
            decider = Decider(app.user.id, LOCAL_SESSION, "bench")
            source, scope = given(acts.put_term(TERM, None))
            proposal = Proposal(app.user.id, LOCAL_SESSION, target(app.user.id, TERM.id), "term", source, scope)
            asyncio.run(app.controller.act(decider, proposal))
            writes = writes_of_round(number)
            gate.append(asyncio.run(through_the_gate(app, writes)))
            plain.append(plainly(Path(folder) / "plain.db", writes))
            app.store.close()
    ours, bare = statistics.median(taken for taken, _ in gate), statistics.median(plain)
    worked = statistics.median(work for _, work in gate)
    print(
        f"{ROWS} rows through propose, approve, verified: {ours:.2f} s (guide {GUIDE} s, median of {ROUNDS}), {worked:.2f} s of processor"
    )
    print(f"the same rows in one plain sqlite3 transaction: {bare * 1000:.1f} ms; ratio {ours / bare:.0f}")
    return 0 if ours <= GUIDE else 1


if __name__ == "__main__":
    sys.exit(main())
