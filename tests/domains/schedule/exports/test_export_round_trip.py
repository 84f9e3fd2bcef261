"""What is exported is read back as the same events and rows, and is safe to open elsewhere."""

import csv
import io
from datetime import UTC, date, datetime, timedelta

import icalendar
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ModelCanFix
from steadyhand.core.language import LANGUAGES
from steadyhand.domains.schedule.exports.calendar import write_calendar
from steadyhand.domains.schedule.exports.tables import write_courses, write_placements
from steadyhand.domains.schedule.imports import reader
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.incoming import match
from steadyhand.domains.schedule.imports.tables import read_table, read_tasks
from steadyhand.domains.schedule.term.records import (
    DEFAULT_SLOTS,
    Event,
    Particulars,
    Records,
    Row,
    TaskClass,
    TaskItem,
    Term,
    minutes_of,
)

MONDAY = date(2026, 9, 7)
NOW = datetime(2026, 9, 1, 3, 4, 5, 678, tzinfo=UTC)
NAMES = st.text("高等数学 abc,;:\\\"'=+-@()", min_size=1, max_size=40).map(lambda text: " ".join(text.split())).filter(bool)
ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC")


@st.composite
def particulars(draw, section):
    """What is known of a meeting in *section*: exact times that are read as this section, place and teacher, each or none."""
    begin, end = (minutes_of(clock) for clock in DEFAULT_SLOTS[section - 1])
    early, late = draw(st.integers(-20, 20)), draw(st.integers(-20, 20))
    times = (begin + early, end + late) if draw(st.booleans()) else (None, None)
    return Particulars(*times, draw(st.just("") | NAMES), draw(st.just("") | NAMES))


@st.composite
def timetables(draw):
    """Events that share no section, except tasks that are guests of a course that takes them."""
    term = Term(1, "秋 2026", draw(st.sampled_from(ZONES)), MONDAY, draw(st.integers(1, 20)))
    free = [(day, section) for day in range(1, 8) for section in range(1, 13)]
    events, rows = [], []
    for number in range(1, draw(st.integers(0, 5)) + 1):
        kind = draw(st.sampled_from(["course", "task"]))
        can_embed = kind == "course" and draw(st.booleans())
        uid = draw(st.sampled_from(["", f"uid-{number}@example.com"]))
        events.append(Event(number, kind, draw(NAMES), can_embed, uid))
        for _ in range(draw(st.integers(1, 3))):
            day, section = free.pop(draw(st.integers(0, len(free) - 1)))
            weeks = draw(st.sets(st.integers(1, term.weeks), min_size=1))
            known = draw(particulars(section))
            rows += [Row(number, week, day, section, None, known) for week in weeks]
    hosts = [row for row in rows if events[row.event_id - 1].can_embed]
    if hosts and draw(st.booleans()):
        host = draw(st.sampled_from(hosts))
        events.append(Event(99, "task", "guest"))
        rows.append(Row(99, host.week, host.day_of_week, host.section, host.event_id))
    return Records(
        term, tuple(events), tuple(sorted(rows, key=lambda row: (row.event_id, row.week, row.day_of_week, row.section)))
    )


def read_back(records, data):
    term = records.term
    span = (term.first_monday, term.first_monday + timedelta(weeks=term.weeks, days=-1))
    found = reader.read(data, term.zone, span)
    fitted = fit(found.events, term)
    return [*found.entries, *fitted.entries], fitted


@settings(max_examples=120, deadline=None)
@given(timetables(), st.sampled_from(LANGUAGES))
def test_a_calendar_that_was_exported_gives_the_same_events_and_rows(records, language):
    data = write_calendar(records, NOW, language)
    if not records.events:
        assert b"VEVENT" not in data
        return
    told, fitted = read_back(records, data)
    matched = match(records, fitted.events)
    assert (matched.added, matched.changed, matched.missing) == ((), (), ())
    assert len(matched.unchanged) == len(records.events)
    assert {entry.verdict for entry in told if entry.code not in {"zone_converted", "time_fitted"}} == {"kept"}


@settings(max_examples=60, deadline=None)
@given(timetables())
def test_the_same_records_give_the_same_well_formed_bytes(records):
    data = write_calendar(records, NOW, "en")
    again = write_calendar(records, NOW, "en")
    assert data == again
    assert all(len(line) <= 75 for line in data.split(b"\r\n"))
    assert icalendar.Calendar.from_ical(data).to_ical() == data


@settings(max_examples=80, deadline=None)
@given(timetables(), st.sampled_from(LANGUAGES))
def test_a_table_of_courses_that_was_exported_gives_the_same_courses(records, language):
    events = tuple(event for event in records.events if event.kind == "course")
    courses = Records(records.term, events, tuple(row for row in records.rows if row.event_id in {event.id for event in events}))
    fitted = read_table(write_courses(courses, language), records.term.weeks).fitted(records.term)
    matched = match(courses, fitted.events)
    assert (matched.added, matched.changed, matched.missing) == ((), (), ())
    assert len(matched.unchanged) == len(courses.events)


def weekly(weeks, sections=(1, 2), day=1):
    return [Row(1, week, day, section) for week in weeks for section in sections]


def one_event(rows, zone="Asia/Shanghai", **given):
    event = Event(1, "course", "高等数学", uid="maths@example.com", **given)
    return Records(Term(1, "秋", zone, MONDAY, 18), (event,), tuple(rows))


def entries(data):
    return icalendar.Calendar.from_ical(data).walk("VEVENT")


@pytest.mark.parametrize(
    ("weeks", "rule", "left_out"),
    [
        (range(1, 17), "FREQ=WEEKLY;COUNT=16;INTERVAL=1", 0),
        (range(1, 16, 2), "FREQ=WEEKLY;COUNT=8;INTERVAL=2", 0),
        ([1, 2, 3, 5], "FREQ=WEEKLY;COUNT=5;INTERVAL=1", 1),
        ([4], None, 0),
    ],
)
def test_a_run_of_equal_meetings_is_one_series(weeks, rule, left_out):
    (entry,) = entries(write_calendar(one_event(weekly(weeks)), NOW, "en"))
    assert (entry["rrule"].to_ical().decode() if rule else entry.get("rrule")) == rule
    assert len(entry["exdate"].dts if left_out else ()) == left_out
    assert entry["uid"] == "maths@example.com"
    assert entry["dtstamp"].dt == NOW.replace(microsecond=0)


def test_identities_do_not_depend_on_other_events():
    rows = [*weekly(range(1, 9)), *weekly(range(1, 9), (3,), 4)]
    assert [entry["uid"] for entry in entries(write_calendar(one_event(rows), NOW, "en"))] == [
        "maths@example.com",
        "maths@example.com-2",
    ]
    named = Records(one_event([]).term, (Event(7, "task", "x"),), (Row(7, 1, 1, 1),))
    assert entries(write_calendar(named, NOW, "en"))[0]["uid"] == "7@steadyhand"


def test_only_the_asked_weeks_are_written():
    (entry,) = entries(write_calendar(one_event(weekly(range(1, 17))), NOW, "en", frozenset({3, 4})))
    assert entry["rrule"]["count"] == [2]
    assert entry["dtstart"].dt.date() == date(2026, 9, 21)


def test_the_zone_is_described_with_its_changes():
    data = write_calendar(one_event(weekly(range(1, 17)), "Europe/Berlin"), NOW, "en")
    (zone,) = icalendar.Calendar.from_ical(data).walk("VTIMEZONE")
    changes = [(part.name, part["dtstart"].dt.isoformat()) for part in zone.subcomponents]
    assert changes == [("DAYLIGHT", "2026-08-31T02:00:00"), ("STANDARD", "2026-10-25T03:00:00")]
    assert b"TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100" in data


def test_cells_that_a_spreadsheet_would_compute_are_guarded():
    events = tuple(Event(n, "course", name) for n, name in enumerate(["=1+1", "+1", "-1", "@x", "'=1", "plain"], 1))
    records = Records(one_event([]).term, events, tuple(Row(n, 1, n, 1) for n in range(1, 7)))
    for table in (write_courses(records, "en"), write_placements(records, "zh-CN")):
        rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"))))
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
        assert any("plain" in row for row in rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_guarded_names_places_and_teachers_are_read_back_as_they_were(language):
    names = ["=1+1", "+1", "-1", "@x", "'=1", "''+x", "'plain", "plain"]
    events = tuple(Event(n, "course", name) for n, name in enumerate(names, 1))
    rows = tuple(Row(n, 1, 1, n, None, Particulars(location=name, teacher=name)) for n, name in enumerate(names, 1))
    records = Records(one_event([]).term, events, rows)
    found = read_table(write_courses(records, language), records.term.weeks).fitted(records.term).events
    places = [(event.name, event.rows[0].particulars.location, event.rows[0].particulars.teacher) for event in found]
    assert places == [(name, name, name) for name in names]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("weeks", [None, frozenset({3})])
def test_exported_placements_are_refused_by_name_and_do_not_become_courses(language, weeks):
    records = one_event(weekly(range(1, 17)))
    data = write_placements(records, language, weeks)
    with pytest.raises(ModelCanFix, match="import_placements"):
        read_table(data)
    with pytest.raises(ModelCanFix, match="import_placements"):
        read_tasks(data.replace(b",", b";"), records.term, "x")


def test_placements_stand_in_time_order_with_their_category_and_host():
    records = Records(
        one_event([]).term,
        (Event(1, "course", "思政", can_embed=True), Event(2, "task", "第一章", item_id=5)),
        (Row(1, 1, 1, 1), Row(1, 1, 1, 2), Row(2, 1, 1, 2, 1), Row(2, 2, 3, 4, None, Particulars(650, 695, "B2", "甲师"))),
        (TaskClass(9, "概率论"),),
        (TaskItem(5, 9, "第一章", 1),),
    )
    rows = list(csv.reader(io.StringIO(write_placements(records, "zh-CN").decode("utf-8-sig"))))
    assert rows[0] == ["周", "日期", "星期", "节次", "开始", "结束", "名称", "类型", "类别", "地点", "教师", "嵌入于"]
    assert [row[:8] for row in rows[1:]] == [
        ["1", "2026-09-07", "周一", "1-2", "08:00", "09:40", "思政", "课程"],
        ["1", "2026-09-07", "周一", "2", "08:55", "09:40", "第一章", "任务"],
        ["2", "2026-09-16", "周三", "4", "10:50", "11:35", "第一章", "任务"],
    ]
    assert rows[3][9:11] == ["B2", "甲师"]
    assert [(row[8], row[11]) for row in rows[1:]] == [("", ""), ("概率论", "思政"), ("概率论", "")]
