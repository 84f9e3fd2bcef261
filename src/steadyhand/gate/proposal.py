"""Decides what a change begins with, who decides it, and what it asks of a model; it must not hold a change itself."""

from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language
from steadyhand.gate.contract import Brief, Source, Target


@dataclass(frozen=True, slots=True)
class NeedSpec:
    """A spec is to be written; the brief carries no tool that can reach the target."""

    brief: Brief


@dataclass(frozen=True, slots=True)
class NeedCalls:
    """Calls are to be given; the brief carries just the tools that remain."""

    brief: Brief


Need: TypeAlias = NeedSpec | NeedCalls | None


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides, where, through which door, with which words; *by* tells a person's decision from a policy's.

    *message* is the id of what they said, where that is stored: it decides once, and can be asked later what it decided.
    """

    user: UserId
    session: SessionId
    door: str
    words: str = ""
    by: str = "person"
    message: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a change begins with."""

    user: UserId
    session: SessionId
    target: Target
    request: str
    source: Source | None = None
    scope: Json = None
    language: Language = "en"
    repair_of: int | None = None
    undo_of: int | None = None
    direct: bool = False
