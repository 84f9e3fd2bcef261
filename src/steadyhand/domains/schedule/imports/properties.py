"""Decides what the properties of one event mean, or why that event is dropped; it must not look at any other event.

A property that the event can do without costs the event nothing when it cannot be read: it is told. An override that cannot
be taken still says which meeting it stands for, and comes back as one that only takes that meeting out. Properties that could point elsewhere (ATTACH, URL, ORGANIZER, images) are never read.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any, TypeVar, cast

from icalendar.parser import Contentline, unescape_backslash
from icalendar.prop import vDDDTypes

from steadyhand.domains.schedule.imports.lines import Block
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.rules import Rule, read_rule
from steadyhand.domains.schedule.imports.wording import TEXT_CHARS, clean, shown, teacher_in
from steadyhand.domains.schedule.imports.zones import Zones

MAX_DATES = 2_000
OWN_DATES = 20
SHARED_DATES = 60_000
"""Dates that are listed in full: each event has some of its own, the rest comes from a store that all share."""
YEARS = range(1900, 2200)
_UID_CHARS = 250
_EMBED = {"TRUE": True, "FALSE": False}
_DISPENSABLE = frozenset({"LOCATION", "DESCRIPTION", "EXDATE", "RDATE", "SEQUENCE", "STATUS"})
"""What an event can do without: it is read as though it were not there, and that is told."""
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,6})?)?(Z?))?", re.ASCII)
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Property:
    """One content line, taken apart."""

    params: Mapping[str, str]
    value: str


@dataclass(slots=True)
class Draft:
    """One event as its own lines tell it; *replaces* is the meeting that it stands for, when it is an override.

    An override without a name, a place or a *duration* has those of its series. *void* says that it could not be taken.
    """

    line: int
    uid: str
    name: str
    start: datetime
    duration: timedelta | None
    location: str = ""
    teacher: str = ""
    rules: tuple[Rule, ...] = ()
    excluded: tuple[Rule, ...] = ()
    extra: tuple[tuple[datetime, timedelta | None], ...] = ()
    left_out: frozenset[datetime] = frozenset()
    left_out_days: frozenset[date] = frozenset()
    replaces: datetime | date | None = None
    onward: bool = False
    cancelled: bool = False
    void: bool = False
    told: list[Entry] = field(default_factory=list[Entry])
    sequence: int = 0
    content: str = ""
    uid_made: bool = False
    replaced: bool = False
    cleaned: bool = False
    group: str = ""
    kind: str = ""
    can_embed: bool | None = None
    timed: bool = True


@dataclass(slots=True)
class Zoning:
    """How many events of the file were read by which kind of zone, for one line of the report per zone."""

    seen: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    dates_left: int = SHARED_DATES


def read_event(block: Block, zones: Zones, zoning: Zoning) -> Draft:
    """Return what *block* says; whatever makes it unusable raises `Dropped`, but for an override whose meeting is known."""
    properties: dict[str, list[Property]] = {}
    broken: list[str] = []
    for name, line in block.lines:
        try:
            properties.setdefault(name, []).append(_attempt(lambda line=line: _parts(line), "event_unreadable", property=name))
        except Dropped:
            broken.append(name)
    reading = _Reading(block, properties, zones, zoning)
    try:
        return reading.draft(broken)
    except Dropped as dropped:
        void = reading.void(dropped)
        if void is None:
            raise
        return void


def _name_of(block: Block) -> str:
    """Return the name of a broken event as far as it can be read, for the report alone."""
    return shown(next((text.partition(":")[2] for name, text in block.lines if name == "SUMMARY"), "")) or "?"


def _parts(line: str) -> Property:
    """Take a line apart; what stands before the value is the same in most events, thus remembered."""
    at = line.find(":")
    if '"' in line[: max(at, 0)]:
        at = Contentline(line).value_separator_index()
    if at < 0:
        raise ValueError(line)
    return Property(_params(line[:at]), line[at + 1 :])


@lru_cache(maxsize=256)
def _params(head: str) -> Mapping[str, str]:
    if ";" not in head:
        return {}
    given = cast("Mapping[Any, Any]", Contentline(f"{head}:").parts()[1])
    return {str(name).upper(): _joined(value) for name, value in given.items()}


def _joined(value: object) -> str:
    """Return a parameter as it was meant: one whose commas were not quoted comes as a list."""
    return ",".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)


_MOMENT = re.compile(r"[0-9]{8}T[0-9]{6}Z?")


def _from_ical(value: str) -> object:
    """Read a date, a time, a duration or a period; dates as people write them (2026-09-14T08:00) are taken for what they are."""
    if _MOMENT.fullmatch(value) is not None:  # most are such; the library tries every kind of value that there is
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is not None else moment
    return cast("Any", vDDDTypes).from_ical(_ISO.sub(_basic, value.strip(), count=2))


def _basic(match: re.Match[str]) -> str:
    year, month, day, hour, minute, second, zulu = match.groups(default="")
    return f"{year}{month}{day}" + (f"T{hour}{minute}{second or '00'}{zulu}" if hour else "")


def _attempt(read: Callable[[], _Read], code: str, **params: str) -> _Read:
    """Return what *read* returns; whatever a library raises over foreign text becomes one drop."""
    try:
        return read()
    except Dropped:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AssertionError, AttributeError) as error:
        raise Dropped(code, **params) from error


class _Reading:
    """One event under reading."""

    def __init__(self, block: Block, properties: dict[str, list[Property]], zones: Zones, zoning: Zoning) -> None:
        self._block, self._properties, self._zones, self._zoning = block, properties, zones, zoning
        self._told: list[Entry] = []
        self._name, self._cleaned = "", False

    def draft(self, broken: list[str]) -> Draft:
        if self._block.fault:
            raise Dropped(self._block.fault, name=_name_of(self._block))
        for name in broken:
            if name not in _DISPENSABLE:
                raise Dropped("event_unreadable", property=name)
        replaces = self._moment("RECURRENCE-ID", "event_unreadable", property="RECURRENCE-ID")
        cancelled = self._text("STATUS").strip().upper() == "CANCELLED"
        self._read_name(needed=replaces is None)
        if cancelled and replaces is None:
            raise Dropped("cancelled", name=self._shown)
        for name in broken:
            self._tell("property_unreadable", property=name)
        draft = self._drawn(self._start(replaces, cancelled=cancelled), replaces, cancelled=cancelled)
        draft.content = self._content()
        if not draft.uid:
            draft.uid, draft.uid_made = f"made-{draft.content[:20]}@steadyhand", True
        return draft

    def _drawn(self, start: datetime, replaces: datetime | date | None, *, cancelled: bool) -> Draft:
        left_out = self._dates("EXDATE")
        return Draft(
            line=self._block.line,
            uid=clean(self._text("UID"), _UID_CHARS),
            name=self._name,
            start=start,
            duration=None if cancelled else self._duration(start),
            location=clean(self._text("LOCATION")),
            teacher=teacher_in(self._text("DESCRIPTION")),
            rules=self._rules("RRULE", start),
            excluded=self._rules("EXRULE", start),
            extra=self._extra(start),
            left_out=frozenset(at.astimezone(UTC) for at, _ in left_out if isinstance(at, datetime)),
            left_out_days=frozenset(at for at, _ in left_out if not isinstance(at, datetime)),
            replaces=replaces,
            onward=any(p.params.get("RANGE", "").upper() == "THISANDFUTURE" for p in self._all("RECURRENCE-ID")),
            cancelled=cancelled,
            told=self._told,
            sequence=self._sequence(),
            replaced=self._block.replaced,
            cleaned=self._cleaned,
            group=clean(self._text("X-STEADYHAND-EVENT"), _UID_CHARS),
            kind=self._text("X-STEADYHAND-KIND").strip().lower(),
            can_embed=_EMBED.get(self._text("X-STEADYHAND-EMBED").strip().upper()),
            timed=self._text("X-STEADYHAND-CLOCK").strip().upper() != "SCALE",
        )

    def void(self, dropped: Dropped) -> Draft | None:
        """Return the override that *dropped* makes unusable, as one that only takes its meeting out; None when there is none."""
        uid = clean(self._text("UID"), _UID_CHARS)
        try:
            replaces = self._moment("RECURRENCE-ID", "event_unreadable")
        except Dropped:
            return None
        if replaces is None or not uid:
            return None
        told = [Entry(dropped.code, dropped.params, self._block.line)]
        start = replaces if isinstance(replaces, datetime) else _midnight(replaces, self._zones.term)
        return Draft(self._block.line, uid, "", start, None, replaces=replaces, cancelled=True, void=True, told=told)

    def _read_name(self, *, needed: bool) -> None:
        """Take the name; an event without one is called by the first line of its description, or by its place."""
        raw = self._text("SUMMARY")
        self._name = clean(raw)
        self._cleaned = self._name != " ".join(raw.split())
        if self._name or not needed:
            return
        first = next((line for line in self._text("DESCRIPTION").splitlines() if clean(line)), "")
        self._name = clean(first) or clean(self._text("LOCATION"))
        if not self._name:
            raise Dropped("name_missing")
        self._tell("name_found", name=shown(self._name))

    def _tell(self, code: str, **params: str | int) -> None:
        self._told.append(entry(code, self._block.line, **({"name": self._shown} | params)))

    @property
    def _shown(self) -> str:
        return shown(self._name) or "?"

    def _all(self, name: str) -> list[Property]:
        return self._properties.get(name, [])

    def _text(self, name: str) -> str:
        found = self._all(name)
        return unescape_backslash(found[0].value[: 2 * TEXT_CHARS])[:TEXT_CHARS] if found else ""

    def _content(self) -> str:
        """Return a digest of what makes this event the one it is; its place and its teacher may change."""
        parts = [self._name]
        for name in ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "RECURRENCE-ID"):
            parts += [f"{name}{sorted(p.params.items())}{p.value.strip()}" for p in self._all(name)]
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()

    def _start(self, replaces: datetime | date | None, *, cancelled: bool) -> datetime:
        start = self._moment("DTSTART", "start_unreadable", name=self._shown)
        start = replaces if start is None else start
        if start is None:
            raise Dropped("start_missing", name=self._shown)
        if isinstance(start, datetime):
            self._note_zone(start)
            return start
        if cancelled:
            return _midnight(start, self._zones.term)
        raise Dropped("all_day", name=self._shown, date=start.isoformat())

    def _sequence(self) -> int:
        written = self._text("SEQUENCE").strip() or "0"
        if written.isascii() and written.isdigit() and len(written) < 10:
            return int(written)
        self._tell("property_unreadable", property="SEQUENCE")
        return 0

    def _note_zone(self, at: datetime) -> None:
        for start in self._all("DTSTART")[:1]:
            name = start.params.get("TZID", "")
            if start.value.strip().upper().endswith("Z"):
                self._zoning.seen["iana", "UTC", "UTC"] += 1
            elif not name:
                self._zoning.seen["floating", "", self._zones.floating_name] += 1
            else:
                zone = self._zones.find(name)
                self._zoning.seen[zone.how, shown(name), zone.read_as] += 1
                if zone.contradicted(at):
                    self._zoning.seen["contradicted", shown(name), zone.read_as] += 1

    def _moment(self, which: str, code: str, **params: str) -> datetime | date | None:
        found = self._all(which)
        return _attempt(lambda: self._read_moment(found[0].value, found[0].params), code, **params) if found else None

    def _read_moment(self, value: str, params: Mapping[str, str]) -> datetime | date:
        return self._read_period(value, params)[0]

    def _read_period(self, value: str, params: Mapping[str, str]) -> tuple[datetime | date, timedelta | None]:
        """Return a moment, and the length that the value gives it."""
        given = _from_ical(value)
        at, until = cast("tuple[object, object]", given) if isinstance(given, tuple) else (given, None)
        if not isinstance(at, date) or at.year not in YEARS:
            raise ValueError(value)
        if not isinstance(at, datetime):
            return at, None
        start = self._placed(at, params)
        if isinstance(until, datetime):
            until = self._placed(until, params).astimezone(UTC) - start.astimezone(UTC)
        return start, until if isinstance(until, timedelta) and until >= timedelta(0) else None

    def _placed(self, at: datetime, params: Mapping[str, str]) -> datetime:
        if at.tzinfo is not None:
            return at.astimezone(UTC)
        zone = params.get("TZID", "")
        return at.replace(tzinfo=self._zones.find(zone).tz if zone else self._zones.floating)

    def _duration(self, start: datetime) -> timedelta | None:
        end = self._moment("DTEND", "end_unreadable", name=self._shown)
        if end is None and not self._all("DURATION"):
            return None
        if end is not None and not isinstance(end, datetime):
            raise Dropped("end_unreadable", name=self._shown)
        if end is not None:
            span = end.astimezone(UTC) - start.astimezone(UTC)
        else:
            span = _attempt(self._given_duration, "end_unreadable", name=self._shown)
        if span < timedelta(0):
            raise Dropped("end_before_start", name=self._shown)
        return span

    def _given_duration(self) -> timedelta:
        span = _from_ical(self._all("DURATION")[0].value)
        if not isinstance(span, timedelta) or span > timedelta(days=366):
            raise ValueError(span)
        return span

    def _rules(self, which: str, start: datetime) -> tuple[Rule, ...]:
        """Read every rule; one that stands twice counts once."""
        try:
            return tuple(read_rule(value, start) for value in dict.fromkeys(rule.value.strip() for rule in self._all(which)))
        except Dropped as refused:
            raise Dropped(refused.code, name=self._shown, **refused.params) from refused

    def _extra(self, start: datetime) -> tuple[tuple[datetime, timedelta | None], ...]:
        """Return the added meetings; one that is only a day is on that day at the time of the event."""
        return tuple(
            (at if isinstance(at, datetime) else datetime.combine(at, start.timetz()), length)
            for at, length in self._dates("RDATE")
        )

    def _dates(self, name: str) -> list[tuple[datetime | date, timedelta | None]]:
        count = sum(p.value.count(",") + 1 for p in self._all(name))
        shared = max(0, count - OWN_DATES)
        if count > MAX_DATES or shared > self._zoning.dates_left:
            raise Dropped("dates_too_many", name=self._shown)
        self._zoning.dates_left -= shared
        found: list[tuple[datetime | date, timedelta | None]] = []
        unread: list[str] = []
        for given in self._all(name):
            for value in filter(None, map(str.strip, given.value.split(","))):
                try:
                    found.append(_attempt(lambda value=value, given=given: self._read_period(value, given.params), ""))
                except Dropped:
                    unread.append(value)
        if unread:
            self._tell("dates_unreadable", property=name, value=shown(unread[0]), count=len(unread))
        return found


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)
