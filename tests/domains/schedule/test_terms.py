"""Terms from wishes and suggestions, default windows, and what a file says of itself."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.imports.detecting import kind_of
from steadyhand.domains.schedule.imports.reader import read
from steadyhand.domains.schedule.term.records import Event, Records, Row, Term
from steadyhand.domains.schedule.term.terms import Suggestion, Wish, changed_term, is_another, need_room, new_term, number_of
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.term.windows import default_window, whole_term

MONDAY = date(2026, 9, 7)
FILE = Suggestion(MONDAY, 18, "Asia/Shanghai", "Autumn")
TERM = Term(20260907, "Autumn", "Asia/Shanghai", MONDAY, 18)


def test_where_nobody_says_anything_the_suggestion_holds() -> None:
    assert new_term(Wish(), FILE) == TERM


def test_what_a_person_says_holds_over_the_suggestion() -> None:
    slots = (("09:00", "10:00"), ("10:00", "11:00"))
    term = new_term(Wish(date(2026, 9, 16), 10, "Europe/Paris", slots, "Mine"), FILE)
    assert (term.first_monday, term.weeks, term.zone, term.name) == (date(2026, 9, 14), 10, "Europe/Paris", "Mine")
    assert term.scale.slots == slots


def test_a_later_start_ends_with_the_same_week() -> None:
    assert new_term(Wish(date(2026, 9, 21)), FILE).weeks == 16


def test_without_a_start_there_is_no_term() -> None:
    with pytest.raises(ToolRefusal, match="term_start_needed"):
        new_term(Wish(), Suggestion(None, 20, "UTC"))


@settings(max_examples=100, deadline=None)
@given(st.dates(date(2020, 1, 1), date(2040, 1, 1)))
def test_the_same_week_is_the_same_term(day: date) -> None:
    term = new_term(Wish(day), FILE)
    assert term.first_monday.isoweekday() == 1
    assert 0 <= (day - term.first_monday).days < 7
    assert term.id == number_of(term.first_monday)
    assert not is_another(term, Wish(day))
    assert is_another(term, Wish(day + timedelta(days=7)))


def test_a_stored_term_keeps_what_nobody_changes() -> None:
    assert changed_term(TERM, Wish(MONDAY, name="Other")) == Term(20260907, "Other", "Asia/Shanghai", MONDAY, 18)
    assert changed_term(TERM, Wish(slots=TERM.scale.slots)) == TERM


def test_a_term_that_would_cut_something_off_is_refused() -> None:
    records = Records(TERM, (Event(1, "course", "Maths"),), (Row(1, 18, 1, 12),))
    need_room(records, TERM)
    for small in (changed_term(TERM, Wish(weeks=17)), changed_term(TERM, Wish(slots=TERM.scale.slots[:11]))):
        with pytest.raises(ToolRefusal, match="term_too_small"):
            need_room(records, small)


@settings(max_examples=100, deadline=None)
@given(st.dates(date(2026, 8, 1), date(2027, 3, 1)))
def test_a_draft_opens_from_today_inside_the_term_and_for_all_of_it_outside(today: date) -> None:
    window = default_window(TERM, today)
    last = TERM.date_of(*window.week_of(window.total_days))
    assert last == TERM.date_of(18, 7)
    if TERM.week_of(today) is None:
        assert window == whole_term(TERM)
    else:
        assert TERM.date_of(window.first_week, window.first_day_of_week) == today


def test_the_last_day_of_a_term_is_a_window_of_one_day() -> None:
    assert default_window(TERM, date(2027, 1, 10)) == Window(18, 7, 1)


CALENDAR = b"BEGIN:VCALENDAR\r\nX-WR-CALNAME:Autumn\\, first\r\nX-WR-TIMEZONE:Europe/Paris\r\nBEGIN:VEVENT\r\n"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (CALENDAR, "calendar"),
        (b"\xef\xbb\xbfBEGIN:VCALENDAR\n", "calendar"),
        (CALENDAR.decode().encode("utf-16"), "calendar"),
        (b"begin:vcalendar\nbegin:vevent\n", "calendar"),
        ("名称,星期,节次\n".encode(), "table"),
        (b"", "table"),
        (b"My notes about BEGIN:VEVENT\n", "table"),
    ],
)
def test_a_file_is_known_by_its_content(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    ("lines", "zone"),
    [
        (b"DTSTART;TZID=Asia/Shanghai:20260907T080000\r\n", "Asia/Shanghai"),
        (b'DTSTART;VALUE=DATE-TIME;TZID="Asia/Tokyo":20260907T080000\r\n', "Asia/Tokyo"),
        (b"DTSTART;TZID=Asia/Shang\r\n hai:20260907T080000\r\n", "Asia/Shanghai"),
        (b"DTSTART;TZID=China Standard Time:20260907T080000\r\n", "Asia/Shanghai"),
        (b"DTSTART;TZID=Nowhere:20260907T080000\r\n", "Europe/Paris"),
        (b"DTSTART;TZID=../../etc/passwd:20260907T080000\r\n", "Europe/Paris"),
        (b"DTSTART:20260907T080000Z\r\n", "Europe/Paris"),
    ],
)
def test_the_zone_is_the_one_most_events_begin_in_else_the_files_own(lines: bytes, zone: str) -> None:
    assert read(CALENDAR + lines, "America/Lima", own_zone=True).zone == zone
    assert read(b"BEGIN:VEVENT\r\nDTSTART:20260907T080000Z\r\n", "America/Lima", own_zone=True).zone == "America/Lima"
    assert read(CALENDAR + lines, "America/Lima").zone == "America/Lima"


def test_the_name_is_the_calendars_own() -> None:
    assert read(CALENDAR, "UTC").name == "Autumn, first"
    assert read(b"BEGIN:VEVENT\r\n", "UTC").name == ""
    assert read("X-WR-CALNAME:秋季学期\r\nBEGIN:VEVENT\r\n".encode("gb18030"), "UTC").name == "秋季学期"
