"""Notes in our own database: effect, fence, footprint and proof in one transaction."""

import asyncio
import json
from collections.abc import Callable

from sqlalchemy import Column, Integer, MetaData, String, Table, Text, insert, select, update

from steadyhand.core.canonical import canonical, digest
from steadyhand.core.errors import StaleTarget
from steadyhand.core.faults import reach
from steadyhand.gate.contract import (
    Applied,
    Given,
    NotApplied,
    Observation,
    Operations,
    Program,
    Receipt,
    Refusal,
    Verdict,
    View,
)
from steadyhand.store import Store, Tx
from steadyhand.store.changes import records

metadata = MetaData()
notes = Table(
    "trial_notes",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("book", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("text", Text, nullable=False),
)
effects = Table(
    "trial_effects", metadata, Column("id", Integer, primary_key=True), Column("change_id", String(64), nullable=False)
)
counters = Table(
    "trial_counters", metadata, Column("name", String(64), primary_key=True), Column("value", Integer, nullable=False)
)


def make_tables(store: Store) -> None:
    with store.raw() as connection:
        metadata.create_all(connection)
        connection.commit()


def read_notes(tx: Tx, user: str, book: str, *, lock: bool = False) -> dict[str, str]:
    statement = select(notes).where(notes.c.user_id == user, notes.c.book == book).order_by(notes.c.name)
    rows = tx.execute(statement.with_for_update() if lock and not tx.on_sqlite else statement)
    return {row.name: row.text for row in rows}


def write_note(tx: Tx, user: str, book: str, name: str, text: str) -> None:
    key = (notes.c.user_id == user, notes.c.book == book, notes.c.name == name)
    if tx.execute(update(notes).where(*key).values(text=text)).rowcount == 0:
        tx.execute(insert(notes).values(user_id=user, book=book, name=name, text=text))


def add_one(tx: Tx, name: str) -> int:
    """Read, compare, write: what loses updates wherever two transactions may read the same value."""
    statement = select(counters.c.value).where(counters.c.name == name)
    value = tx.execute(statement if tx.on_sqlite else statement.with_for_update()).scalar_one()
    tx.execute(update(counters).where(counters.c.name == name, counters.c.value == value).values(value=value + 1))
    return int(value) + 1


class Notebook:
    """*before_write* runs just before the one transaction, in the executing process, in a thread."""

    name = "notebook"
    rollback = "transaction"

    def __init__(self, store: Store, before_write: Callable[[], None] | None = None) -> None:
        self.store = store
        self.before_write = before_write

    async def observe(self, target, scope):
        found = await self.store.read(lambda tx: read_notes(tx, target.owner, target.name))
        return Observation(
            {"notes": found}, {f"note/{name}": digest(found.get(name)) for name in sorted({*found, *(scope or [])})}
        )

    def operations(self, source, seen, request):
        if not isinstance(source, Given):
            return Refusal("source_missing", {"domain": self.name})
        return Operations(tuple(source.operations))

    def compile(self, operations, target, seen):
        names = [item["name"] for item in operations.items]
        return Program(
            text=canonical({"book": target.name, "write": list(operations.items)}).decode(),
            media="application/json",
            footprint={f"note/{name}": seen.footprint.get(f"note/{name}", digest(None)) for name in names},
            writes=tuple(f"note/{name}" for name in names),
            evidence={item["name"]: item["text"] for item in operations.items},
            compiler="notebook-compiler 1",
            engine="notebook 1",
            steps=len(names),
        )

    def present(self, program, seen, rehearsal, language):
        before = seen.facts["notes"]
        rows = [{"name": name, "before": before.get(name), "after": text} for name, text in program.evidence.items()]
        return View("\n".join(f"{row['name']}: {row['before']} -> {row['after']}" for row in rows), rows)

    async def execute(self, program, submission, log):
        if self.before_write is not None:
            await asyncio.to_thread(self.before_write)
        return await self.store.write(lambda tx: self._write(tx, program, submission))

    def _write(self, tx, program, submission):
        records.fence(tx, submission.user, submission.change, submission.token)
        script = json.loads(program.text)
        there = read_notes(tx, submission.target.owner, script["book"], lock=True)
        differing = tuple(key for key, seen in program.footprint.items() if digest(there.get(key.removeprefix("note/"))) != seen)
        if differing:
            raise StaleTarget(differing)
        for item in script["write"]:
            write_note(tx, submission.target.owner, script["book"], item["name"], item["text"])
        tx.execute(insert(effects).values(change_id=submission.change))
        after = {f"note/{item['name']}": digest(item["text"]) for item in script["write"]}
        records.record_applied(tx, submission.user, submission.change, records.AppliedRow(submission.program_digest, after, None))
        reach("gate.in_effect")
        return Receipt(after)

    async def outcome(self, program, submission, log):
        proof = await self.store.read(lambda tx: records.find_applied(tx, submission.user, submission.change))
        if proof is None:
            return NotApplied()
        return Applied(Receipt(proof.footprint_after, proof.result))

    async def read_back(self, target, program):
        found = await self.store.read(lambda tx: read_notes(tx, target.owner, target.name))
        names = [key.removeprefix("note/") for key in program.writes]
        return Observation(
            {"notes": {name: found.get(name) for name in names}},
            {f"note/{name}": digest(found.get(name)) for name in names},
        )

    def verify(self, program, before, receipt, after):
        found = after.facts["notes"]
        differences = tuple(f"{name}: {found.get(name)}" for name, text in program.evidence.items() if found.get(name) != text)
        return Verdict(not differences, differences, after.facts)

    def effects_of(self, change: str) -> int:
        return len(self.store.read_now(lambda tx: tx.execute(select(effects).where(effects.c.change_id == change)).all()))
