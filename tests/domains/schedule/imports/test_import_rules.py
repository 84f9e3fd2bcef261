"""A recurrence rule gives the days that it means inside the term, in a bounded number of steps."""

from datetime import date, datetime, time, timedelta

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.domains.schedule.imports.report import Dropped
from steadyhand.domains.schedule.imports.rules import MAX_STEPS, OWN_STEPS, Budget, days_of, read_rule

SPAN = (date(2026, 9, 7), date(2027, 1, 10))
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def morning(year, month, day):
    return datetime.combine(date(year, month, day), time(8))


def days(text, start, span=SPAN, budget=None):
    rule = read_rule(text, start)
    until = rule.until.date() if isinstance(rule.until, datetime) else rule.until
    return days_of(rule, start.date(), until, span, budget or Budget())


def lists(of, most=3):
    return st.lists(of, min_size=1, max_size=most, unique=True).map(lambda values: ",".join(map(str, values)))


@st.composite
def rules(draw):
    """A rule that dateutil follows too; plain and numbered weekdays are not mixed, and positions stay
    within months, since dateutil reads a mixture, and the first week of a series, in its own way."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = {"FREQ": frequency, "INTERVAL": draw(st.integers(1, 5))}
    if draw(st.booleans()):
        parts["BYMONTH"] = draw(lists(st.integers(1, 12)))
    if frequency != "WEEKLY" and draw(st.booleans()):
        parts["BYMONTHDAY"] = draw(lists(st.integers(-31, 31).filter(bool)))
    if frequency == "YEARLY" and draw(st.booleans()):
        parts["BYYEARDAY"] = draw(lists(st.integers(-366, 366).filter(bool)))
    if draw(st.booleans()):
        numbered = frequency in {"MONTHLY", "YEARLY"} and draw(st.booleans())
        day = st.sampled_from(DAYS)
        parts["BYDAY"] = draw(lists(st.builds("{}{}".format, st.sampled_from([1, 2, 4, -1, -2]), day) if numbered else day))
    if len(parts) > 2 and frequency == "MONTHLY" and draw(st.booleans()):
        parts["BYSETPOS"] = draw(lists(st.sampled_from([1, 2, -1]), 2))
    if draw(st.booleans()):
        parts["WKST"] = draw(st.sampled_from(DAYS))
    if draw(st.booleans()):
        parts["COUNT"] = draw(st.integers(1, 40))
    else:
        parts["UNTIL"] = f"{draw(st.dates(date(2026, 1, 1), date(2027, 6, 1))):%Y%m%d}T235959"
    return ";".join(f"{name}={value}" for name, value in parts.items())


@settings(max_examples=150, deadline=None)
@given(rules(), st.dates(date(2024, 1, 1), date(2026, 12, 31)))
def test_days_are_those_that_an_independent_reading_of_the_standard_gives(text, day):
    start = datetime.combine(day, time(8))
    expected = []
    for found in rrulestr(text, dtstart=start):
        if found.date() > SPAN[1]:
            break
        if found.date() >= SPAN[0]:
            expected.append(found.date())
    assert list(days(text, start).found) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "FREQ",
                    "INTERVAL",
                    "COUNT",
                    "UNTIL",
                    "WKST",
                    "BYDAY",
                    "BYMONTH",
                    "BYMONTHDAY",
                    "BYYEARDAY",
                    "BYSETPOS",
                    "BYHOUR",
                    "BYMINUTE",
                    "BYWEEKNO",
                    "X-NONE",
                ]
            ),
            st.one_of(
                st.sampled_from(
                    ["DAILY", "WEEKLY", "MONTHLY", "YEARLY", "SECONDLY", "HOURLY", "MO", "5TU", "-53SU", "99991231T235959Z"]
                ),
                st.integers(-400, 400).map(str),
                st.integers(10**6, 10**12).map(str),
                st.text(max_size=5),
            ),
        ),
        max_size=6,
    ),
    st.dates(date(1900, 1, 1), date(2199, 12, 31)),
)
def test_any_rule_at_all_is_answered_within_its_steps(parts, day):
    text = ";".join(f"{name}={value}" for name, value in parts)
    budget = Budget()
    budget.begin()
    try:
        found = days(text, datetime.combine(day, time(8)), budget=budget).found
    except Dropped:
        found = ()
    assert budget.taken <= MAX_STEPS + 400
    assert all(SPAN[0] <= one <= SPAN[1] for one in found)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("FREQ=WEEKLY;INTERVAL=0", "rule_interval"),
        ("FREQ=WEEKLY;INTERVAL=-2", "rule_interval"),
        ("FREQ=SECONDLY", "rule_too_fine"),
        ("FREQ=MINUTELY;COUNT=5", "rule_too_fine"),
        ("FREQ=HOURLY", "rule_too_fine"),
        ("FREQ=DAILY;BYHOUR=8,9", "rule_dense"),
        ("FREQ=DAILY;BYMONTHDAY=" + ",".join(["1"] * 3000), "rule_dense"),
        ("FREQ=DAILY;BYHOUR=9", "rule_part"),
        ("FREQ=YEARLY;BYWEEKNO=20", "rule_part"),
        ("FREQ=WEEKLY;BYDAY=2MO", "rule_part"),
        ("FREQ=WEEKLY;COUNT=0", "rule_unreadable"),
        ("FREQ=MONTHLY;BYDAY=0MO", "rule_unreadable"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "rule_unreadable"),
        ("FREQ=DAILY;UNTIL=20261399", "rule_unreadable"),
        ("COUNT=3", "rule_unreadable"),
        ("", "rule_unreadable"),
        ("garbage", "rule_unreadable"),
    ],
)
def test_rules_that_are_not_followed_say_why(text, code):
    with pytest.raises(Dropped) as refused:
        read_rule(text, morning(2026, 9, 7))
    assert refused.value.code == code


def test_a_count_from_long_ago_is_given_up_after_its_steps():
    budget = Budget()
    with pytest.raises(Dropped, match="rule_too_long"):
        days("FREQ=DAILY;COUNT=2000000000", morning(1900, 1, 1), (date(2199, 1, 1), date(2199, 2, 1)), budget)
    assert budget.taken <= MAX_STEPS + 400


def test_an_endless_rule_from_long_ago_costs_no_more_than_the_term():
    budget = Budget()
    found = days("FREQ=DAILY;UNTIL=99991231T235959Z", morning(1900, 1, 1), budget=budget)
    assert len(found.found) == (SPAN[1] - SPAN[0]).days + 1
    assert (found.before, found.after) == (True, True)
    assert budget.taken <= 2 * len(found.found)


def test_a_rule_that_never_happens_ends():
    assert days("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", morning(2026, 9, 7)).found == ()


def test_the_own_steps_of_an_event_cannot_be_taken_by_another():
    budget = Budget(shared=0)
    with pytest.raises(Dropped):
        days("FREQ=DAILY;COUNT=100000", morning(2000, 1, 1), budget=budget)
    budget.begin()
    assert len(days("FREQ=WEEKLY;COUNT=16", morning(2026, 9, 7), budget=budget).found) == 16
    assert budget.own < OWN_STEPS


def test_days_before_and_after_the_term_are_told():
    weekly = days("FREQ=WEEKLY;COUNT=60", morning(2026, 8, 31))
    assert (len(weekly.found), weekly.before, weekly.after) == (18, True, True)
    inside = days("FREQ=WEEKLY;COUNT=16", morning(2026, 9, 7))
    assert (inside.found[0], inside.found[-1]) == (date(2026, 9, 7), date(2026, 9, 7) + timedelta(weeks=15))
    assert (inside.before, inside.after) == (False, False)
