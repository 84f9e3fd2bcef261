"""Decides how a timetable is written as iCalendar: a weekly series per weekday, time and place of an event. It must not read a clock.

An event with several weekly times becomes several entries; ``X-STEADYHAND-EVENT`` ties them, so that reading the file back
gives the same events and rows. ``X-STEADYHAND-CLOCK`` tells times that a source gave from those of the term's scale.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from math import gcd
from typing import Any, cast
from zoneinfo import ZoneInfo

import icalendar

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.exports.runs import rows_of
from steadyhand.domains.schedule.imports.incoming import uid_of
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Event, Records, Term, minutes_of
from steadyhand.domains.schedule.term.sittings import Weekly, weekly_by_clock

PRODUCT = "-//Steadyhand//Timetable//EN"


def write_calendar(records: Records, now: datetime, language: Language, weeks: frozenset[int] | None = None) -> bytes:
    """Return the events of *records* (of *weeks* only, when given) as iCalendar bytes, stamped with *now*."""
    term, rows = records.term, rows_of(records, weeks)
    calendar = icalendar.Calendar()
    _put(calendar, "prodid", PRODUCT)
    _put(calendar, "version", "2.0")
    _put(calendar, "x-wr-calname", term.name)
    _put(calendar, "x-wr-timezone", term.zone)
    if term.zone != "UTC":
        calendar.add_component(_time_zone(term))
    for event in sorted(records.events, key=lambda one: one.id):
        for number, timed in enumerate(weekly_by_clock(rows.get(event.id, ()), term), 1):
            calendar.add_component(_entry(event, *timed, number, term, now.astimezone(UTC).replace(microsecond=0), language))
    return calendar.to_ical()


def _put(component: icalendar.Component, name: str, value: object) -> None:
    cast("Any", component).add(name, value)


def _entry(
    event: Event, run: Weekly, begin: str, end: str, number: int, term: Term, stamp: datetime, language: Language
) -> icalendar.Event:
    uid = uid_of(event)
    entry = icalendar.Event()
    _put(entry, "uid", uid if number == 1 else f"{uid}-{number}")
    _put(entry, "dtstamp", stamp)
    _put(entry, "summary", event.name)
    _put(entry, "dtstart", _moment(term, run.weeks[0], run, begin))
    _put(entry, "dtend", _moment(term, run.weeks[0], run, end))
    if len(run.weeks) > 1:
        _repeat(entry, run, begin, term)
    if run.particulars.location:
        _put(entry, "location", run.particulars.location)
    _put(entry, "description", _description(run, language))
    _put(entry, "x-steadyhand-event", uid)
    _put(entry, "x-steadyhand-kind", event.kind)
    _put(entry, "x-steadyhand-embed", "TRUE" if event.can_embed else "FALSE")
    _put(entry, "x-steadyhand-clock", "SCALE" if run.particulars.clock is None else "EXACT")
    return entry


def _moment(term: Term, week: int, run: Weekly, clock: str) -> datetime:
    midnight = datetime.combine(term.date_of(week, run.day_of_week), datetime.min.time())
    return (midnight + timedelta(minutes=minutes_of(clock))).replace(tzinfo=ZoneInfo(term.zone))


def _repeat(entry: icalendar.Event, run: Weekly, begin: str, term: Term) -> None:
    step = gcd(*(later - earlier for earlier, later in zip(run.weeks, run.weeks[1:], strict=False)))
    covered = range(run.weeks[0], run.weeks[-1] + 1, step)
    _put(entry, "rrule", {"freq": "weekly", "interval": step, "count": len(covered)})
    left_out = sorted(set(covered) - set(run.weeks))
    if left_out:
        _put(entry, "exdate", [_moment(term, week, run, begin) for week in left_out])


def _description(run: Weekly, language: Language) -> str:
    sections = f"{run.first}-{run.last}" if run.first != run.last else str(run.first)
    lines = [say(language, "export.sections", sections=sections)]
    if run.particulars.teacher:
        lines.append(say(language, "export.teacher", teacher=run.particulars.teacher))
    return "\n".join(lines)


def _time_zone(term: Term) -> icalendar.Timezone:
    """Describe the term's zone with the changes of its offset during the term."""
    zone = ZoneInfo(term.zone)
    component = icalendar.Timezone()
    _put(component, "tzid", term.zone)
    first = datetime.combine(term.first_monday, datetime.min.time(), UTC) - timedelta(days=DAYS_IN_WEEK)
    component.add_component(_observance(first, zone, before=first))
    for change in _changes(zone, first.date(), term.weeks * DAYS_IN_WEEK + 2 * DAYS_IN_WEEK):
        component.add_component(_observance(change, zone, before=change - timedelta(minutes=1)))
    return component


def _changes(zone: ZoneInfo, first: date, days: int) -> Iterator[datetime]:
    """Yield the instants, to the minute, at which the offset of *zone* changes."""
    start = datetime.combine(first, datetime.min.time(), UTC)
    for day in range(days):
        early, late = start + timedelta(days=day), start + timedelta(days=day + 1)
        if _offset(early, zone) == _offset(late, zone):
            continue
        while late - early > timedelta(minutes=1):
            middle = early + timedelta(minutes=(late - early) // timedelta(minutes=2))
            early, late = (middle, late) if _offset(middle, zone) == _offset(early, zone) else (early, middle)
        yield late


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta(0)


def _observance(onset: datetime, zone: ZoneInfo, before: datetime) -> icalendar.TimezoneStandard | icalendar.TimezoneDaylight:
    local = onset.astimezone(zone)
    component = icalendar.TimezoneDaylight() if local.dst() else icalendar.TimezoneStandard()
    _put(component, "dtstart", (onset + _offset(before, zone)).replace(tzinfo=None))
    _put(component, "tzoffsetfrom", _offset(before, zone))
    _put(component, "tzoffsetto", _offset(onset, zone))
    _put(component, "tzname", local.tzname() or "")
    return component
