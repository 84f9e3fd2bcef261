"""Decides whether a text is read whole, as statements one after another, and what each holds. It must not know what a statement means.

At each place the longest statement that ends where a clause can end is taken; two of that length are two meanings, and then nothing is
understood. Places (parts of a statement that say where) have phrases of their own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, Final, TypeAlias

from steadyhand.core.language import Language
from steadyhand.domains.cae.phrases import en, zh
from steadyhand.domains.cae.phrases.kinds import FORMS, Form
from steadyhand.llm.rules.pattern import Choice, Gap, Kind, Nodes, Pattern, Slot, compiled, lowered

MOST_SIGNS: Final = 2_000
MOST_STATEMENTS: Final = 60
MOST_PLACES: Final = 6
_TABLES: Final = {"zh-CN": zh, "en": en}
_LIKE: Final = str.maketrans({"−": "-", "–": "-", "﹣": "-", "⨯": "×", "✕": "×"})
_WORD: Final = re.compile(r"\w")
_ASIDE: Final = re.compile(r" ?\(([^()]*[^()\d\s,.+e-][^()]*)\)")
_APART: Final = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")

Phrases: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said: its *kind* and what its slots hold; *text* is how it stood."""

    kind: str
    held: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Unread:
    """The first words that no statement covers."""

    words: str


class Phrase:
    """A phrase that can be matched; its sieve is made when a text first has the words that it cannot do without."""

    def __init__(
        self, kind: str, source: Pattern, make: "Callable[[Nodes, list[tuple[str, Form]] | None], str]", end: str
    ) -> None:
        self.kind = kind
        self.source = source
        self._make = make
        self._end = end
        self._needs = tuple(_needed(source.nodes))

    @cached_property
    def _ready(self) -> "tuple[re.Pattern[str], tuple[tuple[str, Form], ...]]":
        slots: list[tuple[str, Form]] = []
        return re.compile(self._make(self.source.nodes, slots) + self._end), tuple(slots)

    @property
    def sieve(self) -> "re.Pattern[str]":
        """The pattern that covers the phrase, with a group for each slot."""
        return self._ready[0]

    @property
    def slots(self) -> tuple[tuple[str, Form], ...]:
        """The names and forms of the groups, in order."""
        return self._ready[1]

    @property
    def plain(self) -> str:
        """The pattern without groups, to stand in others."""
        return self._make(self.source.nodes, None)

    def may_be_in(self, low: str) -> bool:
        """Tell whether the words that the phrase cannot do without are in a text."""
        return all(any(word in low for word in words) for words in self._needs)

    def held(self, found: "re.Match[str]", text: str) -> dict[str, Any] | None:
        """Return what the slots hold in *text*, as it was written; None where one of them holds nothing that a call can."""
        values: dict[str, Any] = {}
        for place, (name, form) in enumerate(self.slots, 1):
            begin, end = found.span(place)
            if begin < 0:
                continue
            value = form.read(text[begin:end].strip())
            if value is None or name in values:
                return None
            values[name] = value
        return values


class Grammar:
    """The statements of one language."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._table = _TABLES[language]
        self._gap = " " if language == "en" else " ?"
        self._between = re.compile(rf"(?:{self._table.BETWEEN})+")
        self._begin = re.compile(rf"(?:(?:{self._table.OPENERS}) ?,? ?)*")
        self._joint = re.compile(self._table.JOINT)
        self._close = re.compile(rf"(?:{self._table.CLOSERS})[ .!。]*$")
        self._end = rf"(?=$|{self._table.BETWEEN})"

    @cached_property
    def _own_forms(self) -> Mapping[str, Form]:
        """The forms of places: of elements, and of nodes, of which several can be named together."""
        cells = self._phrases(self._table.CELLS, FORMS, whole=True)
        spots = self._phrases(self._table.SPOTS, FORMS, whole=True)
        one = f"(?:{'|'.join(phrase.plain for phrase in spots)})"
        sample = self._table.SAMPLE_CELLS, self._table.SAMPLE_SPOTS
        return {
            "cells": Form(
                f"(?:{'|'.join(phrase.plain for phrase in cells)})", lambda text: _whole(cells, text), sample[0], sample[0]
            ),
            "spots": Form(
                rf"{one}(?:{self._table.JOINT}{one}){{0,{MOST_PLACES - 1}}}",
                lambda text: _several(spots, re.compile(rf"{one}(?=(?:{self._table.JOINT})|$)"), self._joint, text),
                sample[1],
                sample[1],
            ),
        }

    @cached_property
    def statements(self) -> tuple[Phrase, ...]:
        """Every phrase of every statement."""
        return self._phrases(self._table.PHRASES, {**FORMS, **self._own_forms}, whole=False)

    def _phrases(self, table: Phrases, forms: Mapping[str, Form], *, whole: bool) -> tuple[Phrase, ...]:
        english = self.language == "en"
        kinds = {
            name: Kind(name, lambda text: text, ((form.english or form.sample) if english else form.sample,))
            for name, form in forms.items()
        }
        found: list[Phrase] = []
        for kind, sources in table.items():
            for source in sources:
                pattern = compiled(source, kinds, self.language)
                found.append(Phrase(kind, pattern, partial(self._sieve, forms), "" if whole else self._end))
        return tuple(found)

    def _sieve(self, forms: Mapping[str, Form], nodes: Nodes, slots: list[tuple[str, Form]] | None) -> str:
        """Return the pattern of *nodes*; groups stand around slots where *slots* collects them."""
        parts: list[str] = []
        loose = "" if self.language == "en" else " ?"
        for node in nodes:
            match node:
                case str():
                    parts.append(re.escape(node))
                case Gap():
                    parts.append(self._gap)
                case Slot(name, kind):
                    form = forms[kind.name]
                    if slots is not None:
                        slots.append((name, form))
                    parts.append(f"{loose}{'(?:' if slots is None else '('}{form.pattern}){loose}")
                case Choice(options):
                    parts.append(f"(?:{'|'.join(self._sieve(forms, option, slots) for option in _emptiest_last(options))})")
        return "".join(parts)

    def read(self, text: str) -> "tuple[Statement, ...] | Unread":
        """Read *text*, which is plain (see `plain`), as statements that cover it."""
        low, at = lowered(text), 0
        found: list[Statement] = []
        known = [phrase for phrase in self.statements if phrase.may_be_in(low)]
        begun = self._begin.match(low)
        at = begun.end() if begun else 0
        while at < len(text):
            taken = _longest(known, text, low, at)
            if taken is None or len(found) >= MOST_STATEMENTS:
                return Unread(self._words(text, low, at))
            statement, at = taken
            found.append(statement)
            between = self._between.match(low, at)
            if between is not None and between.end() == len(text) and _WORD.search(between.group()):
                return Unread(between.group().strip(" ,;"))
            at = between.end() if between else at
            closed = self._close.match(low, at)
            at = closed.end() if closed else at
        return tuple(found) if found else Unread(text)

    def _words(self, text: str, low: str, at: int) -> str:
        stop = self._between.search(low, at + 1)
        return text[at : stop.start() if stop else len(text)].strip() or text[at:].strip()


def _longest(phrases: Sequence[Phrase], text: str, low: str, at: int) -> tuple[Statement, int] | None:
    best: dict[str, Statement] = {}
    reach = at
    for phrase in phrases:
        found = phrase.sieve.match(low, at)
        if found is None or found.end() < reach or found.end() == at:
            continue
        held = phrase.held(found, text)
        if held is None:
            continue
        if found.end() > reach:
            best, reach = {}, found.end()
        best.setdefault(phrase.kind, Statement(phrase.kind, held, text[at:reach].strip()))
    return (next(iter(best.values())), reach) if len(best) == 1 else None


def _needed(nodes: Nodes) -> Iterator[tuple[str, ...]]:
    """Yield, for each node that must be there, the words of which one must be."""
    for node in nodes:
        if isinstance(node, str):
            yield (node,)
        elif isinstance(node, Choice):
            words = tuple(next((part for part in option if isinstance(part, str)), "") for option in node.options)
            if all(words):
                yield words


def _emptiest_last(options: Sequence[Nodes]) -> Iterator[Nodes]:
    """Put the empty option of what may be there behind the others, so that as much as possible is taken."""
    yield from (option for option in options if option)
    yield from (option for option in options if not option)


def _several(phrases: Sequence[Phrase], one: "re.Pattern[str]", joint: "re.Pattern[str]", text: str) -> tuple[Any, ...] | None:
    """Return what the places that stand one after another in *text* are; None where one of them is none."""
    low, at = lowered(text), 0
    found: list[Any] = []
    while at < len(text):
        match = one.match(low, at)
        place = None if match is None else _whole(phrases, text[at : match.end()].strip())
        if match is None or place is None:
            return None
        found.append(place)
        joined = joint.match(low, match.end())
        at = joined.end() if joined else len(text)
    return tuple(found)


def _whole(phrases: Sequence[Phrase], text: str) -> Any:
    """Return the kind and the values of the one phrase that covers *text*; None where there is none, or two kinds."""
    low = lowered(text)
    found: dict[str, Any] = {}
    for phrase in phrases:
        match = phrase.sieve.fullmatch(low)
        held = None if match is None else phrase.held(match, text)
        if held is not None:
            found.setdefault(phrase.kind, (phrase.kind, held))
    return next(iter(found.values())) if len(found) == 1 else None


def plain(text: str) -> str:
    """Return *text* with the signs that look alike made one, what stands in brackets behind a comma, no space between Chinese characters."""
    return _APART.sub("", _ASIDE.sub(r",\1", text.translate(_LIKE)))


@cache
def grammar(language: Language) -> Grammar:
    """Return the grammar of *language*, made when it is first needed."""
    return Grammar(language)


def samples(language: Language) -> Iterator[tuple[str, str]]:
    """Yield every alternative of every phrase with its kind."""
    for phrase in grammar(language).statements:
        yield from ((phrase.kind, text) for text in phrase.source.samples())
