"""What a calendar file says of single meetings of a series is followed, and what cannot be followed is said, event by event."""

from datetime import date, timedelta

import pytest

from steadyhand.domains.schedule.imports import reader

ZONE = "Asia/Shanghai"
SPAN = (date(2026, 9, 7), date(2027, 1, 10))
WEEKLY = "RRULE:FREQ=WEEKLY;COUNT=4"


def event(*given, start="20260907T080000", end="20260907T094000", summary="课", uid="a"):
    named = [f"SUMMARY:{summary}"] if summary else []
    ends = [f"DTEND:{end}"] if end else []
    return ["BEGIN:VEVENT", f"UID:{uid}", *named, f"DTSTART:{start}", *ends, *given, "END:VEVENT"]


def read(*events):
    text = "\r\n".join(
        ["BEGIN:VCALENDAR", "X-WR-TIMEZONE:" + ZONE, *(line for one in events for line in one), "END:VCALENDAR", ""]
    )
    return reader.read(text.encode(), ZONE, SPAN)


def days(found, index=0):
    return [f"{m.start:%m-%d %H:%M}" for m in found.events[index].meetings]


def codes(found):
    return sorted(told.code for told in found.entries if not told.code.startswith("zone_"))


SERIES = event(WEEKLY, "LOCATION:A1")
REST = ["09-07 08:00", "09-21 08:00", "09-28 08:00"]


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        (event("RECURRENCE-ID:20260914T080000", start="20260914", end="20260915"), "all_day"),
        (event("RECURRENCE-ID:20260914T080000", start="nonsense"), "start_unreadable"),
        (event("RECURRENCE-ID:20260914T080000", start="20260915T080000", end="20260915T070000"), "end_before_start"),
        (event("RECURRENCE-ID:20260914T080000", end="x"), "end_unreadable"),
        (event("RECURRENCE-ID:20260914T080000", *["EXDATE:20260901T080000"] * 600), "event_too_long"),
        (event("RECURRENCE-ID:20260914T080000")[:-1], "event_unterminated"),
        (event("RECURRENCE-ID:20260914T080000", "RRULE:FREQ=HOURLY"), "rule_too_fine"),
    ],
)
def test_an_override_that_cannot_be_taken_takes_its_old_meeting_out_and_says_so(override, reason):
    found = read(SERIES, override)
    assert days(found) == REST
    assert codes(found) == sorted([reason, "override_void"])
    void = next(told for told in found.entries if told.code == "override_void")
    assert (void.params["name"], void.params["date"], void.verdict) == ("课", "2026-09-14", "dropped")


def test_an_override_whose_own_mark_cannot_be_read_is_said_and_costs_no_meeting():
    found = read(SERIES, event("RECURRENCE-ID:whenever", start="20260915T140000", end="20260915T150000"))
    assert (days(found), codes(found)) == (["09-07 08:00", "09-14 08:00", "09-21 08:00", "09-28 08:00"], ["event_unreadable"])


def test_an_override_takes_from_its_series_what_it_does_not_say():
    found = read(SERIES, event("RECURRENCE-ID:20260914T080000", start="20260915T140000", end="", summary=""))
    moved = found.events[0].meetings[1]
    assert (days(found)[1], moved.end - moved.start, moved.location) == ("09-15 14:00", timedelta(minutes=100), "A1")
    assert (found.events[0].name, codes(found)) == ("课", [])


def test_a_meeting_has_the_room_and_the_teacher_of_its_own():
    moved = event(
        "RECURRENCE-ID:20260914T080000", "LOCATION:B2", "DESCRIPTION:教师：乙师", start="20260914T080000", end="20260914T094000"
    )
    found = read(event(WEEKLY, "LOCATION:A1", "DESCRIPTION:教师：甲师"), moved)
    assert [(m.location, m.teacher) for m in found.events[0].meetings] == [("A1", "甲师"), ("B2", "乙师"), *[("A1", "甲师")] * 2]
    assert codes(found) == []


def test_a_change_from_one_meeting_on_reaches_all_later_ones():
    onward = event(
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260921T080000", "LOCATION:B2", start="20260922T100000", end="20260922T110000"
    )
    single = event("RECURRENCE-ID:20260928T080000", start="20260928T190000", end="20260928T200000")
    found = read(SERIES, onward)
    assert days(found) == ["09-07 08:00", "09-14 08:00", "09-22 10:00", "09-29 10:00"]
    assert [m.location for m in found.events[0].meetings] == ["A1", "A1", "B2", "B2"]
    for order in ([onward, single], [single, onward]):
        assert days(read(SERIES, *order)) == ["09-07 08:00", "09-14 08:00", "09-22 10:00", "09-28 19:00"]
    ended = event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260921T080000", "STATUS:CANCELLED", start="20260921T080000")
    assert days(read(SERIES, ended)) == ["09-07 08:00", "09-14 08:00"]


def test_an_override_of_a_meeting_that_is_none_is_one_more_and_said():
    found = read(SERIES, event("RECURRENCE-ID:20260915T080000", start="20260915T140000", end="20260915T150000"))
    assert (days(found)[2], codes(found)) == ("09-15 14:00", ["override_unmatched"])


@pytest.mark.parametrize(
    ("given", "kept", "told"),
    [
        ("EXDATE:20260914T080000", REST, []),
        ("EXDATE:2026-09-14", REST, []),
        ("EXDATE:2026-09-14T08:00:00", REST, []),
        ("EXDATE:20260914T000000", ["09-07 08:00", "09-14 08:00", *REST[1:]], ["exception_unmatched"]),
        ("EXDATE:20260914T080000Z", ["09-07 08:00", "09-14 08:00", *REST[1:]], ["exception_unmatched"]),
        ("EXDATE;VALUE=DATE:20260915", ["09-07 08:00", "09-14 08:00", *REST[1:]], ["exception_unmatched"]),
        ("EXDATE:20260914T080000,soon", REST, ["dates_unreadable"]),
        ("RDATE:20260910T080000,x", ["09-07 08:00", "09-10 08:00", "09-14 08:00", *REST[1:]], ["dates_unreadable"]),
        ("RDATE;VALUE=DATE:20260910", ["09-07 08:00", "09-10 08:00", "09-14 08:00", *REST[1:]], []),
        ("SEQUENCE:many", ["09-07 08:00", "09-14 08:00", *REST[1:]], ["property_unreadable"]),
        ("RRULE:FREQ=WEEKLY;COUNT=4", ["09-07 08:00", "09-14 08:00", *REST[1:]], []),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=2", ["09-07 08:00", "09-10 08:00", "09-14 08:00", *REST[1:]], []),
        ("EXRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=2", ["09-14 08:00", "09-28 08:00"], []),
    ],
)
def test_exceptions_and_additions_count_or_are_said(given, kept, told):
    found = read(event(WEEKLY, given))
    assert (days(found), codes(found)) == (kept, told)


def test_added_meetings_keep_the_length_that_is_given_with_them():
    found = read(
        event("RDATE;VALUE=PERIOD:20260909T080000/PT2H,20260911T100000/20260911T113000,20260912T100000/20260912T020000Z")
    )
    assert [(m.end - m.start) // timedelta(minutes=1) for m in found.events[0].meetings] == [100, 120, 90, 0]


def test_a_beginning_that_the_rule_does_not_name_is_no_meeting_and_said():
    found = read(event("RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=2"))
    assert (days(found), codes(found)) == (["09-09 08:00", "09-16 08:00"], ["start_off_rule"])


@pytest.mark.parametrize(
    ("given", "name"), [(["DESCRIPTION:\\n数据结构\\n第二行", "LOCATION:A1"], "数据结构"), (["LOCATION:A1"], "A1")]
)
def test_an_event_without_a_name_is_called_by_what_else_it_says(given, name):
    found = read(event(*given, summary=""))
    assert ([one.name for one in found.events], codes(found)) == ([name], ["name_found"])


def test_every_event_of_a_file_is_a_meeting_or_a_line_of_the_report():
    orphans = [event("RECURRENCE-ID:20260914T080000", summary="", uid="gone"), event("RECURRENCE-ID:20260915T080000", uid="lone")]
    found = read(event(summary="", uid="b"), *orphans)
    assert [one.uid for one in found.events] == ["lone"]
    assert codes(found) == ["name_missing", "name_missing"]
    assert days(found) == ["09-07 08:00"]
