"""Decides what the properties of one event mean, or why that event is dropped; it must not look at any other event.

Properties that could point elsewhere (ATTACH, URL, ORGANIZER, images) are never read.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar, cast

from icalendar.parser import Contentline, unescape_backslash
from icalendar.prop import vDDDTypes

from steadyhand.domains.schedule.imports.lines import Block
from steadyhand.domains.schedule.imports.report import Dropped
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
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Property:
    """One content line, taken apart."""

    params: Mapping[str, str]
    value: str


@dataclass(slots=True)
class Draft:
    """One event as its own lines tell it; *replaces* is the meeting that it stands for, when it is an override."""

    line: int
    uid: str
    name: str
    start: datetime
    duration: timedelta
    location: str = ""
    teacher: str = ""
    rule: Rule | None = None
    extra: tuple[datetime, ...] = ()
    left_out: frozenset[datetime] = frozenset()
    left_out_days: frozenset[date] = frozenset()
    replaces: datetime | date | None = None
    onward: bool = False
    cancelled: bool = False
    sequence: int = 0
    content: str = ""
    uid_made: bool = False
    replaced: bool = False
    cleaned: bool = False
    group: str = ""
    kind: str = ""
    can_embed: bool | None = None


@dataclass(slots=True)
class Zoning:
    """How many events of the file were read by which kind of zone, for one line of the report per zone."""

    seen: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    dates_left: int = SHARED_DATES


def read_event(block: Block, zones: Zones, zoning: Zoning) -> Draft:
    """Return what *block* says; whatever makes it unusable raises `Dropped`."""
    if block.fault:
        raise Dropped(block.fault, name=_name_of(block))
    properties: dict[str, list[Property]] = {}
    for name, line in block.lines:
        properties.setdefault(name, []).append(_attempt(lambda line=line: _parts(line), "event_unreadable", property=name))
    return _Reading(block, properties, zones, zoning).draft()


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
    return {str(name).upper(): str(value) for name, value in given.items()}


def _from_ical(value: str) -> object:
    return cast("Any", vDDDTypes).from_ical(value)


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
        raw = self._text("SUMMARY")
        self._name = clean(raw)
        self._cleaned = self._name != " ".join(raw.split())

    def draft(self) -> Draft:
        replaces = self._moment("RECURRENCE-ID", "event_unreadable", property="RECURRENCE-ID")
        cancelled = self._text("STATUS").strip().upper() == "CANCELLED"
        if cancelled and replaces is None:
            raise Dropped("cancelled", name=self._shown)
        if not self._name and not cancelled:
            raise Dropped("name_missing")
        start = self._start(replaces if cancelled else None)
        left_out = self._dates("EXDATE")
        draft = Draft(
            line=self._block.line,
            uid=clean(self._text("UID"), _UID_CHARS),
            name=self._name,
            start=start,
            duration=timedelta(0) if cancelled else self._duration(start),
            location=clean(self._text("LOCATION")),
            teacher=teacher_in(self._text("DESCRIPTION")),
            rule=self._rule(start),
            extra=tuple(at for at in self._dates("RDATE") if isinstance(at, datetime)),
            left_out=frozenset(at.astimezone(UTC) for at in left_out if isinstance(at, datetime)),
            left_out_days=frozenset(at for at in left_out if not isinstance(at, datetime)),
            replaces=replaces,
            onward=any(p.params.get("RANGE", "").upper() == "THISANDFUTURE" for p in self._all("RECURRENCE-ID")),
            cancelled=cancelled,
            sequence=_attempt(lambda: int(self._text("SEQUENCE") or "0"), "event_unreadable", property="SEQUENCE"),
            replaced=self._block.replaced,
            cleaned=self._cleaned,
            group=clean(self._text("X-STEADYHAND-EVENT"), _UID_CHARS),
            kind=self._text("X-STEADYHAND-KIND").strip().lower(),
            can_embed=_EMBED.get(self._text("X-STEADYHAND-EMBED").strip().upper()),
        )
        draft.content = self._content()
        if not draft.uid:
            draft.uid, draft.uid_made = f"made-{draft.content[:20]}@steadyhand", True
        return draft

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

    def _start(self, stand_in: datetime | date | None) -> datetime:
        start = self._moment("DTSTART", "start_unreadable", name=self._shown)
        start = stand_in if start is None else start
        if start is None:
            raise Dropped("start_missing", name=self._shown)
        if isinstance(start, datetime):
            self._note_zone()
            return start
        if stand_in is not None:
            return datetime(start.year, start.month, start.day, tzinfo=self._zones.term)
        raise Dropped("all_day", name=self._shown, date=start.isoformat())

    def _note_zone(self) -> None:
        for start in self._all("DTSTART")[:1]:
            name = start.params.get("TZID", "")
            if start.value.strip().upper().endswith("Z"):
                self._zoning.seen["iana", "UTC", "UTC"] += 1
            elif not name:
                self._zoning.seen["floating", "", self._zones.term_name] += 1
            else:
                zone = self._zones.find(name)
                self._zoning.seen[zone.how, shown(name), zone.read_as] += 1

    def _moment(self, which: str, code: str, **params: str) -> datetime | date | None:
        found = self._all(which)
        return _attempt(lambda: self._read_moment(found[0].value, found[0].params), code, **params) if found else None

    def _read_moment(self, value: str, params: Mapping[str, str]) -> datetime | date:
        at = _from_ical(value.strip())
        if isinstance(at, tuple):
            at = cast("tuple[object, object]", at)[0]
        if not isinstance(at, date) or at.year not in YEARS:
            raise ValueError(value)
        if isinstance(at, datetime) and at.tzinfo is None:
            zone = params.get("TZID", "")
            return at.replace(tzinfo=self._zones.find(zone).tz if zone else self._zones.term)
        return at.astimezone(UTC) if isinstance(at, datetime) else at

    def _duration(self, start: datetime) -> timedelta:
        end = self._moment("DTEND", "end_unreadable", name=self._shown)
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
        found = self._all("DURATION")
        span = _from_ical(found[0].value.strip()) if found else timedelta(0)
        if not isinstance(span, timedelta) or span > timedelta(days=366):
            raise ValueError(span)
        return span

    def _rule(self, start: datetime) -> Rule | None:
        rules = self._all("RRULE")
        if len(rules) > 1 or self._all("EXRULE"):
            raise Dropped("rule_part", name=self._shown, part="EXRULE" if self._all("EXRULE") else "RRULE")
        if not rules:
            return None
        try:
            return read_rule(rules[0].value, start)
        except Dropped as refused:
            raise Dropped(refused.code, name=self._shown, **refused.params) from refused

    def _dates(self, name: str) -> list[datetime | date]:
        count = sum(p.value.count(",") + 1 for p in self._all(name))
        shared = max(0, count - OWN_DATES)
        if count > MAX_DATES or shared > self._zoning.dates_left:
            raise Dropped("dates_too_many", name=self._shown)
        self._zoning.dates_left -= shared
        return [
            _attempt(lambda value=value, given=given: self._read_moment(value, given.params), "event_unreadable", property=name)
            for given in self._all(name)
            for value in given.value.split(",")
            if value.strip()
        ]
