"""Time is UTC and sortable as text; a zone is known or not; the machine's zone is found where machines keep it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core import clock
from steadyhand.core.clock import FakeClock, SystemClock, from_text, local, system_zone, to_text, zone_exists

zones = st.sampled_from(
    [UTC, ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/London"), ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe")]
)
moments = st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001  # hypothesis adds the zone


@given(moments)
@settings(max_examples=200, deadline=None)
def test_a_moment_is_read_back_from_its_text(moment):
    assert from_text(to_text(moment)) == moment.astimezone(UTC)


@given(moments, moments)
@settings(max_examples=200, deadline=None)
def test_texts_sort_as_their_moments_do(one, other):
    one, other = one.astimezone(UTC), other.astimezone(UTC)
    assert (one < other) == (to_text(one) < to_text(other))


def test_text_is_utc_whatever_the_zone():
    assert to_text(datetime(2026, 9, 7, 9, 0, tzinfo=ZoneInfo("Asia/Shanghai"))) == "2026-09-07T01:00:00.000000Z"


@pytest.mark.parametrize(
    "text", ["", "2026-09-07", "2026-09-07T01:00:00Z", "2026-09-07T01:00:00.000000", "2026-09-07T01:00:00.000000+08:00"]
)
def test_what_we_did_not_write_is_not_read(text):
    with pytest.raises(ValueError):
        from_text(text)


@pytest.mark.parametrize(
    ("utc", "zone", "shown"),
    [
        ("2026-03-29T00:59:59", "Europe/London", "2026-03-29 00:59 +0000"),
        ("2026-03-29T01:00:00", "Europe/London", "2026-03-29 02:00 +0100"),  # 01:00 to 02:00 does not exist there
        ("2026-10-25T00:30:00", "Europe/London", "2026-10-25 01:30 +0100"),
        ("2026-10-25T01:30:00", "Europe/London", "2026-10-25 01:30 +0000"),  # the same clock time, an hour later
        ("2026-09-07T01:00:00", "Asia/Shanghai", "2026-09-07 09:00 +0800"),
    ],
)
def test_local_time_follows_the_clocks_of_the_zone(utc, zone, shown):
    moment = datetime.fromisoformat(utc).replace(tzinfo=UTC)
    assert local(moment, zone).strftime("%Y-%m-%d %H:%M %z") == shown
    assert local(moment, zone).astimezone(UTC) == moment


def test_an_unknown_zone_has_no_local_time():
    with pytest.raises(ZoneInfoNotFoundError):
        local(datetime(2026, 9, 7, tzinfo=UTC), "Nowhere/Land")


@pytest.mark.parametrize("name", ["UTC", "Asia/Shanghai", "Europe/London", "America/Argentina/Ushuaia"])
def test_zones_of_the_list_are_known(name):
    assert zone_exists(name)


@pytest.mark.parametrize(
    "name", ["", " ", "Nowhere/Land", "../../etc/passwd", "/etc/localtime", "Asia", "Asia/Shanghai\x00", "a" * 5000, ".", "上海"]
)
def test_anything_else_is_no_zone(name):
    assert not zone_exists(name)


# ---- the machine's zone ----------------------------------------------------------------------------------------------


@pytest.fixture
def localtime(monkeypatch, tmp_path):
    """Let the machine's /etc/localtime be a link of our own."""
    link = tmp_path / "localtime"
    real = Path

    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(clock, "Path", lambda path: link if path == "/etc/localtime" else real(path))
    return link


def leads_to(link, zone, tmp_path):
    target = tmp_path / "usr" / "share" / "zoneinfo" / zone
    target.parent.mkdir(parents=True)
    target.touch()
    link.symlink_to(target)


def test_the_zone_is_where_the_link_leads(localtime, tmp_path):
    leads_to(localtime, "Asia/Shanghai", tmp_path)
    assert system_zone() == "Asia/Shanghai"


def test_tz_holds_over_the_link(localtime, tmp_path, monkeypatch):
    leads_to(localtime, "Asia/Shanghai", tmp_path)
    for named in ("Europe/London", ":Europe/London"):
        monkeypatch.setenv("TZ", named)
        assert system_zone() == "Europe/London"


@pytest.mark.parametrize("named", ["CST-8", "Nowhere/Land", ""])
def test_a_tz_that_names_no_zone_of_the_list_is_passed_over(localtime, tmp_path, monkeypatch, named):
    leads_to(localtime, "Asia/Shanghai", tmp_path)
    monkeypatch.setenv("TZ", named)
    assert system_zone() == "Asia/Shanghai"


@pytest.mark.parametrize("kind", ["nothing", "a plain file", "a link elsewhere"])
def test_a_machine_that_does_not_say_is_in_utc(localtime, tmp_path, kind):
    if kind == "a plain file":
        localtime.touch()
    elif kind == "a link elsewhere":
        (tmp_path / "elsewhere").touch()
        localtime.symlink_to(tmp_path / "elsewhere")
    assert system_zone() == "UTC"


# ---- clocks ----------------------------------------------------------------------------------------------------------


def test_a_fake_clock_moves_only_when_told_to():
    fake = FakeClock()
    before = fake.now()
    assert fake.now() == before
    fake.advance(timedelta(days=7))
    assert fake.now() - before == timedelta(days=7)
    assert fake.monotonic() == 7 * 86_400


def test_a_clock_that_is_set_back_does_not_turn_back_what_was_measured():
    fake = FakeClock()
    fake.advance(timedelta(minutes=1))
    fake.advance(timedelta(hours=-1))
    assert fake.monotonic() == 60


def test_the_machines_clock_tells_utc_and_only_grows_in_between():
    machine = SystemClock()
    assert machine.now().tzinfo is UTC
    assert machine.monotonic() <= machine.monotonic()
