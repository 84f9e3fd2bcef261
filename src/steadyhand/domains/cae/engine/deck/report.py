"""Decides what reading a deck tells beside the part, and how much it takes on; it must not read."""

from dataclasses import dataclass

from steadyhand.domains.cae.engine.part import Part

FORMAT = 1
"""The number of our comment lines' format; a deck with a higher one is refused."""
MOST_LABEL = 2**31 - 1
MOST_NEXT = 2**53
"""The highest label that may come next; it is a whole number in every format."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is taken on before a deck is refused; all of them are far above what a part of some million elements needs."""

    file_bytes: int = 1 << 30
    lines: int = 40_000_000
    line_bytes: int = 1 << 16
    keywords: int = 1_000_000
    includes: int = 1_000
    include_depth: int = 10
    members: int = 50_000_000
    """Labels in all sets together, and labels that are looked up on the way to them."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A keyword whose text was kept as it came: where it stands first, and how often it stands there.

    *idle*: it says what is written out, or names a step, so that no answer depends on it.
    """

    keyword: str
    file: str
    line: int
    count: int
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the part does not hold, or holds otherwise than the deck; *code* is worded by ``deck_note.<code>``."""

    code: str
    file: str
    line: int
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """What reading found: keywords that were kept, notes, and the files that were read, the deck first."""

    unknown: tuple[Unknown, ...]
    notes: tuple[Note, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadDeck:
    """A part as a deck tells it, and the report."""

    part: Part
    report: Report
