"""Summer and winter clocks: the same slot has the clock time of its date, in files that come in and files that go out."""

from dataclasses import replace
from datetime import UTC, date, datetime

import icalendar
import pytest

from schedule_ground.desk import TERM, Desk
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.exports.calendar import write_calendar
from steadyhand.domains.schedule.exports.tables import write_placements
from steadyhand.domains.schedule.imports import reader
from steadyhand.domains.schedule.imports.events import CalendarEvent, Meeting
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.incoming import match
from steadyhand.domains.schedule.rows.forms import term_of, term_row
from steadyhand.domains.schedule.rows.writes import put
from steadyhand.domains.schedule.term.records import DEFAULT_SLOTS, Event, Records, Row, Season, Term, TimeScale
from steadyhand.domains.schedule.term.terms import MAX_SEASONS, Wish, changed_term, drop_season, put_season
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.time_words.resolve import resolve_time
from steadyhand.gate.contract import Refusal

LATER = TimeScale("winter", tuple((f"{int(a[:2]) + 1:02d}{a[2:]}", f"{int(b[:2]) + 1:02d}{b[2:]}") for a, b in DEFAULT_SLOTS))
CHANGE = date(2026, 9, 23)
"""Wednesday of week 3."""
SEASONAL = replace(TERM, seasons=(Season(CHANGE, LATER),))
COURSE = Records(SEASONAL, (Event(1, "course", "课"),), tuple(Row(1, week, 3, slot) for week in (1, 2, 3, 4) for slot in (1, 2)))


def meeting(day, begin, end):
    return Meeting(datetime.fromisoformat(f"{day}T{begin}"), datetime.fromisoformat(f"{day}T{end}"))


def test_each_day_has_the_scale_of_its_season():
    assert SEASONAL.scale_of(3, 2) == TERM.scale
    assert SEASONAL.scale_of(3, 3) == SEASONAL.scale_of(4, 7) == LATER
    assert TERM.scale_of(3, 3) == TERM.scale


def test_a_meeting_takes_the_slots_of_its_date():
    early, late = meeting("2026-09-16", "09:00", "09:40"), meeting("2026-09-23", "09:00", "09:45")
    fitted = fit([CalendarEvent("a", "课", (early, late))], SEASONAL)
    assert [row.cell for row in fitted.events[0].rows] == [(2, 3, 2), (3, 3, 1)]


def test_a_series_is_cut_where_the_clock_changes_and_comes_back_whole():
    written = write_calendar(COURSE, datetime(2026, 9, 1, tzinfo=UTC), "zh-CN")
    starts = [entry.decoded("dtstart").strftime("%m-%d %H:%M") for entry in icalendar.Calendar.from_ical(written).walk("VEVENT")]
    assert starts == ["09-09 08:00", "09-23 09:00"]
    span = SEASONAL.first_monday, SEASONAL.date_of(4, 7)
    again = fit(reader.read(written, SEASONAL.zone, span).events, SEASONAL)
    assert match(replace(COURSE, events=(replace(COURSE.events[0], uid=again.events[0].uid),)), again.events).unchanged


def test_a_table_of_placements_has_the_clock_of_each_date():
    lines = write_placements(COURSE, "en").decode("utf-8-sig").splitlines()
    assert [line.split(",")[4] for line in lines[1:]] == ["08:00", "08:00", "09:00", "09:00"]


def test_words_for_a_time_mean_the_slots_of_their_date():
    window = Window(1, 1, 28, 12)
    now = datetime(2026, 9, 7, 4, 0, tzinfo=UTC)
    found = [resolve_time(text, window=window, term=SEASONAL, now=now, language="zh-CN") for text in ("9月16日9点", "9月23日9点")]
    assert [answer.readings[0][0].slot_start for answer in found] == [2, 1]


def test_seasons_are_put_in_order_replaced_and_taken_away():
    winter = put_season(TERM, date(2026, 9, 20), LATER)
    both = put_season(winter, date(2026, 9, 10), TERM.scale)
    assert [season.begins.day for season in both.seasons] == [10, 20]
    assert put_season(both, date(2026, 9, 20), LATER) == both
    assert drop_season(drop_season(both, date(2026, 9, 10)), date(2026, 9, 20)) == TERM


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("season_outside", lambda: put_season(TERM, date(2026, 8, 1), LATER)),
        ("season_of_other_length", lambda: put_season(TERM, CHANGE, TimeScale("short", DEFAULT_SLOTS[:3]))),
        ("season_missing", lambda: drop_season(TERM, CHANGE)),
    ],
)
def test_a_season_that_cannot_be_is_refused(code, act):
    with pytest.raises(ToolRefusal) as refused:
        act()
    assert refused.value.code == code


def test_there_is_an_end_to_seasons():
    term = TERM
    for day in range(MAX_SEASONS):
        term = put_season(term, date(2026, 9, 7 + day), LATER)
    with pytest.raises(ToolRefusal) as refused:
        put_season(term, date(2026, 9, 30), LATER)
    assert refused.value.code == "seasons_too_many"


def test_a_new_number_of_slots_ends_the_seasons_that_have_another():
    assert changed_term(SEASONAL, Wish(slots=DEFAULT_SLOTS[:3])).seasons == ()
    assert changed_term(SEASONAL, Wish(weeks=5)).seasons == SEASONAL.seasons


def test_a_term_comes_back_from_its_row_with_its_seasons():
    assert term_of(term_row(SEASONAL)) == SEASONAL


def test_a_season_passes_the_gate(desk: Desk) -> None:
    desk.done(acts.put_term(SEASONAL, TERM))
    assert desk.records().term == SEASONAL


@pytest.mark.parametrize(
    "seasons",
    [
        "x",
        [["2026-09-23", "winter"]],
        [["2026-9-23", "winter", [["08:00", "08:45"]] * 1]],
        [["2026-09-23", "winter", [["08:00", "08:45"]]]],
        [["2026-09-24", "b", list(map(list, DEFAULT_SLOTS))], ["2026-09-23", "a", list(map(list, DEFAULT_SLOTS))]],
    ],
)
def test_malformed_seasons_are_no_operation(desk: Desk, seasons) -> None:
    found = desk.act([put("terms", {**term_row(TERM), "seasons": seasons})])
    assert "operation_malformed" in str(found.code if isinstance(found, Refusal) else found.reason)


def test_a_term_without_seasons_is_as_it_was():
    assert Term(1, "秋", "UTC", date(2026, 9, 7), 4).scale_on(date(2030, 1, 1)).slots == DEFAULT_SLOTS
