"""Decides how the gate observes, compiles, writes and reads back a timetable: its gateway to the store. It must not hold a tool."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from steadyhand.core.canonical import Json, digest
from steadyhand.core.errors import StaleTarget
from steadyhand.core.faults import reach
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language
from steadyhand.domains.schedule.rows import compiling, presenting
from steadyhand.domains.schedule.rows.observing import look
from steadyhand.domains.schedule.rows.passed import passed
from steadyhand.domains.schedule.rows.writes import RowWrite, region, scope_of
from steadyhand.gate.contract import (
    Applied,
    Calls,
    DraftCopy,
    Given,
    NotApplied,
    Observation,
    Operations,
    Outcome,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Source,
    StepLog,
    Submission,
    Target,
    Verdict,
    View,
)
from steadyhand.store import Store, Tx
from steadyhand.store.changes import records
from steadyhand.store.timetable import timetable

NAME = "schedule"


def target(user: UserId, term: int) -> Target:
    """Return the target that a change of this term's timetable is about."""
    return Target(NAME, str(term), user)


def given(writes: Sequence[RowWrite]) -> tuple[Given, Json]:
    """Return writes as a change's source, with the scope that they need."""
    return Given(tuple(write.to_json() for write in writes)), scope_of(writes)


class ScheduleDomain:
    """The timetable as a domain; see `gate.contract.DomainModule`."""

    name = NAME
    rollback: Literal["transaction", "switch", "none"] = "transaction"

    def __init__(self, store: Store) -> None:
        self._store = store

    async def observe(self, target: Target, scope: Json) -> Observation:
        return await self._store.read(lambda tx: look(tx, target.owner, int(target.name), scope))

    def operations(self, source: Source, seen: Observation, request: str) -> Operations | Refusal:
        del seen, request
        match source:
            case Given(operations):
                return Operations(operations)
            case DraftCopy(content=content):
                return Operations(tuple(cast("list[Json]", cast("Mapping[str, Json]", content)["writes"])))
            case Calls():
                return Refusal("no_collected_calls")

    def compile(self, operations: Operations, target: Target, seen: Observation) -> Program | Refusal:
        return compiling.compile_rows(operations.items, int(target.name), seen)

    def present(self, program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> View:
        del rehearsal
        differences, term = compiling.differences_of(program), compiling.term_of_program(program)
        return presenting.present(differences, term, seen, language, compiling.over_of_program(program))

    async def execute(self, program: Program, submission: Submission, log: StepLog) -> Receipt:
        del log
        return await self._store.write(lambda tx: self._apply(tx, program, submission))

    def _apply(self, tx: Tx, program: Program, submission: Submission) -> Receipt:
        """Check of the footprint and of what has passed since the review, effect and proof, all in the caller's one transaction."""
        user, term = submission.user, int(submission.target.name)
        records.fence(tx, user, submission.change, submission.token)
        timetable.lock_person(tx, user)
        if compiling.of_earlier_rows(program):
            raise StaleTarget(tuple(program.footprint))
        scope = compiling.scope_of_program(program)
        now, differences = look(tx, user, term, scope), compiling.differences_of(program)
        moved = tuple(name for name, expected in program.footprint.items() if now.footprint.get(name) != expected)
        unmarked = set(passed(differences, cast("Mapping[str, Any]", now.facts))) - compiling.over_of_program(program)
        if moved or unmarked:
            raise StaleTarget((*moved, *(f"over:{'/'.join(map(str, cell[1:]))}" for cell in sorted(unmarked))))
        timetable.apply(tx, user, differences)
        reach("gate.in_effect")
        after = dict(look(tx, user, term, scope).footprint)
        records.record_applied(tx, user, submission.change, records.AppliedRow(submission.program_digest, after, None))
        return Receipt(after)

    async def outcome(self, program: Program, submission: Submission, log: StepLog) -> Outcome:
        del program, log
        row = await self._store.read(lambda tx: records.find_applied(tx, submission.user, submission.change))
        return NotApplied() if row is None else Applied(Receipt(row.footprint_after, row.result))

    async def read_back(self, target: Target, program: Program) -> Observation:
        return await self.observe(target, compiling.scope_of_program(program))

    def verify(self, program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Verdict:
        del before, receipt
        expected = cast("Mapping[str, str]", cast("Mapping[str, Any]", program.evidence)["rows"])
        rows = cast("Mapping[str, Any]", cast("Mapping[str, Any]", after.facts)["rows"])
        found = {name: digest(rows.get(name)) for name in expected}
        differing = tuple(sorted(name for name, wanted in expected.items() if found[name] != wanted))
        return Verdict(not differing, differing, {"rows": cast("Json", found)})

    def inverse(self, program: Program, receipt: Receipt, now: Observation) -> Operations | Refusal:
        del receipt
        rows = cast("Mapping[str, Any]", cast("Mapping[str, Any]", now.facts)["rows"])
        if compiling.of_earlier_rows(program):
            return Refusal("of_earlier_rows")
        back: list[RowWrite] = []
        for diff in compiling.differences_of(program):
            if rows.get(region(diff.table, diff.key)) != diff.after:
                return Refusal("changed_since")
            back.append(RowWrite(diff.table, diff.key, diff.before))
        return Operations(tuple(write.to_json() for write in back), scope_of(back))
