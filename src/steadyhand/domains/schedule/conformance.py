"""Decides whether the timetable does what a table of cases says. It must not know a rule of the timetable: it runs the same doors.

A case has a state, one call and what is expected of it. A case that cannot be read fails with the reason, and the run goes on.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import cast

from steadyhand.core.arguments import shown
from steadyhand.core.canonical import Json, canonical
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.loading import load, rows_of
from steadyhand.domains.schedule.board.model import Block, Place, Status, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import need_day, need_task
from steadyhand.domains.schedule.replies.reply import Refused
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, MAX_WEEKS, Event, Records, Row, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.tools.arguments import TOOLS, run

_COURSE = "课程"
_SLOTS = 12
_MOST_SLOTS = 100
_OUTCOMES = {"ok": "ok", "none": "ok:none"}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Whether one case passed; otherwise *code* and *params* say what differed."""

    id: str
    passed: bool
    code: str = ""
    params: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def reason(self) -> str:
        """What differed, in English; empty when the case passed."""
        return self.told("en")

    def told(self, language: Language) -> str:
        """Return what differed; empty when the case passed."""
        if self.passed:
            return ""
        return say(language, f"schedule.conformance.{self.code}", **{name: _safe(value) for name, value in self.params.items()})


def _safe(value: object) -> object:
    """Return *value* as it can be printed: what a terminal would obey, or cannot print, becomes a question mark."""
    return "".join(mark if mark.isprintable() else "?" for mark in value) if isinstance(value, str) else value


class _Failed(Exception):
    """A case that cannot be read, or a difference between what it says and what happened."""

    def __init__(self, code: str, **params: object) -> None:
        self.code = code
        self.params = params
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a call came to: its outcome in the table's words, the text of a tool, the facts of a door."""

    outcome: str
    text: str = ""
    facts: Mapping[str, Json] = field(default_factory=dict[str, Json])


def run_file(path: Path) -> list[CaseResult]:
    """Run every case of a table, or of each ``*.json`` of a folder in the order of their names."""
    if path.is_dir():
        return [result for entry in sorted(path.glob("*.json")) for result in run_file(entry)]
    try:
        table = cast("Json", json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        return [CaseResult(shown(path.name), passed=False, code="unreadable", params={"detail": str(error)})]
    cases = table.get("cases") if isinstance(table, Mapping) else None
    if not isinstance(cases, list):
        return [CaseResult(shown(path.name), passed=False, code="no_table")]
    return [run_case(case, f"#{number}") for number, case in enumerate(cases, start=1)]


def lines(results: Sequence[CaseResult], language: Language = "en") -> Iterator[str]:
    """Yield a line for every case and the closing count."""
    for result in results:
        key = "passed" if result.passed else "failed"
        yield say(language, f"schedule.conformance.{key}", id=result.id, reason=result.told(language))
    passed = sum(result.passed for result in results)
    yield say(language, "schedule.conformance.summary", passed=passed, failed=len(results) - passed)


def run_case(case: Json, label: str = "#1") -> CaseResult:
    """Run one case; *label* stands for it when it has no id."""
    name = str(case.get("id", label)) if isinstance(case, Mapping) else label
    name = shown(name)
    try:
        _need_characters(case)
        _judge(_object(case, "case"))
    except _Failed as failed:
        return CaseResult(name, passed=False, code=failed.code, params=failed.params)
    except SteadyhandError as error:
        return CaseResult(name, passed=False, code="unusable", params={"detail": str(error)})
    except Exception as error:  # noqa: BLE001  # one case must not end the run, whatever is wrong with it or with us
        return CaseResult(name, passed=False, code="broke", params={"detail": f"{type(error).__name__}: {error}"})
    return CaseResult(name, passed=True)


def _need_characters(case: Json) -> None:
    """Refuse half surrogate pairs, which are no characters; those of a call are for its tool to refuse."""
    rest = {name: value for name, value in case.items() if name != "call"} if isinstance(case, Mapping) else case
    try:
        json.dumps(rest, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _Failed("malformed", what=f"UTF-16: {error.object[error.start]!r}") from None


def _judge(case: Mapping[str, Json]) -> None:
    call = _object(case.get("call"), "call")
    tool, arguments = call.get("tool"), _object(call.get("args", {}), "call.args")
    timetable = _timetable(_object(case.get("state"), "state"))
    expected = _object(case.get("changes", {}), "changes")
    if not isinstance(tool, str):
        raise _Failed("malformed", what="call.tool")
    if tool in _DOORS:
        answer = _through_door(timetable, tool, arguments)
        _compare_outcome(case, answer)
        _compare_door(expected, answer.facts)
    elif tool in TOOLS:
        before = _rows(timetable)
        answer = _through_tool(timetable, tool, arguments)
        _compare_outcome(case, answer)
        _compare_changes(expected, before, _rows(timetable))
    else:
        raise _Failed("unknown_tool", tool=tool)
    _compare_text(case, answer.text)


def _compare_outcome(case: Mapping[str, Json], answer: _Answer) -> None:
    if answer.outcome != case.get("outcome"):
        raise _Failed("outcome", actual=answer.outcome, expected=case.get("outcome"))


def _compare_text(case: Mapping[str, Json], text: str) -> None:
    if "reply" in case and case["reply"] != text:
        raise _Failed("reply", actual=repr(text), expected=repr(case["reply"]))
    pieces = case.get("reply_contains", [])
    if not isinstance(pieces, list):
        raise _Failed("malformed", what="reply_contains")
    missing = [piece for piece in pieces if str(piece) not in text]
    if missing:
        raise _Failed("reply_lacks", missing=repr(missing), actual=repr(text))


def _through_tool(timetable: Timetable, tool: str, arguments: Mapping[str, Json]) -> _Answer:
    before = timetable.snapshot()
    reply = run(timetable, tool, arguments)
    outcome = _OUTCOMES.get(reply.code, f"error:{reply.code}")
    if outcome != "ok" and timetable.snapshot() != before:
        raise _Failed("state_changed", outcome=outcome)
    return _Answer(outcome, reply.text("zh-CN"))


def _rows(timetable: Timetable) -> dict[str, Mapping[str, Json]]:
    rows: dict[str, Mapping[str, Json]] = {}
    for task in timetable.tasks.values():
        guests = timetable.guests_of(task.state_id)
        rows[str(task.state_id)] = {
            **cast("Mapping[str, Json]", task.place.to_json()),
            "name": task.name,
            "category": task.category,
            "locked": task.locked,
            "can_embed": task.can_embed,
            "embedded_by": guests[0] if guests else None,
        }
    return rows


_DERIVED = frozenset({"embedded_by"})
"""What follows from another task's change: compared when it is named, not counted as a change of its own."""


def _compare_changes(
    expected: Mapping[str, Json], before: Mapping[str, Mapping[str, Json]], after: Mapping[str, Mapping[str, Json]]
) -> None:
    for state_id, wanted in expected.items():
        if state_id not in after:
            raise _Failed("no_such_task", task=state_id)
        for name, value in _object(wanted, f"changes.{state_id}").items():
            if name not in after[state_id]:
                raise _Failed("malformed", what=f"changes.{state_id}.{name}")
            if not _same(after[state_id][name], value):
                raise _Failed("field", task=state_id, field=name, actual=repr(after[state_id][name]), expected=repr(value))
    for state_id, row in after.items():
        named = _object(expected.get(state_id, {}), f"changes.{state_id}")
        for name, value in row.items():
            old = before[state_id][name]
            if name not in named and name not in _DERIVED and not _same(value, old):
                raise _Failed("unexpected", task=state_id, field=name, before=repr(old), after=repr(value))


def _same(left: Json, right: Json) -> bool:
    return canonical(left) == canonical(right)


def _compare_door(expected: Mapping[str, Json], facts: Mapping[str, Json]) -> None:
    # an event without slots in the window may be named with none, or not at all
    for name in sorted({*expected, *facts}):
        if not _same(facts.get(name, []), expected.get(name, [])):
            raise _Failed("fact", name=name, actual=repr(facts.get(name)), expected=repr(expected.get(name)))


def _through_door(timetable: Timetable, door: str, arguments: Mapping[str, Json]) -> _Answer:
    try:
        return _Answer("ok", facts=_DOORS[door](timetable, arguments))
    except Refused as refused:
        return _Answer(f"error:{refused.kind}")


def _load_state(timetable: Timetable, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    given = arguments.get("rows")
    if not isinstance(given, list) or not all(_is_row(row) for row in given):
        raise Refused("bad_argument", "bad_value", argument="rows")
    rows = tuple(Row(row[0], row[1], row[2], row[3]) for row in cast("list[list[int]]", given))
    events = tuple(Event(event, "course", str(event)) for event in sorted({row.event_id for row in rows}))
    term = Term(1, "", "UTC", date(2000, 1, 3), MAX_WEEKS)
    loaded = load(Records(term, events, rows), timetable.window)
    slots: dict[str, Json] = {f"slots_of_{event.id}": [] for event in events}
    for task in Timetable(timetable.window, loaded.tasks).tasks.values():
        slots[f"slots_of_{task.source_id}"] = [[block.day, block.start, block.end] for block in task.place.slots]
    return slots


def _is_row(row: Json) -> bool:
    return isinstance(row, list) and len(row) == 4 and all(type(number) is int for number in row)


def _day_to_week(timetable: Timetable, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    day = _argument(arguments, "day")
    need_day(timetable, day)
    week, day_of_week = timetable.window.week_of(day)
    return {"week": week, "day_of_week": day_of_week}


def _confirm_rows(timetable: Timetable, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    task = need_task(timetable, _argument(arguments, "task_id"))
    return {"rows": [list(row) for row in rows_of(task.place, timetable.window)]}


_DOORS = {"load_state": _load_state, "day_to_week": _day_to_week, "confirm_rows": _confirm_rows}


def _argument(arguments: Mapping[str, Json], name: str) -> int:
    value = arguments.get(name)
    if type(value) is not int:
        raise Refused("bad_argument", "bad_value", argument=name)
    return value


def _timetable(state: Mapping[str, Json]) -> Timetable:
    start = state.get("start_week_dow", [1, 1])
    days, slots = state.get("total_days"), state.get("slots_per_day", _SLOTS)
    if not (isinstance(start, list) and len(start) == 2 and all(type(part) is int for part in start)):
        raise _Failed("malformed", what="state.start_week_dow")
    if (
        type(days) is not int
        or type(slots) is not int
        or not (1 <= days <= MAX_WEEKS * DAYS_IN_WEEK and 1 <= slots <= _MOST_SLOTS)
    ):
        raise _Failed("malformed", what="state.total_days, state.slots_per_day")
    tasks = state.get("tasks", [])
    if not isinstance(tasks, list):
        raise _Failed("malformed", what="state.tasks")
    week, day_of_week = cast("list[int]", start)
    return Timetable(Window(week, day_of_week, days, slots), [_task(_object(task, "state.tasks")) for task in tasks])


def _task(entry: Mapping[str, Json]) -> Task:
    state_id, name, category = entry.get("state_id"), entry.get("name", ""), entry.get("category", "")
    status, host, duration = entry.get("status"), entry.get("embed_host"), entry.get("duration")
    locked, can_embed = entry.get("locked", False), entry.get("can_embed", False)
    if type(state_id) is not int or not isinstance(name, str) or not isinstance(category, str):
        raise _Failed("malformed", what="state.tasks: state_id, name, category")
    if status not in {"existing", "suggested", "pending"} or not isinstance(locked, bool) or not isinstance(can_embed, bool):
        raise _Failed("malformed", what=f"state.tasks: status, locked, can_embed [{state_id}]")
    if not all(value is None or type(value) is int for value in (host, duration)):
        raise _Failed("malformed", what=f"state.tasks: embed_host, duration [{state_id}]")
    place = Place(
        cast("Status", status), _blocks(entry.get("slots", []), state_id), cast("int | None", duration), cast("int | None", host)
    )
    # the table has no source: what a task class gives is never existing under the category of courses
    is_course = category == _COURSE and status == "existing" and entry.get("source", "event") == "event"
    source = "event" if status == "existing" else "task_item"
    task = Task(state_id, source, state_id, name, category, place, is_course=is_course, locked=locked, can_embed=can_embed)
    if status == "existing" or duration is not None:
        return task
    return task.at(Place(place.status, place.slots, task.length, place.embed_host))


def _blocks(value: Json, state_id: int) -> tuple[Block, ...]:
    if not isinstance(value, list):
        raise _Failed("malformed", what=f"state.tasks: slots [{state_id}]")
    for slot in value:
        if not (isinstance(slot, list) and len(slot) == 3 and all(type(number) is int for number in slot)):
            raise _Failed("malformed", what=f"state.tasks: slots [{state_id}]")
    return tuple(Block(*slot) for slot in cast("list[list[int]]", value))


def _object(value: Json, what: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise _Failed("malformed", what=what)
    return value
