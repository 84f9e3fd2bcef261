"""Decides in which encoding a text or table file is, and bounds it; it must not know what the text means."""

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.report import Entry, entry

MAX_TEXT_BYTES = 2 * 1024 * 1024
SAMPLE = 64 * 1024
_SPACE = 0x20
_WHITE = frozenset(b"\t\n\v\f\r\x1a")
_NOT_TEXT = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"%PDF", b"\x7fELF", b"SQLite format 3")
"""How pictures, archives, documents, programs and databases begin."""
STRAY = 50
"""A text may hold a stray control character; one in fifty says that it is no text."""

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode(data: bytes) -> tuple[str, list[Entry]]:
    """Return the text of *data* (UTF-8 with or without mark, UTF-16 with one, else GB18030) and what is to be said about it."""
    if len(data) > MAX_TEXT_BYTES:
        raise ModelCanFix("import_too_large", size=len(data), limit=MAX_TEXT_BYTES)
    if data.startswith(_UTF16_MARKS):
        return data.decode("utf-16", "replace"), [entry("encoding_read", encoding="UTF-16")]
    if data.startswith(_NOT_TEXT):
        raise ModelCanFix("import_not_text")
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        if not _is_text(data):
            raise ModelCanFix("import_not_text") from None
        return data.decode("gb18030", "replace"), [entry("encoding_read", encoding="GB18030")]


def _is_text(data: bytes) -> bool:
    """Tell whether *data*, which is not UTF-8, can be a text in another encoding: not one full of control characters."""
    sample = data[:SAMPLE]
    return sum(byte < _SPACE and byte not in _WHITE for byte in sample) * STRAY <= len(sample)
