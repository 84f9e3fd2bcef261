"""Decides what a file is by its content, and which zone and name it gives itself; it must not read the events or rows in it."""

import re
from collections import Counter
from typing import Literal, TypeAlias

from steadyhand.core.clock import zone_exists
from steadyhand.domains.schedule.imports.wording import clean

FileKind: TypeAlias = Literal["calendar", "table"]
_FOLD = re.compile(rb"\r?\n[ \t]")
_START_ZONE = re.compile(rb"^DTSTART;(?:[^:\r\n]*;)?TZID=\"?([^\":;\r\n]+)", re.IGNORECASE | re.MULTILINE)
_FILE_ZONE = re.compile(rb"^X-WR-TIMEZONE[^:\r\n]*:([^\r\n]+)", re.IGNORECASE | re.MULTILINE)
_FILE_NAME = re.compile(rb"^X-WR-CALNAME[^:\r\n]*:([^\r\n]+)", re.IGNORECASE | re.MULTILINE)
_CALENDAR = re.compile(rb"^\s*BEGIN:(?:VCALENDAR|VEVENT)\b", re.IGNORECASE | re.MULTILINE)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def kind_of(data: bytes) -> FileKind:
    """Return whether *data* is a calendar; everything else is taken for a table."""
    return "calendar" if _CALENDAR.search(_plain(data)) else "table"


def _plain(data: bytes) -> bytes:
    if data.startswith(_UTF16_MARKS):
        data = data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def zone_of(data: bytes) -> str | None:
    """Return the zone that most events of a calendar begin in, else the one that the file names; None when neither is one."""
    unfolded = _FOLD.sub(b"", _plain(data))
    zones = Counter(name.decode("utf-8", "replace").strip() for name in _START_ZONE.findall(unfolded))
    named = [name for name, _ in zones.most_common()]
    own = _FILE_ZONE.search(unfolded)
    if own is not None:
        named.append(own[1].decode("utf-8", "replace").strip())
    return next((name for name in named if zone_exists(name)), None)


def name_of_calendar(data: bytes) -> str:
    """Return the name that a calendar gives itself, or nothing."""
    found = _FILE_NAME.search(_FOLD.sub(b"", _plain(data)))
    if found is None:
        return ""
    try:
        return clean(found[1].decode("utf-8").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\"))
    except UnicodeDecodeError:
        return clean(found[1].decode("gb18030", "replace"))
