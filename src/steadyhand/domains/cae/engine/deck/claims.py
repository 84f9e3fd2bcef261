"""Decides how our comment lines tell what a deck has no keyword for; they must not win where keywords say otherwise."""

import json
import math
from dataclasses import dataclass
from typing import NoReturn, TypeAlias, cast

from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.deck.report import MOST_NEXT
from steadyhand.domains.cae.engine.deck.words import fits
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import fitted

MARK = "** steadyhand:"
MOST_BYTES = 60_000
"""A comment line of ours is shorter than what a reader takes as a line."""
Told: TypeAlias = "str | float | bool | list[Told] | dict[str, Told] | None"


@dataclass(frozen=True, slots=True)
class Claim:
    """One of our comment lines: its object, checked field by field on use. What does not fit raises ``deck_bad_comment``."""

    lines: Lines
    line: int
    fields: dict[str, Told]

    def __contains__(self, field: str) -> bool:
        return field in self.fields

    def name(self, field: str) -> str:
        """Return a field that is a name."""
        found = self.fields.get(field)
        return found if isinstance(found, str) and fits(found) else self.refuse()

    def text(self, field: str) -> str:
        """Return a field that is text."""
        found = self.fields.get(field)
        return found if isinstance(found, str) else self.refuse()

    def flag(self, field: str) -> bool:
        """Return a field that is true or false."""
        found = self.fields.get(field)
        return found if isinstance(found, bool) else self.refuse()

    def number(self, field: str) -> float:
        """Return a field that is a finite number."""
        return self._finite(self.fields.get(field))

    def numbers(self, field: str) -> tuple[float, ...]:
        """Return a field that is a list of finite numbers."""
        found = self.fields.get(field)
        return tuple(self._finite(entry) for entry in found) if isinstance(found, list) else self.refuse()

    def vector(self, field: str) -> tuple[float, float, float]:
        """Return a field that is three numbers."""
        found = self.numbers(field)
        return (found[0], found[1], found[2]) if len(found) == 3 else self.refuse()

    def whole(self, field: str) -> int:
        """Return a field that is a positive whole number."""
        found = self.fields.get(field)
        return found if isinstance(found, int) and not isinstance(found, bool) and 0 < found <= MOST_NEXT else self.refuse()

    def names(self, field: str) -> list[str]:
        """Return a field that is a list of names."""
        found = self.fields.get(field)
        if not isinstance(found, list):
            self.refuse()
        return [entry if isinstance(entry, str) and fits(entry) else self.refuse() for entry in found]

    def _finite(self, value: "Told") -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self.refuse()
        try:
            found = float(value)
        except OverflowError:
            return self.refuse()
        return fitted(found) if math.isfinite(found) else self.refuse()

    def refuse(self) -> NoReturn:
        """Say that this comment is none that we write."""
        self.lines.refuse(self.line, "deck_bad_comment")


def claim_of(lines: Lines, line: int, text: str) -> Claim | None:
    """Return the claim in a comment line, None for a comment of others."""
    if not text.startswith(MARK):
        return None
    try:
        found: object = json.loads(text[len(MARK) :])
    except (ValueError, RecursionError):
        lines.refuse(line, "deck_bad_comment")
    if not isinstance(found, dict):
        lines.refuse(line, "deck_bad_comment")
    return Claim(lines, line, cast("dict[str, Told]", found))


def comment(fields: "dict[str, Told]") -> str:
    """Return the comment line that tells *fields*; one that is too long for a line raises ``deck_text_too_long``."""
    text = f"{MARK} {json.dumps(fields)}\n"
    if len(text) > MOST_BYTES:
        raise EngineRefusal("deck_text_too_long", field=next(iter(fields)), limit=MOST_BYTES)
    return text
