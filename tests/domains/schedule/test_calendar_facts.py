"""A holiday takes a day's courses away and a swapped day takes another's; without the fact everything is as it was, also after an import."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule_ground.desk import MATH, ME, TERM, Desk
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts import fact_acts
from steadyhand.domains.schedule.acts.calendar_facts import (
    Days,
    apply_facts,
    holiday,
    rows_by_weekday,
    taken_by_weekday,
    works_as,
)
from steadyhand.domains.schedule.imports.incoming import IncomingEvent, IncomingRow, match
from steadyhand.domains.schedule.imports.report import sentence
from steadyhand.domains.schedule.imports.tables import read_table
from steadyhand.domains.schedule.rows.compiling import compile_rows, differences_of
from steadyhand.domains.schedule.rows.forms import class_row, event_row, fact_row, item_row, records_of, schedule_row, term_row
from steadyhand.domains.schedule.rows.observing import look
from steadyhand.domains.schedule.rows.presenting import present
from steadyhand.domains.schedule.rows.writes import RowWrite, put, scope_of
from steadyhand.domains.schedule.term.records import Event, Particulars, Records, Row, Seat, TaskClass, TaskItem
from steadyhand.gate.contract import Program, Refusal
from steadyhand.store.timetable.timetable import KEYS

MONDAY, TUESDAY, SATURDAY, SUNDAY = (2, 1), (2, 2), (2, 6), (2, 7)
TABLE = "名称,星期,节次,周次\n高等数学,1,1-2,1-3\n思政,2,3-6,1-3\n"


def rows_by_table(records: Records) -> dict[str, dict[tuple[int, ...], dict]]:
    term = records.term.id
    listed = {
        "terms": [term_row(records.term)],
        "calendar_facts": [fact_row(fact, term) for fact in records.facts],
        "task_classes": [class_row(one, term) for one in records.classes],
        "task_items": [item_row(one) for one in records.items],
        "schedule_events": [event_row(event, term) for event in records.events],
        "schedules": [schedule_row(row, term) for row in records.rows],
    }
    return {name: {tuple(row[key] for key in KEYS[name]): row for row in found} for name, found in listed.items()}


def written(records: Records, writes) -> Records:
    """Return records as the writes leave them; no two plain rows share a cell and no guest lies without its host."""
    tables = rows_by_table(records)
    for write in writes:
        if write.row is None:
            tables[write.table].pop(write.key, None)
        else:
            tables[write.table][write.key] = dict(write.row)
    found = records_of({name: [rows[key] for key in sorted(rows)] for name, rows in tables.items()})
    plain = [(row.week, row.day_of_week, row.section) for row in found.rows if row.host_event_id is None]
    hosts = {(row.event_id, row.week, row.day_of_week, row.section) for row in found.rows if row.host_event_id is None}
    assert len(plain) == len(set(plain))
    assert all((row.host_event_id, row.week, row.day_of_week, row.section) in hosts for row in found.rows if row.host_event_id)
    assert {row.event_id for row in found.rows} <= {event.id for event in found.events}
    return found


def put_fact(records: Records, fact) -> Records:
    return written(records, fact_acts.put_fact(records, fact).writes)


def drop_fact(records: Records, day) -> Records:
    return written(records, fact_acts.drop_fact(records, day).writes)


def imported(records: Records, text: str) -> Records:
    fitted = read_table(text.encode(), records.term.weeks).fitted(records.term)
    applied = apply_facts(records, fitted.events)
    return written(records, [*acts.import_events(records, match(records, applied.events)), *acts.held_writes(records, applied)])


def names(records: Records, day) -> set[tuple[str, int]]:
    by_id = {event.id: event.name for event in records.events}
    return {(by_id[row.event_id], row.section) for row in records.rows if (row.week, row.day_of_week) == day}


@pytest.fixture(scope="module")
def term_of_courses() -> Records:
    return imported(Records(TERM), TABLE)


MATHS, POLITICS = {("高等数学", 1), ("高等数学", 2)}, {("思政", section) for section in (3, 4, 5, 6)}


def test_no_course_meets_on_a_holiday_and_all_come_back_without_it(term_of_courses):
    off = put_fact(term_of_courses, holiday(MONDAY))
    assert names(off, MONDAY) == set()
    assert names(off, (1, 1)) == MATHS
    assert drop_fact(off, MONDAY) == term_of_courses


def test_a_swapped_day_takes_the_courses_of_a_holiday(term_of_courses):
    for first, second in ((holiday(MONDAY), works_as(SATURDAY, MONDAY)), (works_as(SATURDAY, MONDAY), holiday(MONDAY))):
        found = put_fact(put_fact(term_of_courses, first), second)
        assert (names(found, MONDAY), names(found, SATURDAY)) == (set(), MATHS)
        assert drop_fact(drop_fact(found, MONDAY), SATURDAY) == term_of_courses


def test_a_workday_swapped_for_another_loses_its_own(term_of_courses):
    found = put_fact(term_of_courses, works_as(TUESDAY, MONDAY))
    assert names(found, TUESDAY) == MATHS
    assert names(put_fact(found, holiday(TUESDAY)), TUESDAY) == set()
    assert drop_fact(put_fact(found, holiday(TUESDAY)), TUESDAY) == term_of_courses


def test_a_file_read_again_changes_nothing_under_facts(term_of_courses):
    found = put_fact(put_fact(term_of_courses, holiday(MONDAY)), works_as(SUNDAY, MONDAY))
    applied = apply_facts(found, read_table(TABLE.encode(), TERM.weeks).fitted(TERM).events)
    paired = match(found, applied.events)
    assert (paired.added, paired.changed, applied.facts) == ((), (), ())
    assert [entry.params for entry in applied.entries] == [{"name": "高等数学", "dropped": 2, "gained": 2}]
    assert imported(found, TABLE) == found


def test_a_changed_file_moves_what_the_facts_hold(term_of_courses):
    found = put_fact(put_fact(term_of_courses, holiday(MONDAY)), works_as(SUNDAY, MONDAY))
    found = imported(found, TABLE + "化学,1,5,2\n")
    assert names(found, MONDAY) == set()
    assert names(found, SUNDAY) == MATHS | {("化学", 5)}
    assert [event.name for event in found.events if event.name == "化学"] == ["化学"]
    assert names(drop_fact(found, MONDAY), MONDAY) == MATHS | {("化学", 5)}


def test_a_course_that_met_on_the_holiday_alone_waits_for_it(term_of_courses):
    found = imported(put_fact(term_of_courses, holiday(MONDAY)), TABLE + "补课,1,9,2\n")
    assert [event.name for event in found.events] != []
    assert names(drop_fact(found, MONDAY), MONDAY) == MATHS | {("补课", 9)}


def test_a_course_added_or_edited_by_the_person_keeps_the_facts(term_of_courses):
    found = put_fact(put_fact(term_of_courses, holiday(MONDAY)), works_as(SUNDAY, MONDAY))
    chess = Event(900, "course", "棋")
    found = written(found, acts.add_course(found, chess, acts.weekly_cells(TERM, 1, (7, 7), (1, 2, 3))))
    assert (names(found, MONDAY), names(found, SUNDAY), names(found, (3, 1))) == (set(), MATHS | {("棋", 7)}, MATHS | {("棋", 7)})
    found = written(
        found, acts.edit_course(found, chess, dict.fromkeys(acts.weekly_cells(TERM, 1, (8, 8), (1, 2)), Particulars()))
    )
    assert (names(found, SUNDAY), names(found, (3, 1))) == (MATHS | {("棋", 8)}, MATHS)
    assert names(drop_fact(found, MONDAY), MONDAY) == MATHS | {("棋", 8)}


def test_a_course_is_known_by_its_weekdays_whatever_the_facts(term_of_courses):
    found = put_fact(put_fact(term_of_courses, holiday(MONDAY)), works_as(SUNDAY, MONDAY))
    for event in found.events:
        assert rows_by_weekday(found, event) == rows_by_weekday(term_of_courses, event)


def with_task(records: Records, *cells, host=None, item=True) -> Records:
    writes = [
        put("task_classes", class_row(TaskClass(70, "学习"), TERM.id)),
        put("task_items", item_row(TaskItem(71, 70, "复习", 0, 1))),
        put("schedule_events", event_row(Event(72, "task", "复习", item_id=71 if item else None), TERM.id)),
        *(put("schedules", schedule_row(Row(72, *cell, host), TERM.id)) for cell in cells),
    ]
    return written(records, writes)


def test_a_task_in_the_way_of_a_swapped_day_becomes_pending(term_of_courses):
    found = put_fact(with_task(term_of_courses, (*SATURDAY, 2)), works_as(SATURDAY, MONDAY))
    assert names(found, SATURDAY) == MATHS
    assert {event.name for event in found.events} == {"高等数学", "思政"}
    assert [item.content for item in found.items] == ["复习"]


def test_what_is_no_task_of_a_list_keeps_its_place_and_that_is_said(term_of_courses):
    stored = with_task(term_of_courses, (*SATURDAY, 2), item=False)
    done = fact_acts.put_fact(stored, works_as(SATURDAY, MONDAY))
    assert names(written(stored, done.writes), SATURDAY) == {("高等数学", 1), ("复习", 2)}
    assert [sentence("zh-CN", told) for told in done.entries] == ["“高等数学”在 2026-09-19 的调课没有放入第2节：该处已有“复习”。"]


@pytest.mark.parametrize("item", [True, False])
def test_a_guest_of_a_course_that_goes_is_pending_or_stands_alone(term_of_courses, item):
    politics = next(event for event in term_of_courses.events if event.name == "思政")
    stored = written(term_of_courses, [put("schedule_events", event_row(replace(politics, can_embed=True), TERM.id))])
    stored = with_task(stored, (*TUESDAY, 3), host=politics.id, item=item)
    assert names(put_fact(stored, holiday(TUESDAY)), TUESDAY) == (set() if item else {("复习", 3)})


def test_tasks_of_a_holiday_stay(term_of_courses):
    found = put_fact(with_task(term_of_courses, (*MONDAY, 9)), holiday(MONDAY))
    assert names(found, MONDAY) == {("复习", 9)}


def test_what_a_person_puts_on_such_a_day_by_hand_stays(term_of_courses):
    found = put_fact(term_of_courses, holiday(MONDAY))
    maths = next(event for event in found.events if event.name == "高等数学")
    found = written(found, [put("schedules", schedule_row(Row(maths.id, *MONDAY, 9), TERM.id))])
    assert names(put_fact(found, works_as(MONDAY, TUESDAY)), MONDAY) == POLITICS | {("高等数学", 9)}
    assert names(drop_fact(found, MONDAY), MONDAY) == MATHS | {("高等数学", 9)}


def test_a_file_is_fitted_against_the_weekdays_and_not_against_the_facts(term_of_courses):
    found = put_fact(put_fact(with_task(term_of_courses, (*MONDAY, 9)), holiday(MONDAY)), works_as(SUNDAY, MONDAY))
    taken = taken_by_weekday(found, frozenset())
    assert {cell for cell in taken if cell[:2] == MONDAY} == {(*MONDAY, 1), (*MONDAY, 2), (*MONDAY, 9)}
    assert {cell for cell in taken if cell[:2] == SUNDAY} == set()


def test_facts_outside_the_term_and_of_themselves_are_refused(term_of_courses):
    for fact in (holiday((5, 1)), works_as(MONDAY, (9, 1))):
        with pytest.raises(ToolRefusal) as refused:
            fact_acts.put_fact(term_of_courses, fact)
        assert refused.value.code == "fact_outside"
    with pytest.raises(ToolRefusal) as refused:
        works_as(MONDAY, MONDAY)
    assert refused.value.code == "fact_of_itself"


DAYS = st.tuples(st.integers(1, 3), st.integers(1, 7))
FACTS = st.one_of(
    st.builds(holiday, DAYS), st.tuples(DAYS, DAYS).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: works_as(*pair))
)
TIMES = st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 2), st.sampled_from(["1-3", "1-3单", "2", "2-3"]))


@settings(max_examples=60, deadline=None)
@given(times=st.lists(TIMES, min_size=1, max_size=6), facts=st.lists(FACTS, min_size=1, max_size=5), order=st.randoms())
def test_facts_in_any_order_give_the_same_days_and_taking_all_away_gives_all_back(times, facts, order):
    lines = [f"课{index},{day},{first}-{first + length - 1},{weeks}" for index, (day, first, length, weeks) in enumerate(times)]
    text = "\n".join(["名称,星期,节次,周次", *lines])
    plain = imported(Records(TERM), text)
    last = {fact.day: fact for fact in facts}
    found = plain
    for fact in last.values():
        found = put_fact(found, fact)
    shuffled = list(last.values())
    order.shuffle(shuffled)
    other = plain
    for fact in shuffled:
        other = put_fact(other, fact)
    assert found == other
    assert imported(found, text) == found
    assert _same(imported(put_all(Records(TERM), shuffled), text), found)
    for fact in shuffled:
        found = drop_fact(found, fact.day)
    assert found == plain


def put_all(records, facts):
    for fact in facts:
        records = put_fact(records, fact)
    return records


def _same(one: Records, other: Records) -> bool:
    days = [(week, day) for week in (1, 2, 3, 4) for day in range(1, 8)]
    return all(names(one, day) == names(other, day) for day in days) and one.facts == other.facts


# ---- at the gate -----------------------------------------------------------------------------------------------------


def test_a_fact_passes_the_gate_and_its_undoing_gives_the_same_bytes(desk: Desk) -> None:
    before = desk.dump()
    row = desk.done(list(fact_acts.put_fact(desk.records(), holiday((1, 1))).writes))
    assert desk.cells_of("高等数学") == {(week, 1, slot) for week in (2, 3) for slot in (1, 2)}
    assert [(fact.day, fact.held) for fact in desk.records().facts] == [
        ((1, 1), (Seat(f"{MATH}@steadyhand", 1), Seat(f"{MATH}@steadyhand", 2)))
    ]
    desk.undo(row)
    row = desk.row(row.number + 1)
    desk.approve(row)
    assert desk.dump() == before


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_a_change_says_the_day_and_what_it_takes(desk: Desk, language) -> None:
    writes = fact_acts.put_fact(desk.records(), works_as((1, 6), (1, 2))).writes
    seen = desk.store.read_now(lambda tx: look(tx, ME, TERM.id, scope_of(writes)))
    program = compile_rows([write.to_json() for write in writes], TERM.id, seen)
    assert isinstance(program, Program)
    text = present(differences_of(program), TERM.id, seen, language).text
    assert "2026-09-12" in text
    assert say(language, "schedule.diff.what.calendar_facts.works_as") in text
    assert "思政" in text


def test_a_swapped_day_refuses_a_day_past_the_term_at_the_gate_too(desk: Desk) -> None:
    found = desk.act([put("calendar_facts", fact_row(holiday((9, 1)), TERM.id))])
    reason = found.code if isinstance(found, Refusal) else found.reason
    assert "fact_outside_term" in str(reason)


@pytest.mark.parametrize(
    "broken",
    [
        {"kind": "course"},
        {"as_week": 1},
        {"held": [["a", 1], ["a", 1]]},
        {"held": [["b", 1], ["a", 1]]},
        {"held": [["a", 0]]},
        {"held": "x"},
        {"day_of_week": 8},
        {"week": 61},
        {"kind": "works_as", "as_week": 2, "as_day_of_week": 1},
    ],
)
def test_a_malformed_fact_is_no_operation(desk: Desk, broken) -> None:
    row = {**fact_row(holiday((2, 1)), TERM.id), **broken}
    found = desk.act([RowWrite("calendar_facts", (TERM.id, row["week"], row["day_of_week"]), row)])
    reason = found.code if isinstance(found, Refusal) else found.reason
    assert "operation_malformed" in str(reason)


def test_courses_that_are_gone_do_not_come_back(desk: Desk) -> None:
    desk.done(list(fact_acts.put_fact(desk.records(), holiday((1, 1))).writes))
    desk.done(acts.remove_events(desk.records(), [MATH]))
    desk.done(list(fact_acts.drop_fact(desk.records(), (1, 1)).writes))
    assert desk.cells_of("思政") == {(week, 2, slot) for week in (1, 2, 3) for slot in (3, 4, 5, 6)}
    assert Days(desk.records()).standing((1, 1)) == {}


def test_an_imported_guest_whose_host_has_a_holiday_stands_alone():
    host = IncomingEvent("host", "course", "课", (IncomingRow(2, 1, 1),), can_embed=True)
    guest = IncomingEvent("guest", "task", "练习", (IncomingRow(2, 1, 1, "host"),))
    applied = apply_facts(Records(TERM, facts=(holiday(MONDAY),)), [host, guest])
    assert [event.rows for event in applied.events] == [(), (IncomingRow(2, 1, 1),)]
