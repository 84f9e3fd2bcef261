"""Decides where the lines of a deck begin and which are keywords, comments or blank; it must not know what a keyword means."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Labels

STAR, NEWLINE = 42, 10
CHUNK = 1 << 24
BLANK = np.zeros(256, np.bool_)
BLANK[[9, 11, 12, 32]] = True


@dataclass(frozen=True, slots=True)
class Piece:
    """From line *first* on, the text is that of *file* from its line *number* (from 1) on."""

    first: int
    file: str
    number: int


@dataclass(frozen=True, slots=True)
class Lines:
    """Text cut into lines, which are counted from 0 over all files; *starts* has one entry more than there are lines."""

    data: bytes
    starts: Labels
    keywords: Labels
    comments: Labels
    blanks: Labels
    pieces: tuple[Piece, ...]

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self.starts) - 1

    def raw(self, first: int, end: int) -> bytes:
        """Return the bytes of the lines from *first* up to *end*."""
        return self.data[int(self.starts[first]) : int(self.starts[end])]

    def text(self, line: int) -> str:
        """Return a line without blanks around it."""
        return self.raw(line, line + 1).decode("utf-8").strip()

    def place(self, line: int) -> tuple[str, int]:
        """Return the file that a line comes from, and its number there."""
        piece = self.pieces[max(0, bisect_right(self.pieces, line, key=lambda entry: entry.first) - 1)]
        return piece.file, piece.number + line - piece.first

    def refuse(self, line: int, code: str, **params: "str | int | float | bool") -> NoReturn:
        """Raise `EngineRefusal` *code* for a line."""
        file, number = self.place(line)
        raise EngineRefusal(code, file=file, line=number, **params)


def cut(data: bytes, pieces: tuple[Piece, ...], limits: Limits) -> Lines:
    """Return *data*, which ends with a newline, as lines."""
    bound = EngineRefusal("deck_too_many_lines", file=pieces[0].file, limit=limits.lines)
    if data.count(b"\n") > limits.lines:
        raise bound
    letters = np.frombuffer(data, np.uint8)
    starts = _starts(letters)
    lengths = np.diff(starts)
    first = starts[:-1].copy()
    none = np.zeros(0, np.int64)
    lines = Lines(data, starts, none, none, none, pieces)
    if len(lengths) and int(lengths.max()) > limits.line_bytes:
        lines.refuse(int(lengths.argmax()), "deck_line_too_long", limit=limits.line_bytes)
    led = np.flatnonzero(BLANK[letters[first]])
    while len(led):  # at most as often as the longest allowed line is long, over ever fewer lines
        first[led] += 1
        led = led[BLANK[letters[first[led]]]]
    leaders = letters[first]
    starred = np.flatnonzero(leaders == STAR)
    commented = letters[first[starred] + 1] == STAR
    keywords = starred[~commented]
    if len(keywords) > limits.keywords:
        lines.refuse(int(keywords[limits.keywords]), "deck_too_many_keywords", limit=limits.keywords)
    return Lines(data, starts, keywords, starred[commented], np.flatnonzero(leaders == NEWLINE), pieces)


def _starts(letters: "NDArray[np.uint8]") -> Labels:
    begins = range(0, len(letters), CHUNK)
    found = [np.flatnonzero(letters[begin : begin + CHUNK] == NEWLINE) + (begin + 1) for begin in begins]
    return np.concatenate((np.zeros(1, np.int64), *found))
