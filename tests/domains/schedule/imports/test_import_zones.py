"""The times of a calendar are those that its file means: by a place's name, else by the file's own description of its zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Timezone

from steadyhand.domains.schedule.imports import reader

SPAN = (date(2026, 1, 5), date(2027, 1, 10))
PLACES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai", "Europe/Lisbon", "America/St_Johns")
DESCRIBED = {
    place: Timezone.from_tzinfo(ZoneInfo(place), place, date(2015, 1, 1), date(2035, 1, 1)).to_ical().decode() for place in PLACES
}
BRITISH = """BEGIN:VTIMEZONE
TZID:%s
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0100
TZOFFSETTO:+0000
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0000
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE"""


def at(year, month, day, hour):
    return datetime.combine(date(year, month, day), time(hour))


def calendar(described, zone, *starts, head=()):
    events = [
        line
        for number, start in enumerate(starts)
        for line in (
            "BEGIN:VEVENT",
            f"UID:{number}",
            f"SUMMARY:n{number}",
            f"DTSTART{f';TZID={zone}' if zone else ''}:{start:%Y%m%dT%H%M%S}",
            "DURATION:PT1H",
            "END:VEVENT",
        )
    ]
    return "\r\n".join(["BEGIN:VCALENDAR", *head, *described.splitlines(), *events, "END:VCALENDAR", ""]).encode()


def read(described, zone, *starts, into="UTC", span=SPAN, head=()):
    return reader.read(calendar(described, zone, *starts, head=head), into, span)


def first(found):
    return found.events[0].meetings[0].start


@given(st.sampled_from(PLACES), st.lists(st.datetimes(at(2016, 1, 1, 0), at(2033, 1, 1, 0)), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_a_described_zone_gives_every_time_that_the_place_itself_gives(place, moments):
    moments = [moment.replace(microsecond=0, fold=0) for moment in moments]
    meant = [moment.replace(tzinfo=ZoneInfo(place)).astimezone(UTC).replace(tzinfo=None) for moment in moments]
    found = read(
        DESCRIBED[place].replace(f"TZID:{place}", "TZID:Of our own"),
        "Of our own",
        *moments,
        span=(date(2015, 1, 1), date(2034, 1, 1)),
    )
    got = {one.name: one.meetings[0].start for one in found.events}
    assert got == {f"n{number}": at for number, at in enumerate(meant)}


@pytest.mark.parametrize(
    "name", ["GMT", "Customized Time Zone", '"(UTC+00:00) Dublin, Lisbon, London"', '"Dublin, Lisbon"', "EST", "Home"]
)
def test_a_name_that_is_no_place_means_what_the_file_says_of_it(name):
    bare = name.strip('"')
    for written in (bare, bare.replace(",", "\\,")):
        found = read(BRITISH % written, name, at(2026, 7, 1, 8), at(2026, 12, 1, 8))
        assert [one.meetings[0].start.hour for one in found.events] == [7, 8]
        assert [(told.code, told.params["read_as"]) for told in found.entries] == [("zone_described", "UTC+00:00 / UTC+01:00")]


def test_the_name_of_a_place_counts_and_a_description_that_says_otherwise_is_told():
    found = read(BRITISH % "Asia/Tokyo", "Asia/Tokyo", at(2026, 7, 1, 8), into="Asia/Tokyo")
    assert (first(found).hour, [told.code for told in found.entries]) == (8, ["zone_contradicted"])
    agreed = read(DESCRIBED["Europe/Berlin"], "Europe/Berlin", at(2026, 7, 1, 8), into="Europe/Berlin")
    assert (first(agreed).hour, agreed.entries) == (8, ())


def test_the_place_that_a_program_names_beside_its_own_name_counts():
    described = "BEGIN:VTIMEZONE\nTZID:Zone 7\nX-LIC-LOCATION:Asia/Tokyo\nEND:VTIMEZONE"
    found = read(described, "Zone 7", at(2026, 7, 1, 8))
    assert (first(found).hour, [told.code for told in found.entries]) == (23, ["zone_named"])


@pytest.mark.parametrize("given_zone", ["Asia/Tokyo", "Tokyo Standard Time"])
def test_times_without_zone_are_in_the_zone_that_the_file_names_for_itself(given_zone):
    head = (f"X-WR-TIMEZONE:{given_zone}",)
    found = read("", "", at(2026, 7, 1, 8), head=head)
    assert (first(found), [told.code for told in found.entries]) == (at(2026, 6, 30, 23), ["zone_of_file"])


@pytest.mark.parametrize(
    "broken",
    [
        "BEGIN:STANDARD\nTZOFFSETTO:+0100\nEND:STANDARD\nBEGIN:DAYLIGHT\nTZOFFSETTO:+0200\nEND:DAYLIGHT",
        "BEGIN:STANDARD\nDTSTART:x\nTZOFFSETTO:+9900\nEND:STANDARD",
        "".join(
            f"BEGIN:{one}\nDTSTART:19700101T000000\nTZOFFSETFROM:{before}\nTZOFFSETTO:{after}\nRRULE:FREQ=DAILY\nEND:{one}\n"
            for one, before, after in (("STANDARD", "+0000", "+0100"), ("DAYLIGHT", "+0100", "+0200"))
        ),
        "",
    ],
)
def test_a_description_that_cannot_be_followed_leaves_the_zone_unknown(broken):
    described = f"BEGIN:VTIMEZONE\nTZID:Odd\n{broken}\nEND:VTIMEZONE"
    found = read(described, "Odd", at(2026, 7, 1, 8))
    assert (first(found).hour, [told.code for told in found.entries]) == (8, ["zone_unknown"])


def test_a_series_in_a_described_zone_keeps_its_clock_time_over_the_change():
    rule = calendar(BRITISH % "Ours", "Ours", at(2026, 10, 23, 9)).replace(b"DURATION", b"RRULE:FREQ=WEEKLY;COUNT=2\r\nDURATION")
    meetings = reader.read(rule, "UTC", SPAN).events[0].meetings
    assert [m.start for m in meetings] == [at(2026, 10, 23, 8), at(2026, 10, 30, 9)]
    assert {m.end - m.start for m in meetings} == {timedelta(hours=1)}
