"""Decides how keyword lines, names and items are spelled in a deck; it must not know what they stand for."""

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.errors import EngineRefusal

ITEM = re.compile(r'(?:[^,"]|"[^"]*"?)*')
SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
CONTINUED = re.compile(r'[A-Za-z"]')
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Word:
    """The value of a parameter; a *quoted* one keeps its case, others are the same in any."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A keyword with its parameters, from *line* up to *end*; names of both are in capitals."""

    name: str
    params: dict[str, Word]
    line: int
    end: int


def head_of(lines: Lines, line: int) -> Head:
    """Return the keyword that begins in *line*; a comma at its end continues it where the next line is no row of numbers."""
    text, end = lines.text(line), line + 1
    taken = [text]
    while taken[-1].endswith(",") and end < lines.count and CONTINUED.match(more := lines.text(end)):
        taken.append(more)
        end += 1
    first, *rest = items("".join(taken))
    params: dict[str, Word] = {}
    for entry in rest:
        key, _, value = entry.partition("=")
        params.setdefault(" ".join(key.split()).upper(), word(value))
    return Head(" ".join(first.lstrip("*").split()).upper(), params, line, end)


def items(text: str) -> list[str]:
    """Return what stands between the commas of *text*, without blanks around; quotes stay, empty ones at the end go."""
    parts = (match.group() for match in _between_commas(text)) if '"' in text else text.split(",")
    found = [item.strip() for item in parts]
    while found and not found[-1]:
        found.pop()
    return found


def _between_commas(text: str) -> "Iterable[re.Match[str]]":
    at = 0
    while at <= len(text):
        match = ITEM.match(text, at)
        if match is None:
            return
        yield match
        at = match.end() + 1


def word(item: str) -> Word:
    """Return an item or a value with its quotes taken off."""
    text = item.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return Word(text[1:-1], quoted=True)
    return Word(text)


def fold(name: str) -> str:
    """Return *name* as it is compared where case does not matter."""
    return name.upper()


def shown_name(name: str) -> str:
    """Return a name as a refusal may repeat it."""
    return name[:LONGEST_NAME].encode("ascii", "backslashreplace").decode()


def fits(name: str) -> bool:
    """Whether a deck can hold *name*: 1 to 80 printable characters without a quote."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and '"' not in name


def unused(wanted: str, taken: Container[str], counts: dict[str, int]) -> str:
    """Return a name after *wanted* that is not *taken*; *counts* remembers how far the numbers of each have come."""
    stem = wanted[: LONGEST_NAME - 12]
    while True:
        counts[stem] = counts.get(stem, 1) + 1
        name = f"{stem}-{counts[stem]}"
        if name not in taken:
            return name


class Spelling:
    """How the names of one kind are written: in quotes where other programs would take two for the same, or stumble."""

    def __init__(self, names: Iterable[str]) -> None:
        known = list(names)
        for name in known:
            if not fits(name):
                raise EngineRefusal("deck_bad_name", file="", line=0, name=shown_name(name))
        self._count = Counter(fold(name) for name in known)

    def __call__(self, name: str) -> str:
        """Return *name* as it is written."""
        plain = SIMPLE.fullmatch(name) is not None and self._count[fold(name)] <= 1
        return name if plain else f'"{name}"'
