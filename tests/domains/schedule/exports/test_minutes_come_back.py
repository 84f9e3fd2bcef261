"""Whatever kind of file a meeting came from, exports give its minutes back; where the file had none, those of the scale, and none are stored."""

import csv
import io
from datetime import UTC, date, datetime, time, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.domains.schedule.exports.calendar import write_calendar
from steadyhand.domains.schedule.exports.tables import write_placements
from steadyhand.domains.schedule.imports import reader
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.lesson_file import LessonFile
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.tables import read_table
from steadyhand.domains.schedule.term.records import DEFAULT_SLOTS, Event, Records, Row, Term, TimeScale, clock_of, minutes_of

TERM = Term(1, "autumn", "Asia/Shanghai", date(2026, 9, 7), 4)
SPAN = (TERM.first_monday, TERM.date_of(4, 7))
NOW = datetime(2026, 9, 1, tzinfo=UTC)
EARLY = TimeScale("early", tuple((clock_of(minutes_of(a) - 10), clock_of(minutes_of(b) - 15)) for a, b in DEFAULT_SLOTS))
"""A school's own scale, other than the term's in every minute."""


@st.composite
def times(draw):
    """The day, slots and minutes of a weekly meeting that is read as these slots."""
    first = draw(st.integers(1, 12))
    last = draw(st.integers(first, min(12, first + 3)))
    begin, end = minutes_of(DEFAULT_SLOTS[first - 1][0]), minutes_of(DEFAULT_SLOTS[last - 1][1])
    return draw(st.integers(1, 7)), (first, last), (begin + draw(st.integers(-20, 20)), end + draw(st.integers(-20, 20)))


def stored(fitted):
    """Return the timetable that an import of this leaves."""
    (event,) = fitted.events
    rows = tuple(Row(1, *row.cell, None, row.particulars) for row in event.rows)
    return Records(TERM, (Event(1, event.kind, event.name, uid=event.uid),), rows)


def from_calendar(day, minutes):
    on = datetime.combine(TERM.date_of(1, day), time())
    begin, end = (f"{on + timedelta(minutes=some):%Y%m%dT%H%M%S}" for some in minutes)
    lines = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", "SUMMARY:Logic", f"DTSTART;TZID=Asia/Shanghai:{begin}"]
    lines += [f"DTEND;TZID=Asia/Shanghai:{end}", "RRULE:FREQ=WEEKLY;COUNT=4", "END:VEVENT", "END:VCALENDAR", ""]
    return fit(reader.read("\r\n".join(lines).encode(), TERM.zone, SPAN).events, TERM)


def from_table(day, minutes):
    begin, end = map(clock_of, minutes)
    table = f"课程名,星期,开始时间,结束时间,地点,周次\nLogic,{day},{begin},{end},A1,1-4\n"
    return read_table(table.encode(), TERM.weeks).fitted(TERM)


def written(records):
    """Return the clock times of every meeting in a table and in a calendar that were written."""
    rows = list(csv.reader(io.StringIO(write_placements(records, "en").decode("utf-8-sig"))))[1:]
    found = reader.read(write_calendar(records, NOW, "en"), TERM.zone, SPAN).events
    meetings = [meeting for event in found for meeting in event.meetings]
    return {(row[4], row[5]) for row in rows} | {(f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in meetings}


@settings(max_examples=25, deadline=None)
@given(times())
def test_the_minutes_of_a_calendar_and_of_a_table_come_back(meeting):
    day, _, minutes = meeting
    for fitted in (from_calendar(day, minutes), from_table(day, minutes)):
        records = stored(fitted)
        assert {(row.particulars.begins, row.particulars.ends) for row in records.rows} == {minutes}
        assert written(records) == {tuple(map(clock_of, minutes))}


@settings(max_examples=15, deadline=None)
@given(times())
def test_the_minutes_of_a_file_s_own_scale_come_back_and_none_are_made_up(meeting):
    day, (first, last), _ = meeting
    lesson = Lesson("Logic", day, first, last, frozenset({1, 2, 3, 4}))
    by_scale = stored(LessonFile("school", 4, (lesson,), slots=EARLY.slots).fitted(TERM))
    assert written(by_scale) == {(EARLY.slots[first - 1][0], EARLY.slots[last - 1][1])}
    fitted = LessonFile("school", 4, (lesson,)).fitted(TERM)
    assert [entry.code for entry in fitted.entries if entry.verdict == "changed"] == ["times_of_scale"]
    records = stored(fitted)
    assert {row.particulars.clock for row in records.rows} == {None}
    assert written(records) == {(DEFAULT_SLOTS[first - 1][0], DEFAULT_SLOTS[last - 1][1])}
