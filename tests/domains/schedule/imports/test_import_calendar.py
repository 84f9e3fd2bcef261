"""A calendar file gives its good events in the term's time, and a word about everything else, whatever the file holds."""

import threading
from datetime import date, datetime, time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ModelCanFix, OperatorRepairs, PersonDecides
from steadyhand.domains.schedule.imports import lines, properties, reader
from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.in_child import read_courses_here
from steadyhand.domains.schedule.imports.same_name import by_name
from steadyhand.domains.schedule.term.records import Term
from steadyhand.jobs.here import Limits

FILES = Path(__file__).parents[3] / "cases" / "calendars"
ZONE = "Asia/Shanghai"
SPAN = (date(2026, 9, 7), date(2027, 1, 10))
TERM = Term(1, "秋", ZONE, SPAN[0], 18)


def saved(name, zone=ZONE, span=SPAN):
    return reader.read((FILES / name).read_bytes(), zone, span)


def event(*given, uid="a@example.com", summary="课", start="DTSTART:20260907T080000", end="DTEND:20260907T094000"):
    named = [f"UID:{uid}"] if uid else []
    return "\r\n".join(["BEGIN:VEVENT", *named, *([f"SUMMARY:{summary}"] if summary else []), start, end, *given, "END:VEVENT"])


def read(*events, zone=ZONE, span=SPAN):
    return reader.read(("BEGIN:VCALENDAR\r\n" + "\r\n".join(events) + "\r\nEND:VCALENDAR\r\n").encode(), zone, span)


def codes(found):
    return [told.code for told in found.entries]


def starts(found, index=0):
    return [meeting.start for meeting in found.events[index].meetings]


def at(month, day, hour=8, minute=0):
    return datetime.combine(date(2026, month, day), time(hour, minute))


# --- files as programs write them -----------------------------------------------------------------------------------


def test_a_course_table_apps_file_is_read_whole():
    found = saved("course_table_app.ics", span=None)
    maths, algebra = found.events
    assert (maths.name, {(m.teacher, m.location) for m in maths.meetings}, len(maths.meetings)) == (
        "高等数学",
        {("王老师", "教一101 王老师")},
        16,
    )
    assert [m.start.isocalendar().week % 2 for m in algebra.meetings] == [1] * 8
    assert (found.first_monday, found.weeks) == (date(2026, 9, 7), 16)
    assert found.entries == ()


def test_overrides_exceptions_and_cancellations_of_a_series_are_followed():
    found = saved("google.ics")
    seminar = found.events[0]
    assert seminar.name == "Data Structures, seminar"
    assert {(m.location, m.teacher) for m in seminar.meetings} == {("Room 5; second floor", "Ms Li")}
    times = [m.start for m in seminar.meetings]
    assert at(9, 16, 14) not in times
    assert at(9, 17, 16) in times
    assert not {at(9, 18, 14), at(9, 25, 14), at(10, 2, 14)} & set(times)
    assert len(times) == 16 - 3
    assert starts(found, 1) == [at(9, 15)]
    assert sorted(codes(found)) == ["all_day", "cancelled", "zone_converted"]


def test_folded_lines_a_mark_and_windows_zone_names_are_read_and_said():
    found = saved("outlook.ics")
    assert found.events[0].name == "程序设计基础"
    assert {m.teacher for m in found.events[0].meetings} == {"钱老师"}
    assert starts(found)[0] == at(9, 10, 10)
    assert [(told.code, told.params["zone"]) for told in found.entries] == [
        ("zone_named", "China Standard Time"),
        ("zone_unknown", "Customized Time Zone"),
    ]


def test_times_of_a_zone_with_summer_time_keep_their_clock_time():
    found = saved("apple.ics", "America/New_York")
    assert {m.start.hour for one in found.events for m in one.meetings} == {8}
    assert [m.start.date() for m in found.events[1].meetings] == [date(2026, 10, 30), date(2026, 11, 6), date(2026, 11, 13)]
    abroad = saved("apple.ics", ZONE)
    assert {m.start.hour for m in abroad.events[1].meetings} == {20, 21}


def test_gbk_bytes_are_recognised_and_said():
    found = saved("gbk.ics")
    assert [one.name for one in found.events] == ["计算机网络与应用", "没有标识的讲座"]
    assert codes(found) == ["encoding_read", "zone_floating", "uid_made"]


# --- files that mean harm -------------------------------------------------------------------------------------------


def test_rules_without_bound_drop_alone():
    found = saved("hostile_rules.ics")
    assert [one.uid for one in found.events] == ["good-1", "good-2"]
    assert [len(one.meetings) for one in found.events] == [18, 18]
    assert {told.params.get("name"): told.code for told in found.entries if "name" in told.params} == {
        "INTERVAL": "rule_interval",
        "seconds": "rule_too_fine",
        "minutes": "rule_too_fine",
        "hours": "rule_too_fine",
        "dense": "rule_dense",
        "nonsense": "rule_unreadable",
        "twice": "rule_unreadable",
        "part": "rule_part",
        "easter": "rule_part",
        "huge step": "rule_unreadable",
        "never": "outside_term",
        "since long ago": "rule_too_long",
        "until the end of time": "cut_to_term",
        "many counted": "cut_to_term",
    }


def test_broken_shapes_drop_alone_and_nothing_is_opened(monkeypatch):
    data = (FILES / "hostile_shapes.ics").read_bytes()
    reader.read(data, ZONE, SPAN)

    def refuse(*given, **named):
        raise AssertionError((given, named))

    with monkeypatch.context() as closed:
        for door in ("builtins.open", "io.open", "os.open", "socket.socket", "socket.getaddrinfo"):
            closed.setattr(door, refuse)
        found = reader.read(data, ZONE, SPAN)
    assert [one.uid for one in found.events] == ["good-1", "good-2", "points-out", "good-3"]
    assert found.events[3].name == "control [31mred and bidi"
    assert sorted(codes(found)) == sorted(
        [
            "component_other",
            "zone_floating",
            "zone_unknown",
            "event_unterminated",
            "event_unterminated",
            "start_unreadable",
            "start_unreadable",
            "event_unreadable",
            "start_missing",
            "end_before_start",
            "name_cleaned",
        ]
    )


def test_a_flood_of_dates_drops_alone():
    flood = "RDATE:" + ",".join(["20260907T080000"] * (properties.MAX_DATES + 1))
    found = read(event(flood, uid="flood"), event(uid="good"))
    assert [one.uid for one in found.events] == ["good"]
    assert "dates_too_many" in codes(found)


def test_dear_events_cannot_use_up_what_the_others_need(monkeypatch):
    monkeypatch.setattr(reader, "MAX_MEETINGS_IN_FILE", 200)
    dear = [event("RRULE:FREQ=DAILY", uid=f"dear{n}") for n in range(3)]
    found = read(*dear, event("RRULE:FREQ=WEEKLY;COUNT=16", uid="good"))
    assert [one.uid for one in found.events] == ["dear0", "good"]
    assert codes(found).count("meetings_too_many") == 2


def test_more_events_than_are_read_are_counted(monkeypatch):
    monkeypatch.setattr(lines, "MAX_EVENTS", 3)
    found = read(*(event(uid=f"e{n}") for n in range(5)))
    assert len(found.events) == 3
    assert [told.params for told in found.entries if told.code == "events_too_many"] == [{"count": 2}]


def test_an_event_with_too_many_or_too_long_lines_drops_alone():
    found = read(
        event(*["EXDATE:20260907T080000"] * (lines.MAX_LINES + 1), uid="many"),
        event("RRULE:" + "X" * (lines.MAX_LINE_BYTES + 1), uid="long"),
        event("DESCRIPTION:" + "x" * (lines.MAX_LINE_BYTES * 2), uid="good"),
    )
    assert [one.uid for one in found.events] == ["good"]
    assert codes(found).count("event_too_long") == 2


def test_a_file_that_is_too_large_or_no_calendar_is_one_clear_error(monkeypatch):
    with pytest.raises(ModelCanFix, match="import_no_events"):
        reader.read(b"hello\n", ZONE)
    monkeypatch.setattr(lines, "MAX_BYTES", 10)
    with pytest.raises(ModelCanFix, match="import_too_large"):
        reader.read(b"x" * 11, ZONE)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *(
                        "BEGIN:VEVENT",
                        "END:VEVENT",
                        "BEGIN:VALARM",
                        "END:VALARM",
                        "END:VCALENDAR",
                        "BEGIN:VTIMEZONE",
                        " folded",
                        "\t",
                    ),
                    *("SUMMARY:x", "UID:x", "DTSTART:20260907T080000", "DTSTART;TZID=X:20260907T080000", "DTEND:20260907T094000"),
                    *("RRULE:FREQ=DAILY", "RECURRENCE-ID:20260907T080000", "EXDATE;VALUE=DATE:20260907", "DURATION:P1W"),
                    *(
                        "STATUS:CANCELLED",
                        'DTSTART;TZID="a:b":20260907T080000',
                        "X-STEADYHAND-EVENT:x",
                        "RECURRENCE-ID;VALUE=DATE:20260907",
                    ),
                ]
            ).map(str.encode),
            st.binary(max_size=30),
        ),
        max_size=40,
    )
)
def test_no_bytes_at_all_cost_the_good_event(mess):
    good = event(uid="the good one").encode()
    data = b"\r\n".join([*mess, b"BEGIN:VEVENT", good.removeprefix(b"BEGIN:VEVENT\r\n")]) + b"\r\n"
    found = reader.read(data, ZONE, SPAN)
    assert "the good one" in [one.uid for one in found.events]
    assert CalendarFile.from_json(found.to_json()) == found


# --- identities -----------------------------------------------------------------------------------------------------


def test_an_event_without_uid_gets_the_same_one_whatever_its_place_and_room():
    first, second = event("LOCATION:A", uid=""), event("LOCATION:B", uid="")
    other = event(uid="other", start="DTSTART:20260908T080000", end="DTEND:20260908T094000")
    assert read(first).events[0].uid == read(other, second).events[1].uid
    assert read(first).events[0].uid != read(event(uid="", summary="别的")).events[0].uid


def test_of_two_versions_the_newer_counts_and_a_twin_is_taken_once():
    old, new = event("SEQUENCE:1", summary="旧"), event("SEQUENCE:2", summary="新")
    assert [one.name for one in read(new, old).events] == [one.name for one in read(old, new).events] == ["新"]
    twins = read(event(), event())
    assert (len(twins.events), codes(twins)) == (1, ["duplicate", "zone_floating"][::-1])


def test_two_different_events_with_one_uid_are_both_kept():
    shared = [event(), event(summary="别的")]
    found = read(*shared)
    assert [one.name for one in found.events] == ["课", "别的"]
    assert len({one.uid for one in found.events}) == 2
    assert "uid_shared" in codes(found)
    assert [one.uid for one in read(*shared).events] == [one.uid for one in found.events]


def test_an_override_without_its_series_stands_for_itself():
    found = read(event("RECURRENCE-ID:20260907T080000"))
    assert starts(found) == [at(9, 7)]


# --- times ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "code", "hour"),
    [
        ("Asia/Shanghai", None, 8),
        ("asia/shanghai", None, 8),
        ("Asia/Tokyo", "zone_converted", 7),
        ("Tokyo Standard Time", "zone_named", 7),
        ("/example.org/20260101_1/Asia/Tokyo", "zone_named", 7),
        ("/example.org/Zone/America/Argentina/Salta", "zone_named", 19),
        ("GMT+0900", "zone_offset", 7),
        ("UTC+9", "zone_offset", 7),
        ('"(UTC+09:00) Osaka, Sapporo, Tokyo"', "zone_offset", 7),
        ("Nowhere/Land", "zone_unknown", 8),
        ("../../../etc/localtime", "zone_unknown", 8),
        ("UTC+99", "zone_unknown", 8),
    ],
)
def test_a_zone_is_known_by_its_many_names_or_said_to_be_unknown(zone, code, hour):
    found = read(event(start=f"DTSTART;TZID={zone}:20260909T080000", end=f"DTEND;TZID={zone}:20260909T094000"))
    assert starts(found)[0].hour == hour
    assert codes(found) == ([code] if code else [])


def test_a_zone_that_the_file_describes_by_one_offset_is_read_by_it():
    described = (
        "BEGIN:VTIMEZONE\r\nTZID:Home\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nRRULE:FREQ=SECONDLY\r\n"
        "TZOFFSETFROM:+0900\r\nTZOFFSETTO:+0900\r\nEND:STANDARD\r\nEND:VTIMEZONE"
    )
    found = read(described, event(start="DTSTART;TZID=Home:20260909T080000", end="DTEND;TZID=Home:20260909T094000"))
    assert (starts(found), codes(found)) == ([at(9, 9, 7)], ["zone_offset"])


def test_a_weekly_rule_in_utc_keeps_its_weekday_here():
    found = read(event("RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=2", start="DTSTART:20260913T230000Z", end="DTEND:20260914T004000Z"))
    assert starts(found) == [at(9, 14, 7), at(9, 21, 7)]


def test_a_time_that_the_change_of_clocks_skips_is_moved_and_said():
    found = read(
        event("RRULE:FREQ=DAILY;COUNT=3", start="DTSTART:20270327T023000", end="DTEND:20270327T031500"),
        zone="Europe/Berlin",
        span=(date(2027, 3, 1), date(2027, 4, 30)),
    )
    assert [m.start for m in found.events[0].meetings] == [
        datetime.combine(date(2027, 3, day), time(hour, 30)) for day, hour in ((27, 2), (28, 3), (29, 2))
    ]
    assert [told.params["date"] for told in found.entries if told.code == "clock_moved"] == ["2027-03-28"]


@pytest.mark.parametrize(
    ("rule", "count"),
    [
        ("RRULE:FREQ=WEEKLY;UNTIL=20260921T080000", 3),
        ("RRULE:FREQ=WEEKLY;UNTIL=20260921T075959", 2),
        ("RRULE:FREQ=WEEKLY;UNTIL=20260921", 3),
        ("RRULE:FREQ=WEEKLY;UNTIL=20260921T000000Z", 3),
        ("RRULE:FREQ=WEEKLY;UNTIL=20260920T235959Z", 2),
        ("RRULE:FREQ=WEEKLY;COUNT=3\r\nEXDATE:20260914T000000Z", 2),
        ("RRULE:FREQ=WEEKLY;COUNT=3\r\nEXDATE;VALUE=DATE:20260914", 2),
        ("RRULE:FREQ=WEEKLY;COUNT=3\r\nRDATE;VALUE=PERIOD:20260910T080000/PT1H", 4),
        ("RDATE:20260914T080000,20260921T080000", 3),
    ],
)
def test_ends_exceptions_and_extra_dates_count_as_meant(rule, count):
    assert len(starts(read(event(rule)))) == count


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"start": "DTSTART;VALUE=DATE:20260907", "end": "X:"}, "all_day"),
        ({"start": "DTSTART:20261399T080000"}, "start_unreadable"),
        ({"start": "DTSTART:00010101T080000"}, "start_unreadable"),
        ({"start": "DTSTART:99991231T235959Z"}, "start_unreadable"),
        ({"start": "X:"}, "start_missing"),
        ({"end": "DTEND:20260907T070000"}, "end_before_start"),
        ({"end": "DTEND:yesterday"}, "end_unreadable"),
        ({"end": "DTEND;VALUE=DATE:20260908"}, "end_unreadable"),
        ({"end": "DURATION:P99999999999W"}, "end_unreadable"),
        ({"end": "EXRULE:FREQ=DAILY;COUNT=1"}, "no_meeting"),
        ({"end": "STATUS:CANCELLED"}, "cancelled"),
        ({"end": "RRULE:FREQ=WEEKLY;UNTIL=20260901T000000Z"}, "no_meeting"),
        ({"start": "DTSTART:20250907T080000", "end": "X:"}, "outside_term"),
        ({"summary": ""}, "name_missing"),
        ({"summary": "\x07\u200b"}, "name_missing"),
    ],
)
def test_one_bad_event_drops_alone_with_its_reason(given, code):
    found = read(event(uid="good"), event(uid="bad", **given))
    assert [one.uid for one in found.events] == ["good"]
    told = [told for told in found.entries if told.verdict == "dropped"]
    assert [(one.code, one.line) for one in told] == [(code, 8)]


# --- encodings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "newline"),
    [
        ("utf-16", "\r\n"),
        *((encoding, newline) for encoding in ("utf-8", "utf-8-sig", "gb18030") for newline in ("\r\n", "\n", "\r")),
    ],
)
def test_every_encoding_and_line_end_gives_the_same_event(encoding, newline):
    text = "BEGIN:VCALENDAR\r\n" + event(summary="数据结构与算法") + "\r\nEND:VCALENDAR\r\n"
    found = reader.read(text.replace("\r\n", newline).encode(encoding), ZONE, SPAN)
    assert found.events[0].name == "数据结构与算法"
    assert ("encoding_read" in codes(found)) == (encoding in {"gb18030", "utf-16"})


@given(st.text("数据结构ab ", min_size=1, max_size=60).filter(str.strip), st.data())
@settings(max_examples=60, deadline=None)
def test_folds_anywhere_even_inside_a_character_do_not_change_a_name(name, data):
    encoded = f"SUMMARY:x{name}".encode()
    cut = data.draw(st.integers(8, len(encoded)))
    text = event(summary="@@").encode().replace(b"SUMMARY:@@", encoded[:cut] + b"\r\n " + encoded[cut:])
    assert reader.read(text, ZONE, SPAN).events[0].name == " ".join(f"x{name}".split())


def test_a_broken_character_is_said_and_costs_nothing_else():
    data = (event(summary="好的课程") + "\r\n" + event(uid="b", summary="坏@@的")).encode().replace(b"@@", b"\xff")
    found = reader.read(data, ZONE, SPAN)
    assert [one.name for one in found.events] == ["好的课程", "坏\ufffd的"]
    assert "characters_replaced" in codes(found)


# --- the suggested term ---------------------------------------------------------------------------------------------


def test_the_suggested_term_begins_with_the_series_and_ends_with_them():
    single = event(uid="early", start="DTSTART:20260801T080000", end="DTEND:20260801T094000")
    weekly = event("RRULE:FREQ=WEEKLY;COUNT=17", uid="w", start="DTSTART:20260909T080000", end="DTEND:20260909T094000")
    endless = event("RRULE:FREQ=WEEKLY", uid="e", start="DTSTART:20260910T080000", end="DTEND:20260910T094000")
    stray = event("RRULE:FREQ=YEARLY", uid="s", start="DTSTART:20040910T080000", end="DTEND:20040910T094000")
    found = read(stray, single, endless, weekly, span=None)
    assert (found.first_monday, found.weeks) == (date(2026, 9, 7), 17)
    assert read(endless, span=None).weeks == reader.SUGGESTED_WEEKS


def test_a_file_without_one_usable_event_suggests_no_term():
    found = read(event("STATUS:CANCELLED"), span=None)
    assert (found.events, found.first_monday, found.weeks, codes(found)) == ((), None, 0, ["cancelled"])


# --- in a child -----------------------------------------------------------------------------------------------------


def test_the_child_reads_the_same_and_tells_its_progress():
    told = []
    data = (FILES / "google.ics").read_bytes()
    found = read_courses_here(data, ZONE, TERM, progress=lambda *step: told.append(step))
    assert found == by_name(reader.read(data, ZONE, SPAN))
    assert told
    assert all(0 <= done <= total for done, total, _ in told)


def test_a_stop_or_a_limit_is_a_clear_error():
    data = (FILES / "google.ics").read_bytes()
    stop = threading.Event()
    stop.set()
    with pytest.raises(PersonDecides, match="job_cancelled"):
        read_courses_here(data, ZONE, stop=stop.is_set)
    with pytest.raises(OperatorRepairs, match="job_timed_out"):
        read_courses_here(data, ZONE, limits=Limits(seconds=0))


def test_an_error_of_the_child_comes_back_as_it_was():
    with pytest.raises(ModelCanFix, match="import_no_events"):
        read_courses_here(b"BEGIN:VCALENDAR", ZONE)
