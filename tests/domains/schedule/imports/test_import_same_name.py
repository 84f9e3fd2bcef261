"""A calendar that writes one event per lesson gives the courses that it is about, with the times and rooms of each meeting."""

from datetime import date, datetime, timedelta

from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.lessons import made_uid
from steadyhand.domains.schedule.imports.reader import read
from steadyhand.domains.schedule.imports.same_name import by_name
from steadyhand.domains.schedule.term.records import Term

ZONE = "Asia/Shanghai"
TERM = Term(1, "秋", ZONE, date(2026, 9, 7), 18)


def lesson(number, name, day, clock, room, *given):
    begin, end = clock
    at = TERM.first_monday + timedelta(days=day)
    times = [f"{word}:{at:%Y%m%d}T{hour}00" for word, hour in (("DTSTART", begin), ("DTEND", end))]
    return ["BEGIN:VEVENT", f"UID:{number}", f"SUMMARY:{name}", f"LOCATION:{room}", *times, *given, "END:VEVENT"]


def joined(*lessons):
    text = "\r\n".join(["BEGIN:VCALENDAR", *(line for one in lessons for line in one), "END:VCALENDAR", ""])
    return by_name(read(text.encode(), ZONE, (TERM.first_monday, TERM.date_of(18, 7))))


MORNING, AFTERNOON = ("0800", "0940"), ("1400", "1540")


def test_lessons_of_one_name_are_one_course_with_its_own_times_and_rooms():
    maths = [lesson(week, "高数", 7 * week, MORNING, "A1" if week < 4 else "A2") for week in range(8)]
    lab = [lesson(f"x{week}", "高数", 7 * week + 2, AFTERNOON, "B1") for week in range(2)]
    found = joined(*maths, *lab, lesson("y", "物理", 1, MORNING, "C1"))
    assert [(one.name, one.uid, len(one.meetings)) for one in found.events] == [("高数", made_uid("高数"), 10), ("物理", "y", 1)]
    course = found.events[0]
    assert [m.location for m in course.meetings] == ["A1", "B1", "A1", "B1", "A1", "A1", *["A2"] * 4]
    assert [(told.code, told.params["count"]) for told in found.entries if told.code == "events_joined"] == [
        ("events_joined", 10)
    ]
    assert [(one.kind, len(one.rows)) for one in fit(found.events, TERM).events] == [("course", 20), ("task", 2)]
    assert CalendarFile.from_json(found.to_json()) == found


def test_two_at_one_time_are_one_meeting_with_both_rooms():
    found = joined(lesson(1, "高数", 0, MORNING, "A1"), lesson(2, "高数", 0, MORNING, "A2"))
    assert [(m.start, m.location) for m in found.events[0].meetings] == [
        (datetime.combine(date(2026, 9, 7), datetime.min.time().replace(hour=8)), "A1、A2")
    ]


def test_what_our_own_export_keeps_apart_stays_apart():
    found = joined(
        *(lesson(n, "高数", n, MORNING, "A1", f"X-STEADYHAND-EVENT:{n}@steadyhand", "X-STEADYHAND-KIND:course") for n in range(2))
    )
    assert [one.uid for one in found.events] == ["0@steadyhand", "1@steadyhand"]
