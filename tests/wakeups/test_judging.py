"""The missed rule, quiet hours, the pause and the most of a day are judged by code, before any model is asked."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.clock import local, to_text
from steadyhand.wakeups.judging import IN_TIME, Quiet, Rules, Run, Skip, Wait, judge, read_quiet, too_late
from store.ground import a_wakeup

ZONE = "Asia/Shanghai"
NINE = datetime(2026, 9, 7, 1, 0, tzinfo=UTC)
NIGHT = Quiet(23 * 60, 7 * 60)


def due(at=NINE, **columns):
    return a_wakeup("w", **{"due_at": to_text(at), "meant_at": to_text(at), "missed_rule": {"within": 3600}} | columns)


def verdict(row, now=NINE, rules=None, spoken=(), meant=None):
    return judge(row, meant or NINE, now, rules or Rules(), ZONE, spoken)


@pytest.mark.parametrize(
    ("rule", "late", "gone"),
    [
        ("run", timedelta(days=30), False),
        ("skip", IN_TIME, False),
        ("skip", timedelta(minutes=2), True),
        ({"within": 3600}, timedelta(minutes=59), False),
        ({"within": 3600}, timedelta(hours=1), True),
        ({"within": 3600}, -timedelta(hours=1), False),
    ],
)
def test_the_missed_rule_says_what_is_too_late(rule, late, gone):
    assert too_late(rule, late) is gone


def test_what_is_in_time_runs():
    assert verdict(due()) == Run()


def test_what_is_too_late_is_skipped_even_if_the_person_timed_it():
    assert verdict(due(exact=True), NINE + timedelta(hours=2)) == Skip("late")


def test_what_waited_by_a_rule_is_not_late_by_that():
    row = due(due_at=to_text(NINE + timedelta(hours=5)))
    assert verdict(row, NINE + timedelta(hours=5, seconds=2)) == Run()


def test_in_quiet_hours_it_waits_until_they_end():
    night = NINE + timedelta(hours=15)
    assert local(night, ZONE).hour == 0
    assert verdict(due(night), night, Rules(NIGHT), meant=night) == Wait(NINE + timedelta(hours=22))
    assert verdict(due(night, exact=True), night, Rules(NIGHT), meant=night) == Run()


def test_quiet_hours_are_off_unless_they_are_set():
    night = NINE + timedelta(hours=15)
    assert verdict(due(night), night, meant=night) == Run()


def test_between_two_messages_there_is_a_pause():
    assert verdict(due(), spoken=[NINE - timedelta(minutes=2)]) == Wait(NINE + timedelta(minutes=3))
    assert verdict(due(), spoken=[NINE - timedelta(minutes=5)]) == Run()
    assert verdict(due(exact=True), spoken=[NINE - timedelta(minutes=2)]) == Run()


def test_a_day_has_a_most_and_a_new_day_begins_at_the_persons_midnight():
    today = [NINE - timedelta(minutes=10 * (one + 1)) for one in range(12)]
    assert verdict(due(), spoken=today) == Skip("cap")
    assert verdict(due(), spoken=today[1:]) == Run()
    assert verdict(due(exact=True), spoken=today) == Run()
    tomorrow = NINE + timedelta(hours=16)
    assert verdict(due(tomorrow), tomorrow, spoken=today, meant=tomorrow) == Run()


def test_a_clock_that_was_set_back_does_not_make_anything_wait_for_days():
    assert verdict(due(), spoken=[NINE + timedelta(days=1)]) == Run()


@given(st.integers(0, 1439), st.integers(0, 1439), st.integers(0, 60 * 24 * 400))
def test_quiet_hours_end_when_they_are_said_to(begin, end, minutes):
    if begin == end:
        return
    now = NINE + timedelta(minutes=minutes)
    for zone in (ZONE, "Europe/Berlin"):
        until = Quiet(begin, end).ends(now, zone)
        if until is None:
            continue
        assert now < until <= now + timedelta(hours=25, minutes=15)
        shown = local(until, zone)
        assert (shown.hour * 60 + shown.minute - end) % 1440 <= 60


@pytest.mark.parametrize(
    ("text", "quiet"), [("", None), ("23-7", NIGHT), ("22:30-07:00", Quiet(1350, 420)), ("0-6", Quiet(0, 360))]
)
def test_quiet_hours_are_read(text, quiet):
    assert read_quiet(text) == quiet


@pytest.mark.parametrize("text", ["23", "7-7", "25-7", "a-b", "23:70-7"])
def test_quiet_hours_that_are_none_are_refused(text):
    with pytest.raises(ValueError, match=r".*"):
        read_quiet(text)
