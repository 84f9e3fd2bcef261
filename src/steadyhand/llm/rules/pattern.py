"""Decides whether a phrase covers a whole text, and what its slots hold then: every way in which it can, not the first. It must not act.

A pattern is text with ``{slot:kind}``, ``[what may be there]``, ``(one|of|several)`` and spaces. A space stands for the gap that the
language has between words: some in English, any or none in Chinese.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from steadyhand.core.errors import Bug
from steadyhand.core.language import Language

MAX_READINGS = 12
MAX_SAMPLES = 400


@dataclass(frozen=True, slots=True)
class Kind:
    """What a slot can hold. *read* returns the value of some words, or None when they are no such thing.

    *loose* says that nearly any words fit: of two phrases that cover a text, the one with fewer loose signs is meant.
    """

    name: str
    read: Callable[[str], str | None]
    samples: tuple[str, ...]
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """The space between two words."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A hole that words of one kind fill."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several; an empty one may be left away."""

    options: tuple["Nodes", ...]


Node: TypeAlias = "str | Gap | Slot | Choice"
Nodes: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which a pattern covers a text: the value of each slot, and how many signs stand in loose ones."""

    slots: Mapping[str, str]
    loose: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled phrase."""

    source: str
    nodes: Nodes
    sieve: "re.Pattern[str]" = field(compare=False)
    gaps: bool = True

    def readings(self, text: str, low: str) -> tuple[Reading, ...]:
        """Return every way in which the pattern covers the whole of *text*, whose `lowered` form is *low*; a bounded number of them."""
        if self.sieve.fullmatch(low) is None:
            return ()
        found = (reading for end, reading in _walk(self, self.nodes, (text, low), 0, Reading({}, 0)) if end == len(text))
        return tuple(islice(found, MAX_READINGS))

    def samples(self) -> tuple[str, ...]:
        """Return phrases that use each alternative of the pattern at least once."""
        spelled = (text.strip() for text in _spelled(self.nodes, gap=" " if self.gaps else ""))
        return tuple(dict.fromkeys(islice(spelled, MAX_SAMPLES)))


def lowered(text: str) -> str:
    """Return *text* in lower case, sign for sign: the one letter that would become two stays as it is."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one := sign.lower()) == 1 else sign for sign in text)


def compiled(source: str, kinds: Mapping[str, Kind], language: Language) -> Pattern:
    """Read a pattern; a malformed one, or one of an unknown kind, is a bug."""
    nodes, end = _sequence(source, 0, kinds, closing="")
    if end != len(source):
        raise Bug("pattern_malformed", pattern=source, at=end)
    gap = r"\s+" if language == "en" else r"\s*"
    return Pattern(source, nodes, re.compile(_regex(nodes, gap), re.DOTALL), language == "en")


def _sequence(source: str, at: int, kinds: Mapping[str, Kind], closing: str) -> tuple[Nodes, int]:
    nodes: list[Node] = []
    text = ""
    while at < len(source) and source[at] not in (closing or "\0") and source[at] != "|":
        sign = source[at]
        if sign not in " {[(":
            text += lowered(sign)
            at += 1
            continue
        if text:
            nodes.append(text)
            text = ""
        node, at = _node(source, at, kinds)
        nodes.append(node)
    return (*nodes, *([text] if text else [])), at


def _node(source: str, at: int, kinds: Mapping[str, Kind]) -> tuple[Node, int]:
    match source[at]:
        case " ":
            return Gap(), at + 1
        case "{":
            end = source.index("}", at)
            name, _, kind = source[at + 1 : end].partition(":")
            if (kind or name) not in kinds:
                raise Bug("pattern_kind_unknown", pattern=source, kind=kind or name)
            return Slot(name, kinds[kind or name]), end + 1
        case "[":
            options, at = _options(source, at + 1, kinds, "]")
            return Choice(((), *options)), at
        case _:
            options, at = _options(source, at + 1, kinds, ")")
            return Choice(options), at


def _options(source: str, at: int, kinds: Mapping[str, Kind], closing: str) -> tuple[tuple[Nodes, ...], int]:
    options: list[Nodes] = []
    while True:
        nodes, at = _sequence(source, at, kinds, closing)
        options.append(nodes)
        if at >= len(source):
            raise Bug("pattern_malformed", pattern=source, at=at)
        if source[at] == closing:
            return tuple(options), at + 1
        at += 1


def _regex(nodes: Nodes, gap: str) -> str:
    parts: list[str] = []
    for node in nodes:
        match node:
            case str():
                parts.append(re.escape(node))
            case Gap():
                parts.append(gap)
            case Slot():
                parts.append(".+?")
            case Choice(options):
                parts.append(f"(?:{'|'.join(_regex(option, gap) for option in options)})")
    return "".join(parts)


def _walk(
    pattern: Pattern, nodes: Sequence[Node], both: tuple[str, str], at: int, so_far: Reading
) -> Iterator[tuple[int, Reading]]:
    """Yield every place up to which *nodes* cover the text from *at*, with what the slots hold."""
    if not nodes:
        yield at, so_far
        return
    node, rest = nodes[0], nodes[1:]
    for end, reading in _one(pattern, node, both, at, so_far):
        yield from _walk(pattern, rest, both, end, reading)


def _one(pattern: Pattern, node: Node, both: tuple[str, str], at: int, so_far: Reading) -> Iterator[tuple[int, Reading]]:
    text, low = both
    match node:
        case str():
            if low.startswith(node, at):
                yield at + len(node), so_far
        case Gap():
            end = len(text) - len(text[at:].lstrip())
            if end > at or not pattern.gaps:
                yield end, so_far
        case Choice(options):
            for option in options:
                yield from _walk(pattern, option, both, at, so_far)
        case Slot():
            yield from _held(node, text, at, so_far)


def _held(slot: Slot, text: str, at: int, so_far: Reading) -> Iterator[tuple[int, Reading]]:
    for end in range(at + 1, len(text) + 1):
        words = text[at:end].strip()
        value = slot.kind.read(words) if words else None
        if value is not None:
            loose = so_far.loose + (len(words) if slot.kind.loose else 0)
            yield end, Reading({**so_far.slots, slot.name: value}, loose)


def _spelled(nodes: Nodes, gap: str) -> Iterator[str]:
    """Yield the first spelling of all nodes, then for each node its other spellings beside the first ones of the rest."""
    forms = [tuple(islice(_forms(node, gap), MAX_SAMPLES)) for node in nodes]
    first = [form[0] for form in forms]
    yield "".join(first)
    for place, form in enumerate(forms):
        for other in form[1:]:
            yield "".join([*first[:place], other, *first[place + 1 :]])


def _forms(node: Node, gap: str) -> Iterator[str]:
    match node:
        case str():
            yield node
        case Gap():
            yield gap
        case Slot(_, kind):
            yield from kind.samples
        case Choice(options):
            for option in options:
                yield from _spelled(option, gap)
