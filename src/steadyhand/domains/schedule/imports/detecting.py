"""Decides what a file is by its content; it must not read the events or rows in it."""

import re
from typing import Literal, TypeAlias

FileKind: TypeAlias = Literal["calendar", "table"]
_CALENDAR = re.compile(rb"^[ \t]*BEGIN:(?:VCALENDAR|VEVENT)\b", re.IGNORECASE | re.MULTILINE)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def kind_of(data: bytes) -> FileKind:
    """Return whether *data* is a calendar; everything else is taken for a table."""
    return "calendar" if _CALENDAR.search(_plain(data)) else "table"


def _plain(data: bytes) -> bytes:
    if data.startswith(_UTF16_MARKS):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data.removeprefix(b"\xef\xbb\xbf")
