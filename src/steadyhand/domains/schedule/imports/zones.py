"""Decides which zone a calendar file means by a name; it must not open a file by that name or fetch anything.

A name is looked up in the list of zones that this machine has, then among Windows names, then in the file's own
description as far as that gives one fixed offset or an IANA name. What remains is unknown and read in the term's zone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta, timezone, tzinfo
from functools import cache
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from steadyhand.domains.schedule.imports.lines import ZoneBlock

How: TypeAlias = Literal["iana", "named", "offset", "unknown"]
_OFFSET = re.compile(r"\(?(?:UTC|GMT)\s*([+-])(\d{1,2}):?([0-5]\d)?\)?(?:\D.*)?", re.IGNORECASE)
_RAW_OFFSET = re.compile(r"([+-])(\d{2}):?([0-5]\d)(?:\d{2})?")
_MAX_OFFSET_HOURS = 14
_UTC_NAMES = frozenset({"utc", "gmt", "z", "etc/utc", "coordinated universal time", "(utc) coordinated universal time"})


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone as it is used: *read_as* is the name or offset to tell, *how* how it was found."""

    tz: tzinfo
    how: How
    read_as: str


@cache
def _known() -> dict[str, str]:
    """Return every IANA name by its lower-case form; Windows names and their display forms point to IANA names."""
    return {name.lower(): name for name in available_timezones()}


class Zones:
    """The zones of one file, each name resolved once."""

    def __init__(self, term_zone: str, described: Iterable[ZoneBlock]) -> None:
        self.term = ZoneInfo(term_zone)
        self.term_name = term_zone
        self._described = {block.name.lower(): block for block in described if block.name}
        self._found: dict[str, Zone] = {}

    def find(self, name: str) -> Zone:
        """Return the zone that *name* means in this file."""
        key = name.strip().strip('"').lower()
        if key not in self._found:
            self._found[key] = self._resolve(key)
        return self._found[key]

    def _resolve(self, key: str) -> Zone:
        if key in _known():
            return Zone(ZoneInfo(_known()[key]), "iana", _known()[key])
        described = self._described.get(key, ZoneBlock())
        for candidate in (_windows().get(key, ""), *_tails(key), described.location.lower()):
            if candidate in _known():
                return Zone(ZoneInfo(_known()[candidate]), "named", _known()[candidate])
        if key in _UTC_NAMES:
            return Zone(ZoneInfo("UTC"), "named", "UTC")
        offset = _offset(_OFFSET.fullmatch(key)) or _fixed(described)
        if offset is not None:
            return Zone(timezone(offset), "offset", _written(offset))
        return Zone(self.term, "unknown", self.term_name)


@cache
def _windows() -> dict[str, str]:
    return {name.lower(): olson.lower() for name, olson in WINDOWS_TO_OLSON.items()}


def _tails(key: str) -> list[str]:
    """Return the last three, two and one parts of a path-like name (``/example.org/2024_1/Asia/Shanghai``)."""
    parts = key.strip("/").split("/")
    return ["/".join(parts[-count:]) for count in (3, 2) if len(parts) > count]


def _fixed(described: ZoneBlock) -> timedelta | None:
    if len(described.offsets) != 1:
        return None
    return _offset(_RAW_OFFSET.fullmatch(next(iter(described.offsets))))


def _offset(match: re.Match[str] | None) -> timedelta | None:
    if match is None or int(match[2]) > _MAX_OFFSET_HOURS:
        return None
    span = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return -span if match[1] == "-" else span


def _written(offset: timedelta) -> str:
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
