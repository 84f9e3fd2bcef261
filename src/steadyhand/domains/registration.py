"""What a domain brings to the house, in one record. It decides nothing: wiring holds the records, and every room takes from them what it needs.

A record is cheap to import, since each command does: what costs time is imported by the functions that it holds, when they are called.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language

if TYPE_CHECKING:
    from steadyhand.core.config import Settings
    from steadyhand.gate.claims import Assertion
    from steadyhand.gate.contract import DomainModule
    from steadyhand.gate.controller import Controller
    from steadyhand.llm.rules.book import PhraseBook, Writer
    from steadyhand.memory.working import Working
    from steadyhand.store import Store
    from steadyhand.store.changes.changes import ChangeRow
    from steadyhand.store.upkeep.backup import Holding
    from steadyhand.store.upkeep.health import Finding
    from steadyhand.tools.base import Tool, ToolContext
    from steadyhand.tools.policy import ToolPolicy
    from steadyhand.tools.ports import AnswerReader
    from steadyhand.tools.registry import Registry
    from steadyhand.tools.result import ToolResult

UnderReview: TypeAlias = "Callable[[Controller, ToolContext, ChangeRow], Awaitable[ToolResult]]"
"""Turns a change that was opened into what the person and the model are told of it."""
Facts: TypeAlias = Callable[[UserId], Awaitable[Mapping[str, Json]]]
"""What the context of a turn says of how the person stands: their term, the window of their draft."""
SessionCommand: TypeAlias = Callable[[UserId, SessionId, Language, str], Awaitable[str]]
"""Answers a slash command by the words behind it; raises `ToolRefusal` or `PersonDecides` for what cannot be done."""
Told: TypeAlias = "Callable[[ChangeRow, Language], Sequence[str]]"
"""Lines that a domain adds to those of a change."""


@dataclass(frozen=True, slots=True)
class Home:
    """What an installation gives to its domains. *language* is that of words which are drawn; tools and policy come to be after it."""

    settings: "Settings"
    store: "Store"
    working: "Working"
    language: Language
    registry: "Callable[[], Registry]"
    policy: "Callable[[], ToolPolicy]"


def _no_tools(_controller: "Controller", _under_review: UnderReview) -> "Sequence[Tool[Any]]":
    return ()


def _nothing_by_name() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Installed:
    """A domain over the database and the settings of an installation.

    *shared* names what a session holds that the context of its turns tells; *commands* are the session's, by name; *readers* read the
    answers to the domain's own kinds of questions.
    """

    module: "Callable[[], DomainModule]"
    tools: "Callable[[Controller, UnderReview], Sequence[Tool[Any]]]" = _no_tools
    facts: Facts | None = None
    shared: Collection[str] = ()
    commands: Callable[[], Mapping[str, SessionCommand]] = _nothing_by_name
    readers: "Callable[[], Mapping[str, AnswerReader]]" = _nothing_by_name


def _none() -> Sequence[Any]:
    return ()


def _no_lines(_row: "ChangeRow", _language: Language) -> Sequence[str]:
    return ()


def _nothing_of(_context: Mapping[str, Json], _language: Language) -> Sequence[str]:
    return ()


def _no_words(_language: Language) -> str:
    return ""


def _no_checks(_settings: "Settings") -> "Iterable[Finding]":
    return ()


def _no_standing(_settings: "Settings", _store: "Store") -> "Iterable[Finding]":
    return ()


def _no_holding(_settings: "Settings") -> "Holding | None":
    return None


@dataclass(frozen=True, slots=True)
class Registration:
    """One domain: what it can say, read and write, and the commands, checks and folders that are its own.

    *command* is where its group of commands is, as ``module:attribute``. *prompt* gives the lines that a model reads when the person
    has what they are about, *help* what a person is told who asks what can be said; *assertions* are the words that only a look of the domain supports. Of an executed change *outcome* tells
    what came of it in a conversation, *after* at a terminal; *beside* stands below a review there. *checks* look at what the domain needs,
    *standing* at whether what lies beside the database is what the record speaks of.
    """

    name: str
    install: Callable[[Home], Installed]
    command: str = ""
    phrases: "Callable[[], Sequence[PhraseBook]]" = _none
    writers: "Callable[[], Sequence[Writer]]" = _none
    prompt: Callable[[Mapping[str, Json], Language], Sequence[str]] = _nothing_of
    help: Callable[[Language], str] = _no_words
    assertions: "Callable[[], Sequence[Assertion]]" = _none
    outcome: Told = _no_lines
    after: Told = _no_lines
    beside: Told = _no_lines
    checks: "Callable[[Settings], Iterable[Finding]]" = _no_checks
    standing: "Callable[[Settings, Store], Iterable[Finding]]" = _no_standing
    holding: "Callable[[Settings], Holding | None]" = _no_holding
