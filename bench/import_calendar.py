"""Times the import of a calendar file: 2,000 honest events in 1 MB, and the largest hostile file that is read at all.

Run: ``.venv/bin/python bench/import_calendar.py``. Both are read as a person's import is: in a child, result decoded here.
The peer in the same run reads the honest file in one go with icalendar and recurring_ical_events (when it is installed;
else with icalendar and dateutil), in this process, without limits; it prints how much dearer the bounded way is. The peer
is not given the hostile files: it would not come back.
"""

import resource
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from time import perf_counter

import icalendar

from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.in_child import read_courses_here
from steadyhand.domains.schedule.imports.lines import MAX_BYTES
from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.term.records import Term

ZONE, MONDAY, WEEKS = "Asia/Shanghai", date(2026, 9, 7), 18
TERM = Term(1, "bench", ZONE, MONDAY, WEEKS)
SPAN = (MONDAY, MONDAY + timedelta(days=WEEKS * 7 - 1))
EVENTS, GOOD = 2_000, 50
LIMIT_SECONDS, LIMIT_HOSTILE_SECONDS, LIMIT_MIB = 5.0, 10.0, 1024


def event(uid: str, rule: str, day: date = MONDAY, extra: str = "") -> str:
    return (
        f"BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:课程 {uid}\r\nLOCATION:教一 101\r\n"
        f"DTSTART;TZID={ZONE}:{day:%Y%m%d}T080000\r\nDTEND;TZID={ZONE}:{day:%Y%m%d}T094000\r\n{rule}{extra}END:VEVENT\r\n"
    )


def calendar(parts: Iterator[str]) -> bytes:
    return ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n" + "".join(parts) + "END:VCALENDAR\r\n").encode()


def honest() -> bytes:
    filler = "DESCRIPTION:" + "课堂笔记 " * 23 + "\r\n"
    days = (MONDAY + timedelta(days=number % 126) for number in range(EVENTS))
    return calendar(event(f"e{n}", "RRULE:FREQ=WEEKLY;COUNT=16\r\n", day, filler) for n, day in enumerate(days))


def good() -> Iterator[str]:
    return (event(f"good{n}", "RRULE:FREQ=WEEKLY;COUNT=16\r\n") for n in range(GOOD))


def hostile_rules() -> Iterator[str]:
    """Yield as many events as are read, each as dear as its kind can be, with the good ones spread among them."""
    old = date(1900, 1, 1)
    kinds = (
        ("RRULE:FREQ=DAILY;COUNT=2000000000\r\n", old),
        ("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30\r\n", old),
        ("RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1;COUNT=100000\r\n", old),
        ("RRULE:FREQ=WEEKLY;INTERVAL=0\r\n", MONDAY),
        ("RRULE:FREQ=MINUTELY;UNTIL=99991231T235959Z\r\n", MONDAY),
        (
            "RRULE:FREQ=DAILY;BYHOUR=" + ",".join(map(str, range(24))) + ";BYMINUTE=" + ",".join(map(str, range(60))) + "\r\n",
            MONDAY,
        ),
        ("RRULE:FREQ=DAILY;UNTIL=99991231T235959Z\r\n", old),
        ("RDATE:" + ",".join(f"{MONDAY + timedelta(days=n % 100):%Y%m%d}T{n % 24:02d}0000" for n in range(200)) + "\r\n", MONDAY),
    )
    for number in range(9_900):
        rule, day = kinds[number % len(kinds)]
        yield event(f"bad{number}", rule, day)
        if number % 198 == 0:
            yield event(f"good{number // 198}", "RRULE:FREQ=WEEKLY;COUNT=16\r\n")


def hostile_shapes() -> bytes:
    """Broken lines, open events, nesting, one endless line, and folds without end, up to the size that is read."""
    mess = (
        b"BEGIN:VALARM\r\n" * 50
        + b"\x00\xff;:\r\n"
        + b"BEGIN:VEVENT\r\nDTSTART:x\r\nRRULE:"
        + b"FREQ=DAILY;" * 400
        + b"\r\n \xfe" * 300
    )
    head = calendar(good())
    room = MAX_BYTES - len(head) - 2_000_000
    return head.replace(b"END:VCALENDAR\r\n", b"") + mess * (room // len(mess)) + b"SUMMARY:" + b"x" * 1_900_000


def read(data: bytes) -> CalendarFile:
    found = read_courses_here(data, ZONE, TERM)
    assert isinstance(found, CalendarFile)
    return found


def tally(entries: Sequence[Entry]) -> dict[str, int]:
    return dict(Counter(one.verdict for one in entries))


def timed(work: Callable[[], CalendarFile]) -> tuple[float, CalendarFile]:
    started = perf_counter()
    found = work()
    return perf_counter() - started, found


def peer(data: bytes) -> tuple[float, str, int]:
    """Parse the whole file and list what happens in the term, as a short program would."""
    started = perf_counter()
    parsed = icalendar.Calendar.from_ical(data)
    try:
        import recurring_ical_events
    except ImportError:
        from dateutil.rrule import rrulestr

        count = 0
        for one in parsed.walk("VEVENT"):
            rule = rrulestr(one["RRULE"].to_ical().decode(), dtstart=one["DTSTART"].dt.replace(tzinfo=None))
            count += sum(1 for at in rule if SPAN[0] <= at.date() <= SPAN[1])
        return perf_counter() - started, "icalendar + dateutil", count
    found = recurring_ical_events.of(parsed).between(SPAN[0], SPAN[1] + timedelta(days=1))
    return perf_counter() - started, "icalendar + recurring_ical_events", len(found)


def main() -> None:
    data = honest()
    seconds, found = timed(lambda: read(data))
    meetings = sum(len(one.meetings) for one in found.events)
    print(
        f"honest: {len(data) / 1e6:.2f} MB, {len(found.events)} events, {meetings} meetings: {seconds:.2f} s (guide {LIMIT_SECONDS} s)"
    )
    started = perf_counter()
    fitted = fit(found.events, TERM)
    print(f"        fitted into the term: {perf_counter() - started:.2f} s, {tally(fitted.entries)}")
    theirs, name, count = peer(data)
    print(f"        peer {name}: {theirs:.2f} s, {count} meetings; ratio {seconds / theirs:.2f}")
    assert len(found.events) == EVENTS
    assert meetings == count
    for title, hostile in (("hostile rules", calendar(hostile_rules())), ("hostile shapes", hostile_shapes())):
        seconds, found = timed(lambda hostile=hostile: read(hostile))
        kept = sum(1 for one in found.events if one.uid.startswith("good"))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{title}: {len(hostile) / 1e6:.2f} MB: {seconds:.2f} s (guide {LIMIT_HOSTILE_SECONDS} s), {tally(found.entries)}")
        print(f"        good events kept: {kept} of {GOOD}; largest child so far {peak:.0f} MiB (limit {LIMIT_MIB})")
        assert kept == GOOD
        assert peak < LIMIT_MIB


if __name__ == "__main__":
    main()
