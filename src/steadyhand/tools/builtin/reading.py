"""Decides which part of a file or folder a model is shown, and says what was left out; it must not open anything by name."""

import codecs
import os
import stat
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from steadyhand.core.errors import ToolRefusal

WINDOW_BYTES = 64 * 1024
"""So much of a file is shown at once."""
MAX_SKIPPED_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 20_000
"""Of a folder with more, the names beyond are not looked at."""

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Window:
    """Lines *first* to *last* of a file. *line_cut*: the one line is longer than the window. *more*: lines follow."""

    text: str
    first: int
    last: int
    line_cut: bool
    more: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder; *kind* is ``folder``, ``file``, ``link`` or ``other``."""

    name: str
    kind: str
    size: int


def window(stream: BinaryIO, first: int, most: int, told: str) -> Window:
    """Return at most *most* lines from line *first* on, whole lines unless a single one is too long."""
    passed = _skip(stream, first - 1, told)
    if passed < first - 1:
        raise ToolRefusal("file_ends_before", path=told, lines=passed)
    taken: list[bytes] = []
    room, line_cut = WINDOW_BYTES, False
    while len(taken) < most and room > 0:
        line = stream.readline(room + 1)
        if len(line) > room:
            if taken:
                return Window(_text(b"".join(taken), told), first, first + len(taken) - 1, line_cut, more=True)
            line_cut, line = True, line[:room]
        if not line:
            break
        taken.append(line)
        room -= len(line)
    if line_cut:
        _skip(stream, 1, told)
    more = bool(stream.read(1))
    return Window(_text(b"".join(taken), told, cut=line_cut), first, first + len(taken) - 1, line_cut, more)


def text_of(data: bytes, told: str) -> str:
    """Return a file's bytes as text; refuses what is not text in UTF-8."""
    return _text(data, told)


def entries(folder: int) -> tuple[list[Entry], bool]:
    """Return what lies in an open folder, sorted by name, and whether there is more than is looked at."""
    with os.scandir(folder) as found:
        seen = list(islice(found, MAX_ENTRIES + 1))
        told = [_entry(one) for one in seen[:MAX_ENTRIES]]
    return sorted(told, key=lambda one: one.name), len(seen) > MAX_ENTRIES


def _entry(found: "os.DirEntry[str]") -> Entry:
    try:
        seen = found.stat(follow_symlinks=False)
    except FileNotFoundError:  # it went while we looked
        return Entry(found.name, "other", 0)
    if stat.S_ISDIR(seen.st_mode):
        return Entry(found.name, "folder", 0)
    if stat.S_ISLNK(seen.st_mode):
        return Entry(found.name, "link", 0)
    return Entry(found.name, "file" if stat.S_ISREG(seen.st_mode) else "other", seen.st_size)


def _skip(stream: BinaryIO, lines: int, told: str) -> int:
    """Pass over *lines* line ends without keeping what lies between; return how many lines there were."""
    passed, read, open_line = 0, 0, False
    while passed < lines:
        piece = stream.readline(_CHUNK)
        if not piece:
            return passed + open_line
        read += len(piece)
        if read > MAX_SKIPPED_BYTES:
            raise ToolRefusal("file_too_far", path=told, mib=MAX_SKIPPED_BYTES >> 20)
        open_line = not piece.endswith(b"\n")
        passed += not open_line
    return passed


def _text(data: bytes, told: str, *, cut: bool = False) -> str:
    if b"\0" in data:
        raise ToolRefusal("file_binary", path=told)
    try:
        return codecs.getincrementaldecoder("utf-8")("strict").decode(data, final=not cut)
    except UnicodeDecodeError:
        raise ToolRefusal("file_not_utf8", path=told) from None
