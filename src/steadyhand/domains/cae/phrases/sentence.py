"""Decides how statements belong together: what sizes, places and sets are of which shape. It must not look at a part.

What stands alone and needs another (a size of elements without a shape, a direction without a section) makes the whole not understood.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from steadyhand.core.language import Language
from steadyhand.domains.cae.phrases.matching import MOST_SIGNS, Statement, Unread, grammar, plain
from steadyhand.llm.rules.said import cleaned, language_of, said

SHAPES: Final = frozenset({"plate", "beam", "triangle", "quad"})
SECTIONS: Final = frozenset({"rect", "circ", "pipe", "boxed"})
_OF_SHAPES: Final = frozenset({"element_size", "divisions", "origin", "center", "in_plane"})
_SIZED: Final = ("plate", "beam")
"""Shapes of several elements; a size that is said once is that of all of them."""
_ONCE: Final = frozenset({"solve", "solve_accurately", "n1", "gravity", "merge", *SECTIONS})
_SOLVES: Final = frozenset({"solve", "solve_accurately"})
_VAGUE: Final = frozenset(
    {"检查", "检查一下", "核查", "审核", "计算", "计算一下", "check", "check it", "check everything", "inspect it"}
)
"""What may well be said of something else than a part."""

_QUOTED: Final = re.compile(r"[\"“「][^\"“”「」\n]*[\"”」]")
"""A name in quotes; its letters tell nothing of the language of the sentence."""


@dataclass(slots=True)
class Shape:
    """Something to be made: a plate, a beam, a triangle or a quadrilateral, with what is said of it."""

    said: Statement
    more: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def kind(self) -> str:
        """What it is."""
        return self.said.kind


@dataclass(frozen=True, slots=True)
class Sentence:
    """A request that was read whole: its statements in order without those that tell more of a shape, the shapes, and sets of them."""

    language: Language
    statements: tuple[Statement, ...]
    shapes: tuple[Shape, ...]
    sets: Mapping[str, tuple[int, ...]]
    n1: tuple[float, float, float] | None

    def of(self, *kinds: str) -> tuple[Statement, ...]:
        """Return the statements of *kinds*, in order."""
        return tuple(one for one in self.statements if one.kind in kinds)

    @property
    def vague(self) -> bool:
        """Whether nothing in it is surely about a part."""
        return all(one.text.casefold() in _VAGUE for one in self.statements)


@lru_cache(maxsize=64)
def understood(text: str) -> Sentence | Unread:
    """Read a request: as a whole, or else its last line where that reads whole and nothing before it negates or supposes."""
    if len(text) > MOST_SIGNS:
        return Unread(text[:MOST_SIGNS])
    whole = cleaned(text)
    found = _read(whole)
    lines = whole.split("\n")
    if isinstance(found, Sentence) or len(lines) == 1:
        return found
    before = said("\n".join(lines[:-1]), "en")
    last = _read(lines[-1])
    return found if before.negated or before.supposed or isinstance(last, Unread) else last


def _read(text: str) -> Sentence | Unread:
    language = language_of(_QUOTED.sub("", text) or text, "en")
    statements = grammar(language).read(plain(text))
    return statements if isinstance(statements, Unread) else _together(statements, language)


def _together(statements: Sequence[Statement], language: Language) -> Sentence | Unread:
    shapes = [Shape(one) for one in statements if one.kind in SHAPES]
    sizes = [one for one in statements if one.kind == "element_size"]
    sets: dict[str, tuple[int, ...]] = {}
    n1: tuple[float, float, float] | None = None
    at = -1
    for one in statements:
        at += one.kind in SHAPES
        if one.kind in _OF_SHAPES:
            everywhere = one.kind == "element_size" and len(sizes) == 1
            mine = [shape for shape in shapes if shape.kind in _SIZED] if everywhere else shapes[max(at, 0) :][:1]
            if not mine or not all(_told(shape, one) for shape in mine):
                return Unread(one.text)
        elif one.kind == "new_set":
            free = tuple(place for place in range(at + 1) if not any(place in held for held in sets.values()))
            if not free or one.held["name"].casefold() in {name.casefold() for name in sets}:
                return Unread(one.text)
            sets[one.held["name"]] = free
        elif one.kind == "n1":
            n1 = one.held["value"]
    trouble = _trouble(statements)
    if trouble is not None:
        return Unread(trouble.text)
    kept = tuple(one for one in statements if one.kind not in {*_OF_SHAPES, "new_set", "n1"})
    return Sentence(language, kept, tuple(shapes), sets, n1)


def _told(shape: Shape, one: Statement) -> bool:
    """Tell *shape* what *one* says of it; False where it is said already, or cannot be said of such a shape."""
    if one.kind in shape.more or shape.kind not in (_SIZED if one.kind == "element_size" else ("plate",)):
        return False
    shape.more[one.kind] = one.held["value"]
    against = ({"element_size", "divisions"}, {"origin", "center"})
    return not any(pair <= set(shape.more) for pair in against)


def _trouble(statements: Sequence[Statement]) -> Statement | None:
    """Return a statement that stands alone, or against another."""
    kinds = [one.kind for one in statements]
    for one in statements:
        alone = one.kind == "n1" and not SECTIONS & set(kinds)
        twice = one.kind in _ONCE and kinds.count(one.kind) > 1
        if alone or twice:
            return one
    several = [one for one in statements if one.kind in SECTIONS] if len(SECTIONS & set(kinds)) > 1 else []
    solves = [one for one in statements if one.kind in _SOLVES]
    return next(iter([*several[1:], *solves[1:]]), None)
