"""Decides which data lines and comments belong to a keyword; it must not know what a keyword means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.deck.claims import Claim, claim_of
from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.deck.words import Head, head_of
from steadyhand.domains.cae.engine.mesh import Labels

TITLE = re.compile(r"\*\*\s*(?:Section|Name):(?P<name>.*)", re.IGNORECASE)
BEHIND = re.compile(r"\s\sProfile:|\sType:", re.IGNORECASE)
TITLED = tuple(b"sSnN")


@dataclass(frozen=True, slots=True)
class Block:
    """A keyword, its data lines from *first* to *last* with *skipped* comments and blank lines among them, and what stands before it.

    *title* is the name that the comment before it gives, as other programs write one.
    """

    lines: Lines
    head: Head
    last: int
    skipped: Labels
    claims: tuple[Claim, ...] = ()
    title: str = ""

    @property
    def key(self) -> str:
        """The keyword without blanks."""
        return self.head.name.replace(" ", "")

    @property
    def data(self) -> Labels:
        """The numbers of the data lines, ascending."""
        found = np.arange(self.head.end, self.last + 1, dtype=np.int64)
        return np.delete(found, self.skipped - self.head.end) if len(self.skipped) else found

    def raw(self) -> bytes:
        """Return the data lines, one after the other."""
        text = self.lines.raw(self.head.end, self.last + 1)
        if not len(self.skipped):
            return text
        lengths = np.diff(self.lines.starts[self.head.end : self.last + 2])
        wanted = np.ones(len(lengths), np.bool_)
        wanted[self.skipped - self.head.end] = False
        return np.frombuffer(text, np.uint8)[np.repeat(wanted, lengths)].tobytes()

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield each data line with its number."""
        for line in self.data.tolist():
            yield line, self.lines.text(line)

    def verbatim(self) -> str:
        """Return keyword and data as they stand, comments among them too."""
        return self.lines.raw(self.head.line, self.last + 1).decode("utf-8").rstrip("\n")


@dataclass(frozen=True, slots=True)
class Ending:
    """What stands after the last keyword's data."""

    claims: tuple[Claim, ...]


def blocks_of(lines: Lines) -> "Iterator[Block | Ending]":
    """Yield the blocks of a deck in order, then its ending. Lines before the first keyword belong to none."""
    skipped = np.sort(np.concatenate((lines.comments, lines.blanks)))
    keywords = [*lines.keywords.tolist(), lines.count]
    telling = _telling(lines)
    claims, title = _before(lines, telling, 0, keywords[0])
    if not len(lines.keywords) and len(skipped) < lines.count:
        lines.refuse(0, "deck_without_keyword")
    at = keywords[0]
    for following in keywords[1:]:
        if following <= at:
            continue  # a keyword line that continued the one before it
        head = head_of(lines, at)
        inner = skipped[np.searchsorted(skipped, head.end) : np.searchsorted(skipped, following)]
        last = _last(inner, head.end, following)
        yield Block(lines, head, last, inner[: np.searchsorted(inner, last)], claims, title)
        claims, title = _before(lines, telling, last, following)
        at = following
    yield Ending(claims)


def prelude(lines: Lines) -> int:
    """Return the first line that is neither blank nor a comment and stands before the first keyword, −1 for none."""
    end = int(lines.keywords[0]) if len(lines.keywords) else lines.count
    skipped = np.concatenate((lines.comments, lines.blanks))
    stray = np.setdiff1d(np.arange(end, dtype=np.int64), skipped[skipped < end])
    return int(stray[0]) if len(stray) else -1


def _last(inner: Labels, first: int, following: int) -> int:
    """Return the last data line before *following*; the line before *first* where there is none."""
    if not len(inner) or int(inner[-1]) != following - 1:
        return following - 1
    trailing = inner == np.arange(following - len(inner), following)
    where = np.flatnonzero(~trailing)
    count = len(inner) if not len(where) else len(inner) - 1 - int(where[-1])
    return max(first - 1, following - 1 - count)


def _telling(lines: Lines) -> Labels:
    """Return the comments that may be ours or a title: two stars, a blank and one of few letters."""
    letters = np.frombuffer(lines.data, np.uint8)
    at = lines.starts[lines.comments]
    third = np.minimum(at + 2, len(letters) - 1)
    fourth = np.minimum(at + 3, len(letters) - 1)
    return lines.comments[(letters[third] == ord(" ")) & np.isin(letters[fourth], TITLED)]


def _before(lines: Lines, telling: Labels, first: int, end: int) -> tuple[tuple[Claim, ...], str]:
    claims: list[Claim] = []
    title = ""
    for line in telling[np.searchsorted(telling, first) : np.searchsorted(telling, end)].tolist():
        text = lines.text(line)
        claim = claim_of(lines, line, text)
        if claim is not None:
            claims.append(claim)
            title = ""
        elif match := TITLE.fullmatch(text):
            title = BEHIND.split(match["name"], maxsplit=1)[0].strip()
    return tuple(claims), title
