"""Decides which zone a calendar file means by a name; it must not open a file by that name or fetch anything.

A name of a place is looked up in the list of zones that this machine has, then among Windows names. A short name (GMT, EST)
means what the file's own description says, when that is something else, and so does every name of the file's own. What
remains is unknown and read in the term's zone.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from steadyhand.domains.schedule.imports.described_zone import DescribedZone, described, written
from steadyhand.domains.schedule.imports.lines import Scan, ZoneBlock

How: TypeAlias = Literal["iana", "named", "offset", "described", "unknown"]
_OFFSET = re.compile(r"\(?(?:UTC|GMT)\s*([+-])(\d{1,2}):?([0-5]\d)?\)?(?:\D.*)?", re.IGNORECASE)
_TZID = re.compile(r";TZID=(\"[^\"]*\"|[^\";:]+)", re.IGNORECASE)
_MAX_OFFSET_HOURS = 14
_UTC_NAMES = frozenset({"utc", "gmt", "z", "etc/utc", "coordinated universal time", "(utc) coordinated universal time"})
_COMPARED = tuple(datetime.combine(date(year, month, 15), time(12)) for year in range(2015, 2036, 5) for month in range(1, 13))


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone as it is used: *read_as* is the name or offset to tell, *how* how it was found, *own* the file's description of it."""

    tz: tzinfo
    how: How
    read_as: str
    own: tzinfo | None = None

    def contradicted(self, moment: datetime) -> bool:
        """Tell whether the file's own description gives *moment* another offset than the zone that is used."""
        return self.own is not None and moment.replace(tzinfo=self.own).utcoffset() != moment.replace(tzinfo=self.tz).utcoffset()


@cache
def _known() -> dict[str, str]:
    """Return every IANA name by its lower-case form; Windows names and their display forms point to IANA names."""
    return {name.lower(): name for name in available_timezones()}


class Zones:
    """The zones of one file, each name resolved once; *own_name* is the zone that the file gives for times without one."""

    def __init__(self, term_zone: str, blocks: Iterable[ZoneBlock], own_name: str = "") -> None:
        self.term = ZoneInfo(term_zone)
        self.term_name = term_zone
        self._described = {_key(block.name): block for block in blocks if block.name}
        self._found: dict[str, Zone] = {}
        own = self.find(own_name) if own_name.strip() else Zone(self.term, "unknown", term_zone)
        self.floating, self.floating_name = (own.tz, own.read_as) if own.how != "unknown" else (self.term, term_zone)

    def find(self, name: str) -> Zone:
        """Return the zone that *name* means in this file."""
        key = _key(name)
        if key not in self._found:
            self._found[key] = self._resolve(key)
        return self._found[key]

    def _resolve(self, key: str) -> Zone:
        block = self._described.get(key, ZoneBlock())
        own = described(block.observances)
        if key in _known() and ("/" in key or own is None or _alike(own, ZoneInfo(_known()[key]))):
            return Zone(ZoneInfo(_known()[key]), "iana", _known()[key], own)
        for candidate in (_windows().get(key, ""), *_tails(key), block.location.lower()):
            if candidate in _known():
                return Zone(ZoneInfo(_known()[candidate]), "named", _known()[candidate], own)
        if own is not None:
            return _of_the_file(own)
        if key in _UTC_NAMES:
            return Zone(ZoneInfo("UTC"), "named", "UTC")
        offset = _offset(_OFFSET.fullmatch(key))
        if offset is not None:
            return Zone(timezone(offset), "offset", written(offset))
        return Zone(self.term, "unknown", self.term_name)


def _key(name: str) -> str:
    """Return the form in which names are compared: some programs escape commas in the one place and quote them in the other."""
    return name.replace("\\,", ",").replace("\\;", ";").strip().strip('"').lower()


def _alike(one: tzinfo, other: tzinfo) -> bool:
    return all(day.replace(tzinfo=one).utcoffset() == day.replace(tzinfo=other).utcoffset() for day in _COMPARED)


def _of_the_file(own: tzinfo) -> Zone:
    if isinstance(own, DescribedZone):
        return Zone(own, "described", own.summary())
    return Zone(own, "offset", written(own.utcoffset(None) or timedelta(0)))


def named_zone(scanned: Scan) -> str:
    """Return the IANA zone that most events of a file begin in, else the one that the file names for itself; nothing when neither is one."""
    heads = (text.partition(":")[0] for block in scanned.blocks for name, text in block.lines if name == "DTSTART")
    named = Counter(found[1] for found in map(_TZID.search, heads) if found)
    zones = Zones("UTC", scanned.zones)
    for name in (*(name for name, _ in named.most_common()), scanned.own.get("X-WR-TIMEZONE", "")):
        zone = zones.find(name)
        if zone.how in {"iana", "named"}:
            return zone.read_as
    return ""


@cache
def _windows() -> dict[str, str]:
    return {name.lower(): olson.lower() for name, olson in WINDOWS_TO_OLSON.items()}


def _tails(key: str) -> list[str]:
    """Return the last three, two and one parts of a path-like name (``/example.org/2024_1/Asia/Shanghai``)."""
    parts = key.strip("/").split("/")
    return ["/".join(parts[-count:]) for count in (3, 2) if len(parts) > count]


def _offset(match: re.Match[str] | None) -> timedelta | None:
    if match is None or int(match[2]) > _MAX_OFFSET_HOURS:
        return None
    span = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return -span if match[1] == "-" else span
