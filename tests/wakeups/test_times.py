"""A moment is the one that was meant, or is refused; a rhythm comes round once for each time that clocks show, and never drifts."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.wakeups.times import BadTime, Rhythm, read_cron, read_every, read_moment, rhythm_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ZONES = (
    "Asia/Shanghai",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "UTC",
)


def naive(*parts: int) -> datetime:
    return utc(*parts).replace(tzinfo=None)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]  # year, month, day …


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-03-02T08:00", utc(2026, 3, 2, 0)),
        ("2026-03-02 08:00:30", utc(2026, 3, 2, 0, 0, 30)),
        ("2026-03-02T08:00Z", utc(2026, 3, 2, 8)),
        ("2026-03-02T08:00+02:00", utc(2026, 3, 2, 6)),
        ("2026-03-02T08:00+0200", utc(2026, 3, 2, 6)),
        ("2026-03-02T08:00[Europe/Berlin]", utc(2026, 3, 2, 7)),
        ("2026-03-02 08:00 Europe/Berlin", utc(2026, 3, 2, 7)),
        ("2026-03-02T08:00+01:00[Europe/Berlin]", utc(2026, 3, 2, 7)),
    ],
)
def test_a_moment_is_read_in_its_zone_or_in_the_persons(text, at):
    assert read_moment(text, "Asia/Shanghai", NOW).at == at


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tomorrow", "unreadable"),
        ("2026-03-02", "unreadable"),
        ("2026-02-30T08:00", "unreadable"),
        ("2026-03-02T25:00", "unreadable"),
        ("2026-03-02T08:00 Europe/Atlantis", "zone"),
        ("2026-03-01T20:00", "past"),
        ("2026-03-01T12:00Z", "past"),
        ("9999-12-31T23:59-12:00", "unreadable"),
        ("2036-03-02T08:00", "far"),
        ("2026-03-29T02:30 Europe/Berlin", "gap"),
        ("2026-03-08T02:30 America/New_York", "gap"),
        ("", "unreadable"),
    ],
)
def test_what_is_no_moment_that_can_be_used_is_refused_and_says_why(text, why):
    with pytest.raises(BadTime) as refused:
        read_moment(text, "Asia/Shanghai", NOW)
    assert (refused.value.code, refused.value.params["why"]) == ("bad_time", why)


def test_of_a_time_that_comes_twice_the_first_is_taken_and_that_is_known():
    twice = read_moment("2026-10-25T02:30", "Europe/Berlin", NOW)
    assert (twice.at, twice.earlier) == (utc(2026, 10, 25, 0, 30), True)
    assert not read_moment("2026-10-25T03:30", "Europe/Berlin", NOW).earlier


@given(st.datetimes(naive(2026, 3, 2), naive(2030, 1, 1)), st.sampled_from(ZONES))
@settings(max_examples=150)
def test_clocks_show_what_was_written_or_it_is_refused(shown, zone):
    local = shown.replace(second=0, microsecond=0)
    try:
        found = read_moment(f"{local:%Y-%m-%dT%H:%M}", zone, NOW)
    except BadTime as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert refused.params["why"] == "gap"
        there = local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).astimezone(ZoneInfo(zone))
        assert there.replace(tzinfo=None) != local
        return
    assert found.at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == local


# --- rhythms ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "5", "30s", "-5m", "0h", "2 weeks", "99999999d", "1.5h"])
def test_a_span_that_is_none_is_refused(text):
    with pytest.raises(BadTime):
        read_every(text, "UTC")


@pytest.mark.parametrize("text", ["", "@daily", "* * * *", "* * * * * *", "61 * * * *", "0 0 31 2 *", "a b c d e"])
def test_an_expression_that_never_comes_or_has_not_five_fields_is_refused(text):
    with pytest.raises(BadTime):
        read_cron(text, "UTC", NOW)


def test_a_zone_that_is_none_is_refused():
    with pytest.raises(BadTime):
        read_cron("0 9 * * *", "Europe/Atlantis", NOW)


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("2h", 7200), ("1D", 86400), (" 60 s ", 60)])
def test_a_span_is_read(text, seconds):
    assert read_every(text, "UTC").seconds == seconds


def test_a_rhythm_is_kept_and_read_again():
    for rhythm in (read_every("2h", "UTC"), read_cron("0 9 * * 1-5", "Europe/Berlin", NOW)):
        assert rhythm_of(rhythm.to_json(), rhythm.zone) == rhythm
    assert rhythm_of(None, "UTC") is None


def occurrences(rhythm: Rhythm, start: datetime, end: datetime) -> list[datetime]:
    found, at = [], start
    while (at := rhythm.after(at)) <= end:
        found.append(at)
    return found


def berlin(expression: str, start: datetime, end: datetime) -> list[str]:
    found = occurrences(read_cron(expression, "Europe/Berlin", NOW), start, end)
    return [f"{at.astimezone(ZoneInfo('Europe/Berlin')):%d %H:%M %z}" for at in found]


def test_a_daily_time_that_clocks_leave_out_comes_when_they_have_gone_forward():
    assert berlin("30 2 * * *", utc(2026, 3, 28), utc(2026, 3, 31)) == ["28 02:30 +0100", "29 03:00 +0200", "30 02:30 +0200"]


def test_a_daily_time_that_comes_twice_comes_once():
    assert berlin("30 2 * * *", utc(2026, 10, 24), utc(2026, 10, 27)) == ["24 02:30 +0200", "25 02:30 +0200", "26 02:30 +0100"]
    assert berlin("*/30 2 * * *", utc(2026, 10, 24, 12), utc(2026, 10, 25, 12)) == ["25 02:00 +0200", "25 02:30 +0200"]


def test_where_every_hour_is_meant_every_hour_counts():
    assert len(berlin("0 * * * *", utc(2026, 10, 24, 22), utc(2026, 10, 25, 23))) == 25
    assert len(berlin("0 * * * *", utc(2026, 3, 28, 23), utc(2026, 3, 29, 22))) == 23


EXPRESSIONS = (
    "0 9 * * *",
    "30 2 * * *",
    "*/20 * * * *",
    "15 1-3 * * *",
    "0 0 1 * *",
    "45 23 * * 5",
    "*/30 2 * * *",
    "5 */6 * * *",
)
moments = st.datetimes(naive(2026, 1, 1), naive(2027, 12, 31)).map(lambda at: at.replace(tzinfo=UTC, microsecond=0))


@given(st.sampled_from(EXPRESSIONS), st.sampled_from(ZONES), moments, st.integers(0, 60 * 24 * 40))
@settings(max_examples=120, deadline=None)
def test_the_latest_occurrence_is_the_last_of_those_that_come_one_after_the_other(expression, zone, start, minutes):
    rhythm = read_cron(expression, zone, start)
    meant = rhythm.after(start)
    now = meant + timedelta(minutes=minutes)
    assert rhythm.latest(meant, now) == [meant, *occurrences(rhythm, meant, now)][-1]


@given(st.sampled_from(EXPRESSIONS), st.sampled_from(ZONES), moments)
@settings(max_examples=120, deadline=None)
def test_occurrences_ascend_and_named_hours_come_once_a_day(expression, zone, start):
    rhythm = read_cron(expression, zone, start)
    found = occurrences(rhythm, start, start + timedelta(days=20))[:200]
    assert found == sorted(set(found))
    assert all(at > start for at in found)
    shown = [at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for at in found]
    if not expression.split()[1].startswith("*"):
        assert len(set(shown)) == len(shown)


@given(st.integers(60, 10**6), moments, st.integers(0, 10**7))
@settings(max_examples=100)
def test_a_span_goes_on_from_what_was_meant(seconds, meant, late):
    rhythm = Rhythm("every", "UTC", seconds=seconds)
    latest = rhythm.latest(meant, meant + timedelta(seconds=late))
    assert (latest - meant).total_seconds() % seconds == 0
    assert timedelta() <= meant + timedelta(seconds=late) - latest < timedelta(seconds=seconds)


def test_a_clock_that_was_set_back_brings_nothing_that_was():
    rhythm = read_cron("0 9 * * *", "UTC", NOW)
    meant = rhythm.after(NOW)
    assert rhythm.latest(meant, meant - timedelta(days=3)) == meant
