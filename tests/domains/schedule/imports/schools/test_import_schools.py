"""What school systems and timetable apps export arrives right: every course, day, slot and week; what is broken costs no more than itself."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ModelCanFix
from steadyhand.core.language import say
from steadyhand.domains.schedule.imports.incoming import match
from steadyhand.domains.schedule.imports.report import sentence
from steadyhand.domains.schedule.imports.schools import pages
from steadyhand.domains.schedule.imports.schools.registry import KINDS, read_file
from steadyhand.domains.schedule.term.records import DEFAULT_SLOTS, Event, Records, Row, Term
from steadyhand.domains.schedule.term.terms import Wish, new_term
from steadyhand.domains.schedule.term.weeks import read_weeks

CASES = Path(__file__).parents[4] / "cases" / "schools"
EXPECTED = json.loads((CASES / "expected.json").read_text("utf-8"))
TERM = Term(1, "秋", "Asia/Shanghai", date(2026, 9, 7), 20)
FILES = sorted(EXPECTED)


def data_of(name):
    return (CASES / name).read_bytes()


def read_any(data, term):
    return read_file(data, term.weeks).fitted(term)


def cells(fitted):
    return {(event.name, row.day_of_week, row.section, row.week) for event in fitted.events for row in event.rows}


def wanted(name):
    return {
        (course, day, section, week)
        for course, day, slots, weeks in EXPECTED[name]["lessons"]
        for section in range(int(slots.split("-")[0]), int(slots.split("-")[1]) + 1)
        for week in read_weeks(weeks, TERM.weeks)
    }


@pytest.mark.parametrize("name", FILES)
def test_every_course_arrives_with_its_day_slots_and_weeks(name):
    fitted = read_any(data_of(name), TERM)
    assert cells(fitted) == wanted(name)
    lost = sorted(told.code for told in fitted.entries if told.verdict in {"dropped", "asked"})
    assert lost == EXPECTED[name].get("dropped", [])


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_known_by_its_content(name):
    assert read_file(data_of(name)).kind == EXPECTED[name]["kind"]


@pytest.mark.parametrize("name", FILES)
def test_the_same_file_twice_doubles_nothing(name):
    events = read_any(data_of(name), TERM).events
    stored = tuple(Event(number, event.kind, event.name, uid=event.uid) for number, event in enumerate(events, 1))
    rows = tuple(Row(number, *row.cell, None, row.particulars) for number, event in enumerate(events, 1) for row in event.rows)
    again = match(Records(TERM, stored, rows), read_any(data_of(name), TERM).events)
    assert (len(again.added), len(again.changed), len(again.unchanged)) == (0, 0, len(events))


def test_every_kind_has_a_fixture_and_a_name_in_both_languages():
    assert {case["kind"] for case in EXPECTED.values()} == {*KINDS, "table"}
    assert all(say(language, f"school.kind.{kind}") for kind in KINDS for language in ("zh-CN", "en"))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_every_report_is_in_words(name, language):
    assert all(sentence(language, told) for told in read_any(data_of(name), TERM).entries)


def test_the_same_course_has_one_identity_whatever_exported_it():
    uids = {event.uid for name in FILES for event in read_any(data_of(name), TERM).events if event.name == "海洋观测"}
    assert len(uids) == 1


def test_a_shared_timetable_suggests_its_term_and_time_scale():
    suggestion = read_file(data_of("term.wakeup_schedule")).suggestion("Asia/Shanghai")
    assert (suggestion.first_monday, suggestion.weeks, suggestion.name) == (date(2026, 9, 7), 18, "秋季课表")
    assert (len(suggestion.slots), suggestion.slots[2]) == (10, ("10:10", "10:55"))
    assert new_term(Wish(), suggestion).scale.slots == suggestion.slots
    assert new_term(Wish(slots=DEFAULT_SLOTS), suggestion).scale.slots == DEFAULT_SLOTS


def test_a_term_that_is_not_the_file_s_own_is_said():
    reader = read_file(data_of("term.wakeup_schedule"))
    own = new_term(Wish(), reader.suggestion("Asia/Shanghai"))
    codes = [[entry.code for entry in reader.fitted(term).entries if entry.code.endswith("_other")] for term in (own, TERM)]
    assert codes == [[], ["scale_other"]]
    later = Term(2, "春", "Asia/Shanghai", date(2027, 3, 1), 20)
    assert [entry.code for entry in reader.fitted(later).entries][:2] == ["start_other", "scale_other"]


def test_a_file_without_a_date_suggests_weeks_alone():
    suggestion = read_file(data_of("shuwei.json")).suggestion("Asia/Shanghai")
    assert (suggestion.first_monday, suggestion.weeks, suggestion.slots) == (None, 20, ())


def places(event):
    return {(row.particulars.location, row.particulars.teacher) for row in event.rows}


def test_places_and_teachers_come_along():
    found = {event.name: event for event in read_any(data_of("urp.json"), TERM).events}
    assert places(found["海洋观测"]) == {("一教A101", "教师甲")}
    found = {event.name: event for event in read_any(data_of("shuwei.html"), TERM).events}
    assert places(found["海洋观测"]) == {("23楼506", "教师乙")}
    found = {event.name: event for event in read_any(data_of("zhengfang_gbk.html"), TERM).events}
    assert {place for place, _ in places(found["航海体育"])} == {"操场"}
    assert {teacher for _, teacher in places(found["夜航"])} == {"教师丙"}


def test_what_was_assumed_and_noted_is_said():
    told = {entry.code: dict(entry.params) for entry in read_any(data_of("qiangzhi.html"), TERM).entries}
    assert told["sections_assumed"] == {"name": "航海体育[实践]", "head": "第三大节", "sections": "5-6"}
    notes = [
        entry.params["note"] for entry in read_any(data_of("zhengfang_gbk.html"), TERM).entries if entry.code == "lesson_note"
    ]
    assert notes == ["(停0023)"]


@pytest.mark.parametrize(
    "data", [b"<html><body><table><tr><td>login</td></tr></table></body></html>", b'{"code": 401}', b"[1, 2]"]
)
def test_a_page_that_is_no_timetable_is_refused_with_what_would_do(data):
    with pytest.raises(ModelCanFix) as refused:
        read_any(data, TERM)
    assert refused.value.code == "import_kind_unknown"


def test_a_page_with_too_many_tags_is_refused_before_it_is_built():
    with pytest.raises(ModelCanFix) as refused:
        read_any(b"<html><table>" + b"<div>" * (pages.MAX_TAGS + 1), TERM)
    assert refused.value.code == "import_page_too_large"


def test_a_json_that_nests_without_end_is_refused():
    with pytest.raises(ModelCanFix):
        read_any(b"[" * 100_000, TERM)


def test_spans_without_measure_stay_bounded():
    cell = '<td rowspan="999" colspan="999">a<br>{第1-2周}</td>' * 50
    fitted = read_any(f"<html><table id=Table1>{('<tr>' + cell) * 100}</table>".encode(), TERM)
    assert fitted.events == ()


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=6)), min_size=1, max_size=6))
def test_a_damaged_file_is_read_or_refused_and_never_fails_otherwise(name, edits):
    data = bytearray(data_of(name))
    for at, cut, insert in edits:
        place = int(at * len(data))
        data[place : place + cut] = insert
    try:
        fitted = read_any(bytes(data), TERM)
    except ModelCanFix:
        return
    assert all(
        1 <= row.week <= 20 and 1 <= row.day_of_week <= 7 and 1 <= row.section <= 12
        for event in fitted.events
        for row in event.rows
    )
    assert all(sentence("en", told) for told in fitted.entries)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
@settings(max_examples=25, deadline=None)
@given(
    values=st.lists(
        st.one_of(st.none(), st.integers(), st.text(max_size=8), st.lists(st.integers(), max_size=2), st.floats(allow_nan=False)),
        min_size=1,
    )
)
def test_values_of_another_kind_than_wished_cost_their_row_at_most(name, values):
    taken = iter(values * 200)

    def changed(value, depth=0):
        if isinstance(value, dict):
            return {key: changed(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner, depth + 1) for inner in value]
        return next(taken) if hash((str(value), depth)) % 3 == 0 else value

    data = json.dumps(changed(json.loads(data_of(name)))).encode()
    try:
        fitted = read_any(data, TERM)
    except ModelCanFix:
        return
    assert all(sentence("zh-CN", told) for told in fitted.entries)
