"""Decides the shapes that a room registers its phrases in: rules, plans, and what a plan sees and returns. It must not match or run one."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text
from steadyhand.core.language import Language, say
from steadyhand.llm.rules.pattern import Kind, Pattern, compiled

T = TypeVar("T")
Acts: TypeAlias = Literal["", "draft", "own"]
"""What a rule does: nothing but look and tell, write what is shown and easily taken back, or something else that lasts."""
Speaks: TypeAlias = Literal["", "no", "words", "question"]
"""What a rule's phrases hold by themselves: nothing; a no, as in `no need to …`; the person's own words, kept as they stand, in which
a negation or a supposition is none of the request; or such words that are a question."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a plan wants to have called; *acts* marks one that does more than look."""

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    acts: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave: its stable word, its text for a model, its data for code."""

    code: str
    text: str
    data: Json = None

    @property
    def ok(self) -> bool:
        """Whether the call was answered, be it with nothing found."""
        return self.code in ("ok", "none")

    @property
    def fields(self) -> Mapping[str, Any]:
        """The data where it is an object, else nothing."""
        return cast("Mapping[str, Any]", self.data) if isinstance(self.data, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Answer:
    """The last word of a plan; one that is not *well* did not do what was asked, and nothing after it is begun."""

    text: str
    well: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is given: the words' language, every reading of the slots, the tools there are, and the request's context.

    *alone* says that the message asks for nothing else, so that a question to the person can stand for the rest of it.
    """

    language: Language
    text: str
    readings: tuple[Mapping[str, str], ...]
    tools: frozenset[str]
    context: Mapping[str, Json]
    alone: bool = True

    @property
    def slots(self) -> Mapping[str, str]:
        """The first reading, for plans whose phrases have only one."""
        return self.readings[0]

    @property
    def now(self) -> datetime | None:
        """The moment of the turn, where the context tells it."""
        text = self.context.get("now")
        return _moment(text) if isinstance(text, str) else None

    def part(self, name: str) -> Mapping[str, Any]:
        """Return an object of the context, empty where there is none."""
        value = self.context.get(name)
        return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}

    def rows(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return a list of objects of the context, empty where there is none."""
        value = self.context.get(name)
        return cast("Sequence[Mapping[str, Any]]", value) if isinstance(value, Sequence) and not isinstance(value, str) else ()

    def say(self, message: str, /, **params: object) -> str:
        """Word a message of the catalogue in the language of the words."""
        return say(self.language, message, **params)


Looks: TypeAlias = Generator[Sequence[Call], Sequence[Outcome], T]
"""Steps that end with something other than a last word."""
Steps: TypeAlias = Generator[Sequence[Call], Sequence[Outcome], Answer]
Plan: TypeAlias = Callable[[Asked], Steps]
Hints: TypeAlias = Callable[[Asked], Generator[Sequence[Call], Sequence[Outcome], Sequence[str]]]


def _moment(text: str) -> datetime | None:
    try:
        return from_text(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


@dataclass(frozen=True, slots=True)
class Rule:
    """Phrases that mean one thing, and the plan that does it. *talk* marks what is said beside a request and asks for nothing."""

    name: str
    phrases: tuple[str, ...]
    plan: Plan
    acts: Acts = ""
    talk: bool = False
    speaks: Speaks = ""

    @property
    def keeps(self) -> bool:
        """Whether it keeps the person's own words."""
        return self.speaks in ("words", "question")


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """The phrases of one room in one language. *examples* are shown to a person; *hints* finds those that fit how things stand.

    *rows* says, for each kind of list that the room shows, by which words its phrases know a row's value. *held* names what a session
    must hold for the book to be open at all: then its phrases are read before those of any other room, and its examples shown first.
    *unless* names what, where the context lacks it, has its phrases read first all the same: no other room could do what they ask.
    *needs* names what the context must tell of for the room's examples to be of use to a person; whoever lacks it is shown *start*.
    """

    room: str
    language: Language
    rules: tuple[Rule, ...]
    kinds: tuple[Kind, ...] = ()
    examples: tuple[str, ...] = ()
    hints: Hints | None = None
    rows: "Mapping[str, Callable[[Json], str | None]]" = field(default_factory=dict[str, Callable[[Json], "str | None"]])
    held: str = ""
    unless: str = ""
    needs: str = ""
    start: tuple[str, ...] = ()

    def fits(self, context: Mapping[str, Json]) -> bool:
        """Tell whether the person of *context* has what the room is about."""
        return not self.needs or bool(context.get(self.needs))

    def examples_for(self, context: Mapping[str, Json]) -> tuple[str, ...]:
        """Return examples that are of use to the person of *context*."""
        return self.examples if self.fits(context) else self.start


class Writer(Protocol):
    """Writes what a change of one domain asks for, from words that it can read whole; None where it cannot, and then nothing is guessed.

    *brief* is what the domain's brief says, as data.
    """

    @property
    def domain(self) -> str: ...

    def opens(self, text: str, context: Mapping[str, Json]) -> Call | None:
        """Return the call that opens such a change, where *text* is words that can be read whole; *context* is the turn's."""
        ...

    def spec(self, brief: Mapping[str, Any]) -> str | None:
        """Return the spec of the change that the brief's request asks for."""
        ...

    def calls(self, brief: Mapping[str, Any]) -> Sequence[Call] | None:
        """Return a call for each tool that remains, in order."""
        ...

    def unread(self, text: str, context: Mapping[str, Json], language: Language) -> str:
        """Say which words of *text*, that nobody understood, keep it from being a change, where the session is on one's subject."""
        ...


def opened(books: Sequence[PhraseBook], asked: Asked) -> list[PhraseBook]:
    """Return the books of the words' language that are open now, those that the session's own subject opens first."""
    mine = [book for book in books if book.language == asked.language and (not book.held or asked.context.get(book.held))]
    return sorted(mine, key=lambda book: not book.held)


@dataclass(frozen=True, slots=True)
class ReadyRule:
    """A rule with its phrases compiled."""

    rule: Rule
    room: str
    patterns: tuple[Pattern, ...]


def ready(book: PhraseBook) -> tuple[ReadyRule, ...]:
    """Compile the phrases of *book*."""
    kinds = {kind.name: kind for kind in book.kinds}
    return tuple(
        ReadyRule(rule, book.room, tuple(compiled(phrase, kinds, book.language) for phrase in rule.phrases))
        for rule in book.rules
    )


def finished(text: str, *, well: bool = True) -> Steps:
    """Return the steps of a plan that has nothing to look at."""
    yield from ()
    return Answer(text, well)
