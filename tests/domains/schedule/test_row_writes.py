"""Operations are read strictly: what is accepted is exactly what was written, and a database of either kind keeps it so."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule_ground.desk import ME, TERM, Desk
from steadyhand.core.canonical import canonical
from steadyhand.domains.schedule.rows.forms import class_row, event_row, item_row, schedule_row, term_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, parse, put, scope_of
from steadyhand.domains.schedule.term.records import Event, Particulars, Row, TaskClass, TaskItem
from steadyhand.gate.contract import Refusal
from steadyhand.store.timetable import timetable
from steadyhand.store.timetable.timetable import Difference

WRITES: dict[str, RowWrite] = {
    "term": put("terms", term_row(TERM)),
    "course": put("schedule_events", event_row(Event(7, "course", "高等数学", True, "u@x", "1-16"), TERM.id)),
    "placed task": put("schedule_events", event_row(Event(8, "task", "复习", item_id=21), TERM.id)),
    "section": put("schedules", schedule_row(Row(7, 1, 2, 3), TERM.id)),
    "timed section": put("schedules", schedule_row(Row(7, 1, 2, 3, None, Particulars(0, 1440, "A101", "李")), TERM.id)),
    "guest": put("schedules", schedule_row(Row(8, 1, 2, 3, 7), TERM.id)),
    "category": put("task_classes", class_row(TaskClass(11, "学习", 8), TERM.id)),
    "task": put("task_items", item_row(TaskItem(21, 11, "复习", 0, 2, TERM.first_monday, TERM.first_monday, 5))),
    "no section": gone("schedules", 7, 1, 2, 3),
    "no task": gone("task_items", 21),
}


def plain(write: RowWrite) -> Any:
    return json.loads(canonical(write.to_json()))


def read(item: Any) -> RowWrite | None:
    found = parse([item])
    return None if isinstance(found, Refusal) else found[0]


@pytest.mark.parametrize("name", WRITES)
def test_a_sound_write_is_read_as_it_was_written(name: str) -> None:
    assert read(plain(WRITES[name])) == WRITES[name]


# ---- strictness ------------------------------------------------------------------------------------------------------


def bad(which: str, /, **columns: Any) -> Any:
    item = plain(WRITES[which])
    return {**item, "row": {**item["row"], **columns}}


REFUSED: dict[str, Any] = {
    "no object": [],
    "text": "terms",
    "nothing": None,
    "a part more": {**plain(WRITES["task"]), "note": 1},
    "no row": {"table": "terms", "key": [1]},
    "unknown table": {"table": "users", "key": [1], "row": None},
    "a list for a table": {"table": ["terms"], "key": [1], "row": None},
    "an object for a table": {"table": {}, "key": [1], "row": None},
    "a number for a key": {"table": "terms", "key": 1, "row": None},
    "half a key": {"table": "schedules", "key": [7, 1, 2], "row": None},
    "too long a key": {"table": "terms", "key": [1, 2], "row": None},
    "a key that is true": {"table": "terms", "key": [True], "row": None},
    "a key with a point": {"table": "terms", "key": [1.0], "row": None},
    "a key of text": {"table": "terms", "key": ["1"], "row": None},
    "key zero": {"table": "terms", "key": [0], "row": None},
    "a negative key": {"table": "terms", "key": [-1], "row": None},
    "a huge key": {"table": "terms", "key": [2**53], "row": None},
    "a row of text": {"table": "terms", "key": [1], "row": "gone"},
    "a list for a row": {"table": "terms", "key": [1], "row": []},
    "an empty row": {"table": "terms", "key": [1], "row": {}},
    "another key in the row": bad("task", id=22),
    "true for an id": {**bad("task", id=True), "key": [1]},
    "a column more": bad("task", user_id="another"),
    "a column less": {**plain(WRITES["task"]), "row": {k: v for k, v in plain(WRITES["task"])["row"].items() if k != "priority"}},
    "a blank name": bad("course", name="  "),
    "a blank category": bad("category", name=""),
    "a blank task": bad("task", content=" "),
    "a blank term": bad("term", name=" "),
    "a term without a zone": bad("term", zone=" "),
    "a long name": bad("course", name="数" * 501),
    "a line break": bad("section", location="A\n101"),
    "a NUL": bad("course", name="a\x00"),
    "an escape": bad("section", teacher="\x1b[31m"),
    "half a character": bad("course", name="\ud83d"),
    "a turned line": bad("course", name="\u202eabc"),
    "a number for a name": bad("course", name=1),
    "no name": bad("course", name=None),
    "another kind": bad("course", kind="lecture"),
    "a list for a kind": bad("course", kind=["course"]),
    "one for true": bad("course", can_embed=1),
    "null for false": bad("term", is_current=None),
    "a Tuesday": bad("term", first_monday="2026-09-08"),
    "a date that is none": bad("term", first_monday="2026-02-30"),
    "a short date": bad("term", first_monday="20260907"),
    "a week date": bad("task", deadline="2026-W37-1"),
    "a moment": bad("task", deadline="2026-09-07T00:00:00"),
    "a date of the wrong kind": bad("task", earliest=20260907),
    "no weeks": bad("term", weeks=0),
    "too many weeks": bad("term", weeks=61),
    "weeks beyond the calendar": {"table": "terms", "key": [9], "row": {**bad("term", id=9, first_monday="9999-12-27")["row"]}},
    "no slots": bad("term", scale=[]),
    "too many slots": bad(
        "term", scale=[[f"{n // 60:02}:{n % 60:02}", f"{n // 60:02}:{n % 60 + 1:02}"] for n in range(0, 1400, 20)]
    ),
    "a slot of one time": bad("term", scale=[["08:00"]]),
    "a slot that ends first": bad("term", scale=[["08:45", "08:00"]]),
    "a slot of no length": bad("term", scale=[["08:00", "08:00"]]),
    "slots that overlap": bad("term", scale=[["08:00", "09:00"], ["08:30", "10:00"]]),
    "hour 24": bad("term", scale=[["08:00", "24:00"]]),
    "minute 60": bad("term", scale=[["08:00", "08:60"]]),
    "a short hour": bad("term", scale=[["8:00", "9:00"]]),
    "wide digits": bad("term", scale=[["08:00", "０９:00"]]),
    "a scale of text": bad("term", scale="08:00"),
    "week 61": {"table": "schedules", "key": [7, 61, 2, 3], "row": schedule_row(Row(7, 61, 2, 3), TERM.id)},
    "day 8": {"table": "schedules", "key": [7, 1, 8, 3], "row": schedule_row(Row(7, 1, 8, 3), TERM.id)},
    "slot 49": {"table": "schedules", "key": [7, 1, 2, 49], "row": schedule_row(Row(7, 1, 2, 49), TERM.id)},
    "a guest in the first layer": bad("guest", layer=0),
    "a host in the second layer": bad("section", layer=1),
    "a beginning without an end": bad("section", begins=480),
    "an end without a beginning": bad("section", ends=480),
    "a meeting of no length": bad("section", begins=480, ends=480),
    "a meeting that ends first": bad("section", begins=481, ends=480),
    "a beginning before midnight": bad("section", begins=-1, ends=480),
    "an end after midnight": bad("section", begins=480, ends=1441),
    "minutes with a point": bad("section", begins=480.0, ends=525),
    "true for a minute": bad("section", begins=True, ends=525),
    "no place at all": bad("section", location=None),
    "layer two": bad("guest", layer=2),
    "a true layer": bad("guest", layer=True),
    "priority 0": bad("task", priority=0),
    "priority 6": bad("task", priority=6),
    "no duration at all": bad("task", duration=0),
    "a duration beyond a day": bad("task", duration=49),
    "a place before the first": bad("task", position=-1),
    "a place beyond the database": bad("task", position=2**31),
    "no slots in all": bad("category", total_slots=0),
    "slots beyond the database": bad("category", total_slots=2**31),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_whole_and_of_its_kind_is_refused_with_its_place(name: str) -> None:
    first = plain(WRITES["category"])
    assert parse([first, REFUSED[name]]) == Refusal("operation_malformed", {"index": 1}, 1)


def test_two_writes_of_one_row_are_refused_even_when_they_say_the_same() -> None:
    item = plain(WRITES["section"])
    assert parse([item, copy.deepcopy(item)]) == Refusal("operation_malformed", {"index": 1}, 1)
    assert parse([item, plain(WRITES["no section"])]) == Refusal("operation_malformed", {"index": 1}, 1)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 1.0, 0.5, 2**31, 2**53, 10**30, "", " ", "1", "\x00", "\ud800", "2026-13-01", [], {}, [1], [[]]]),
    st.integers(),
    st.text(max_size=5),
    st.dates().map(str),
)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[RowWrite, Any]:
    """Return a sound write, and its JSON with one place changed."""
    write = WRITES[draw(st.sampled_from(sorted(WRITES)))]
    item = plain(write)
    inside = [item]
    while isinstance(inside[-1], dict | list) and inside[-1] and (len(inside) == 1 or draw(st.booleans())):
        holder = inside[-1]
        key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        way = draw(st.sampled_from(["put", "drop", "add", "down", "down"]))
        if way == "down" and isinstance(holder[key], dict | list):
            inside.append(holder[key])
            continue
        if way == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(["user_id", "x", "id"]))] = draw(JUNK)
        elif way == "add":
            holder.append(draw(JUNK))
        elif way == "drop":
            del holder[key]
        else:
            holder[key] = draw(JUNK)
        break
    return write, item


def form(value: Any) -> Any:
    """Return a value in a form in which true is not one and 1.0 is not 1."""
    if isinstance(value, dict):
        return {key: form(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [form(inner) for inner in value]
    return type(value).__name__, value


@given(mutated())
@settings(max_examples=600, deadline=None)
def test_a_changed_write_is_refused_or_means_what_it_says_now(change: tuple[RowWrite, Any]) -> None:
    write, item = change
    found = read(item)
    if found is None:
        return
    assert form(found.to_json()) == form(item)
    assert (found == write) == (form(item) == form(plain(write)))
    assert read(json.loads(canonical(found.to_json()))) == found


def test_every_bound_that_is_accepted_is_kept_by_the_database_as_it_is(desk_anywhere: Desk) -> None:
    desk = desk_anywhere
    day = [[f"{n // 2:02}:{n % 2 * 30:02}", f"{n // 2:02}:{n % 2 * 30 + 29:02}"] for n in range(48)]
    last = "9998-11-02"
    rows = {
        "terms": {**term_row(TERM), "id": 2**53 - 1, "weeks": 60, "scale": day, "is_current": False, "first_monday": last},
        "task_classes": class_row(TaskClass(2**53 - 1, "类" * 500, 2**31 - 1), 2**53 - 1),
        "task_items": item_row(TaskItem(2**53 - 1, 2**53 - 1, "务" * 500, 2**31 - 1, 48, priority=5)),
        "schedule_events": event_row(Event(2**53 - 1, "task", "事" * 500, True, "u" * 500, item_id=2**53 - 1), 2**53 - 1),
        "schedules": schedule_row(Row(2**53 - 1, 60, 7, 48, 2**53 - 2), 2**53 - 1),
    }
    writes = [read(json.loads(canonical(put(table, row).to_json()))) for table, row in rows.items()]
    assert all(write is not None for write in writes)
    differences = [Difference(write.table, None, write.row) for write in writes if write is not None]
    desk.store.write_now(lambda tx: timetable.apply(tx, ME, differences))
    found = desk.store.read_now(lambda tx: timetable.rows_of_term(tx, ME, 2**53 - 1))
    assert {table: found[table] for table in rows} == {table: [row] for table, row in rows.items()}


def test_the_scope_names_rows_owners_cells_and_who_may_be_in_the_way() -> None:
    scope: Any = scope_of([WRITES["guest"], WRITES["no task"], WRITES["category"]])
    assert {table: keys for table, keys in scope["keys"].items() if keys} == {
        "terms": [[TERM.id]],
        "task_classes": [[11]],
        "task_items": [[21]],
        "schedule_events": [[7], [8]],
        "schedules": [[8, 1, 2, 3]],
    }
    assert scope["cells"] == [[1, 2, 3]]
    assert scope["holders"] == [["schedule_events", "item_id", 21], ["task_classes", "name", "学习"]]
