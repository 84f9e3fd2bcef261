"""Meetings take the sections of the term that they mean; what does not fit is asked about with its times, never invented."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.domains.schedule.imports.events import CalendarEvent, Meeting
from steadyhand.domains.schedule.imports.fit import TOLERANCE, fit, sections_at
from steadyhand.domains.schedule.term.records import DEFAULT_SLOTS, Particulars, Term, TimeScale, clock_of, minutes_of

MONDAY = date(2026, 9, 7)
TERM = Term(1, "秋", "Asia/Shanghai", MONDAY, 16)


def meeting(begin, end, week=1, day=1, days_later=0, **more):
    on = MONDAY + timedelta(weeks=week - 1, days=day - 1)
    start = datetime.combine(on, time.fromisoformat(begin))
    return Meeting(start, datetime.combine(on + timedelta(days=days_later), time.fromisoformat(end)), **more)


def course(*meetings, uid="c", name="课", **given):
    return CalendarEvent(uid, name, tuple(meetings), **given)


def weekly(begin="08:00", end="09:40", weeks=range(1, 17), day=1, **more):
    return [meeting(begin, end, week, day, **more) for week in weeks]


def told(fitted, verdict):
    return [(entry.code, dict(entry.params)) for entry in fitted.entries if entry.verdict == verdict]


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("08:00", "08:45", (1, 1)),
        ("08:00", "09:40", (1, 2)),
        ("08:00", "09:35", (1, 2)),
        ("08:20", "09:20", (1, 2)),
        ("08:21", "09:40", None),
        ("08:00", "10:01", None),
        ("10:10", "11:50", (3, 4)),
        ("08:00", "11:40", (1, 4)),
        ("14:00", "17:35", (5, 8)),
        ("08:00", "22:30", (1, 12)),
        ("21:45", "22:50", (12, 12)),
        ("09:40", "10:00", None),
        ("12:00", "13:40", None),
        ("18:30", "20:10", None),
        ("06:00", "07:00", None),
        ("22:40", "23:59", None),
    ],
)
def test_a_meeting_takes_the_nearest_sections_within_the_tolerance(begin, end, expected):
    assert sections_at(TimeScale(), minutes_of(begin), minutes_of(end)) == expected


@given(st.integers(0, 1440), st.integers(0, 1440), st.integers(0, 60))
def test_no_section_is_ever_invented(start, end, tolerance):
    found = sections_at(TimeScale(), start, end, tolerance)
    if found is not None:
        first, last = found
        assert 1 <= first <= last <= len(DEFAULT_SLOTS)
        assert abs(minutes_of(DEFAULT_SLOTS[first - 1][0]) - start) <= tolerance
        assert abs(minutes_of(DEFAULT_SLOTS[last - 1][1]) - end) <= tolerance


@given(st.integers(1, 12), st.integers(1, 12))
def test_the_times_of_sections_give_these_sections(first, last):
    first, last = sorted((first, last))
    slots = TimeScale().slots
    assert sections_at(TimeScale(), minutes_of(slots[first - 1][0]), minutes_of(slots[last - 1][1])) == (first, last)


@given(st.integers(0, 1440))
def test_clock_times_are_read_as_they_are_written(minutes):
    assert minutes_of(clock_of(minutes)) == minutes


def test_a_weekly_event_is_a_course_with_a_rule_in_words():
    fitted = fit([course(*weekly(weeks=range(1, 17, 2), location="教一", teacher="王"))], TERM)
    (event,) = fitted.events
    assert (event.kind, event.rule) == ("course", "1-15 odd")
    assert {row.particulars for row in event.rows} == {Particulars(480, 580, "教一", "王")}
    assert [row.cell for row in event.rows[:4]] == [(1, 1, 1), (1, 1, 2), (3, 1, 1), (3, 1, 2)]
    assert event.can_embed is None


def test_a_single_event_is_a_task_and_its_like_in_other_weeks_make_it_a_course():
    lone = course(meeting("19:00", "20:40", 6, 3), uid="talk", name="讲座")
    parts = [course(one, uid=f"p{n}") for n, one in enumerate(weekly(weeks=(1, 2, 3)))]
    assert {event.uid: event.kind for event in fit([lone, *parts], TERM).events} == {
        "talk": "task", "p0": "course", "p1": "course", "p2": "course",
    }  # fmt: skip


def test_the_caller_decides_the_kind_of_a_whole_file():
    both = [course(*weekly(), uid="w"), course(meeting("08:00", "09:40", 1, 2), uid="s")]
    assert {event.kind for event in fit(both, TERM, kinds="task").events} == {"task"}
    assert {event.kind for event in fit(both, TERM, kinds="course").events} == {"course"}


def test_a_time_outside_the_scale_is_one_question_with_its_times():
    fitted = fit([course(*weekly("18:30", "20:10"), meeting("08:00", "09:40", 2, 2))], TERM)
    assert told(fitted, "asked") == [
        ("time_outside_scale", {"name": "课", "begin": "18:30", "end": "20:10", "date": "2026-09-07", "count": 16})
    ]
    assert [row.cell for row in fitted.events[0].rows] == [(2, 2, 1), (2, 2, 2)]


def test_thirteen_sections_never_become_more_than_twelve():
    fitted = fit([course(meeting("08:00", "23:25")), course(meeting("22:40", "23:25"), uid="d")], TERM)
    assert fitted.events == ()
    assert [code for code, _ in told(fitted, "asked")] == ["time_outside_scale"] * 2


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (meeting("22:00", "01:00", days_later=1), "overnight"),
        (meeting("08:00", "09:40", days_later=2), "overnight"),
        (meeting("08:00", "08:00"), "no_duration"),
        (meeting("00:00", "00:00"), "no_duration"),
    ],
)
def test_meetings_over_midnight_or_without_duration_are_asked_about(one, code):
    fitted = fit([course(one)], TERM)
    assert (fitted.events, [asked for asked, _ in told(fitted, "asked")]) == ((), [code])


def test_a_meeting_that_ends_at_midnight_ends_on_its_day():
    late = Term(1, "t", "Asia/Shanghai", MONDAY, 2, TimeScale("late", (("22:00", "24:00"),)))
    assert [row.cell for row in fit([course(meeting("22:00", "00:00", days_later=1))], late).events[0].rows] == [(1, 1, 1)]


def test_meetings_outside_the_term_are_told_and_the_others_kept():
    fitted = fit([course(*weekly(weeks=range(15, 19)))], TERM)
    assert {row.week for row in fitted.events[0].rows} == {15, 16}
    assert told(fitted, "dropped") == [("outside_term", {"name": "课", "date": "2026-12-28"})]


def test_a_time_that_is_not_exact_is_said_once():
    fitted = fit([course(*weekly("08:05", "09:35"))], TERM)
    expected = {"name": "课", "begin": "08:05", "end": "09:35", "sections": "1-2", "count": 16}
    assert told(fitted, "changed") == [("time_fitted", expected)]


def test_of_two_events_in_one_place_the_first_stays_and_the_other_is_asked_about():
    fitted = fit([course(*weekly(), uid="a", name="甲"), course(*weekly("08:55", "10:45"), uid="b", name="乙")], TERM)
    assert [event.uid for event in fitted.events] == ["a"]
    assert told(fitted, "asked") == [("overlap", {"name": "乙", "other": "甲", "weeks": "1-16", "day": 1, "sections": "2-3"})]


def test_sections_that_are_taken_already_are_asked_about():
    fitted = fit([course(*weekly(weeks=(1, 2)))], TERM, taken={(2, 1, 2): "旧课"})
    assert {row.week for row in fitted.events[0].rows} == {1}
    assert told(fitted, "asked")[0][1]["other"] == "旧课"


def test_a_task_inside_a_course_that_allows_it_becomes_its_guest():
    host = course(*weekly(), uid="host", kind="course", can_embed=True)
    guest = course(meeting("08:00", "08:45"), uid="guest", name="作业", kind="task")
    second = course(meeting("08:00", "09:40"), uid="second", name="第二", kind="task")
    fitted = fit([guest, host, second], TERM)
    assert [(event.uid, event.rows[0].host_uid) for event in fitted.events] == [("guest", "host"), ("host", "")]
    assert told(fitted, "asked")[0][1]["name"] == "第二"


def test_a_task_that_only_partly_lies_in_a_host_is_asked_about():
    host = course(*weekly(), uid="host", kind="course", can_embed=True)
    partly = course(meeting("08:55", "10:45"), uid="partly", kind="task")
    assert [event.uid for event in fit([host, partly], TERM).events] == ["host"]


@given(
    st.lists(
        st.tuples(st.integers(1, 18), st.integers(1, 7), st.integers(0, 23 * 60), st.integers(1, 500), st.booleans()),
        max_size=30,
    )
)
def test_every_meeting_is_kept_asked_or_dropped_and_no_cell_is_taken_twice(given_meetings):
    events = []
    for number, (week, day, start, length, embeds) in enumerate(given_meetings):
        begin = datetime.combine(MONDAY, time()) + timedelta(weeks=week - 1, days=day - 1, minutes=start)
        one = Meeting(begin, begin + timedelta(minutes=length))
        events.append(CalendarEvent(f"u{number}", f"n{number}", (one,), kind="course" if embeds else "", can_embed=embeds))
    fitted = fit(events, TERM)
    spoken = {entry.params["name"] for entry in fitted.entries}
    assert spoken == {event.name for event in events}
    cells = [row.cell for event in fitted.events for row in event.rows if not row.host_uid]
    assert len(cells) == len(set(cells))
    assert all(1 <= row.section <= 12 and 1 <= row.week <= 16 for event in fitted.events for row in event.rows)


def test_the_tolerance_is_the_callers():
    late = course(meeting("08:30", "09:40"))
    assert fit([late], TERM).events == ()
    assert len(fit([late], TERM, tolerance=TOLERANCE + 10).events) == 1
