"""Decides in which encoding a text or table file is, and bounds it; it must not know what the text means."""

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.report import Entry, entry

MAX_TEXT_BYTES = 2 * 1024 * 1024
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes) -> tuple[str, list[Entry]]:
    """Return the text of *data* (UTF-8 with or without mark, UTF-16 with one, else GB18030) and what is to be said about it."""
    if len(data) > MAX_TEXT_BYTES:
        raise ModelCanFix("import_too_large", size=len(data), limit=MAX_TEXT_BYTES)
    if data.startswith(_UTF16_MARKS):
        return data.decode("utf-16", "replace"), [entry("encoding_read", encoding="UTF-16")]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return data.decode("gb18030", "replace"), [entry("encoding_read", encoding="GB18030")]
