"""Decides which files a deck is read from and flattens what they include; it must not open anything outside the folder."""

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from steadyhand.domains.cae.engine.deck.encodings import as_utf8
from steadyhand.domains.cae.engine.deck.lines import Lines, Piece, cut
from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.deck.words import Head, head_of
from steadyhand.domains.cae.engine.errors import EngineRefusal

SPLICED = {"NODE", "ELEMENT", "NSET", "ELSET"}
"""Keywords whose ``INPUT=`` file is read in their place; of others the text is kept, with the name of the file."""
MAY_INCLUDE = re.compile(rb"INCLUDE|INPUT", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sources:
    """The names of the files that a deck was read from, and for each encoding that they were in the first of them."""

    files: tuple[str, ...]
    encodings: dict[str, str]


def read_lines(path: Path, inside: Path, limits: Limits) -> tuple[Lines, Sources]:
    """Return the lines of a deck with what it includes in place, and where they come from. Raises `EngineRefusal`."""
    files = _Files(inside.resolve(), path.parent, limits)
    text = files.load(path, path.name)
    lines = cut(text, (Piece(0, path.name, 1),), limits)
    files.expand(lines, [path.resolve()])
    if not files.included:
        return lines, Sources((path.name,), files.encodings)
    pieces: list[Piece] = []
    first = 0
    for file, number, part in files.parts:
        pieces.append(Piece(first, file, number))
        first += part.count(b"\n")
    whole = cut(b"".join(part for _, _, part in files.parts), tuple(pieces), limits)
    return whole, Sources((path.name, *files.included), files.encodings)


@dataclass(slots=True)
class _Files:
    root: Path
    folder: Path
    limits: Limits
    parts: list[tuple[str, int, bytes]] = field(default_factory=list[tuple[str, int, bytes]])
    included: dict[str, int] = field(default_factory=dict[str, int])
    encodings: dict[str, str] = field(default_factory=dict[str, str])
    opened: int = 0
    size: int = 0

    def load(self, path: Path, shown: str) -> bytes:
        """Return a file as UTF-8 with one newline at the end of each line."""
        data = self._raw(path, shown)
        self.size += len(data)
        if self.size > self.limits.file_bytes:
            raise EngineRefusal("deck_too_large", file=shown, limit=self.limits.file_bytes)
        data, found = as_utf8(data, shown)
        self.encodings.setdefault(found, shown)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data if data.endswith(b"\n") or not data else data + b"\n"

    def _raw(self, path: Path, shown: str) -> bytes:
        try:
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not make the reader wait
        except FileNotFoundError:
            raise EngineRefusal("deck_file_missing", file=shown) from None
        except (OSError, ValueError):
            raise EngineRefusal("deck_file_unreadable", file=shown) from None
        try:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise EngineRefusal("deck_file_unreadable", file=shown)
            with os.fdopen(number, "rb", closefd=False) as opened:
                return opened.read(min(found.st_size, self.limits.file_bytes) + 1)  # so much memory is taken at once
        except OSError:
            raise EngineRefusal("deck_file_unreadable", file=shown) from None
        finally:
            os.close(number)

    def expand(self, lines: Lines, above: list[Path]) -> None:
        """Collect *lines* with what they include in its place; *above* is the way from the deck to them."""
        done = 0
        for keyword in lines.keywords.tolist():
            if not MAY_INCLUDE.search(lines.raw(keyword, min(keyword + 3, lines.count))):
                continue
            head = head_of(lines, keyword)
            if head.name == "INCLUDE":
                self._take(lines, done, keyword)
                self._include(lines, head, above)
                done = head.end
            elif head.name in SPLICED and "INPUT" in head.params:
                self._take(lines, done, head.end)
                self._include(lines, head, above)
                done = head.end
        self._take(lines, done, lines.count)

    def _take(self, lines: Lines, first: int, end: int) -> None:
        if end > first:
            self.parts.append((*lines.place(first), lines.raw(first, end)))

    def _include(self, lines: Lines, head: Head, above: list[Path]) -> None:
        wanted = head.params.get("INPUT")
        shown = wanted.text if wanted is not None else ""
        path = self._inside(shown)
        if path is None:
            lines.refuse(head.line, "deck_include_outside", name=shown)
        if path in above:
            lines.refuse(head.line, "deck_include_cycle", name=shown)
        self.opened += 1
        if len(above) > self.limits.include_depth or self.opened > self.limits.includes:
            lines.refuse(head.line, "deck_include_limit", name=shown)
        name = str(PurePosixPath(shown.replace("\\", "/")))
        text = self.load(path, name)
        self.included[name] = 1
        if text:
            self.expand(cut(text, (Piece(0, name, 1),), self.limits), [*above, path])

    def _inside(self, shown: str) -> Path | None:
        """Return where an included file really lies, None when that is not below the folder."""
        name = PurePosixPath(shown.replace("\\", "/"))
        if not shown or name.is_absolute() or ".." in name.parts or ":" in shown:
            return None
        try:
            path = (self.folder / name).resolve()
        except (OSError, RuntimeError, ValueError):
            return None
        return path if path.is_relative_to(self.root) else None
