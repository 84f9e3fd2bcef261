"""Decides what a session is put together from; it must not hold behaviour."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from steadyhand.agent.turn import Limits
from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language
from steadyhand.core.tracing import NoTracing, Tracing
from steadyhand.gate.claims import Assertion
from steadyhand.gate.controller import Controller
from steadyhand.llm.provider import Provider
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.session.decisions import Decisions
from steadyhand.session.lane import Lanes
from steadyhand.session.outbox import Outbox
from steadyhand.session.questions import AnswerReader
from steadyhand.store import Store
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.tools.ports import Jobs
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner

Facts: TypeAlias = Callable[[UserId], Awaitable[Mapping[str, Json]]]
"""What a domain adds to the context of a turn: how its person stands."""

Prompt: TypeAlias = Callable[[Mapping[str, Json], Language], Sequence[str]]
"""The lines that a model reads of a domain, by the context of the turn."""

CallAnswer: TypeAlias = Callable[[ChangeRow], Awaitable[ToolResult]]
"""What the held call of a decided change has come to, as its caller reads it."""

Spoke: TypeAlias = Callable[[UserId, SessionId, str], object]
"""Is told, in a thread, that a person has spoken in a session over a channel; it must not raise."""


def _not_told(_user: UserId, _session: SessionId, _channel: str) -> None:
    """Be told of nothing."""


DomainCommand: TypeAlias = Callable[[UserId, SessionId, Language, str], Awaitable[str]]
"""Answers a command that a domain has, by the words behind it; raises `ToolRefusal` or `PersonDecides` for what cannot be done."""

Told: TypeAlias = Callable[[ChangeRow, Language], Sequence[str]]
"""What an executed change has to tell a person beyond its state line; nothing for most."""


def _nothing(_row: ChangeRow, _language: Language) -> Sequence[str]:
    return ()


def _no_help(_language: Language) -> Sequence[str]:
    return ()


JobsOf: TypeAlias = Callable[[UserId, SessionId, str], Jobs]
"""The jobs that the agent of a person's session may start in the turn of that id."""


@dataclass(frozen=True)
class Parts:
    """The parts of every session. *thinks* says that the provider is a model, which can go on by itself after a decision.

    *assertions* are words that only a look supports, *prompts* what a model reads of the domains. *writes* names the
    domains whose changes the provider can write. *shared* names what a session holds that the context of its turns tells.
    """

    store: Store
    controller: Controller
    decisions: Decisions
    runner: Runner
    provider: Provider
    thinks: bool
    working: Working
    tiers: Tiers
    outbox: Outbox
    lanes: Lanes
    call_answer: CallAnswer
    assertions: Sequence[Assertion] = ()
    prompts: Sequence[Prompt] = ()
    writes: Collection[str] = ()
    facts: Sequence[Facts] = ()
    shared: Collection[str] = ()
    commands: Mapping[str, DomainCommand] = field(default_factory=dict[str, DomainCommand])
    readers: Mapping[str, AnswerReader] = field(default_factory=dict[str, AnswerReader])
    limits: Limits = field(default_factory=Limits)
    tracing: Tracing = field(default_factory=NoTracing)
    spoke: Spoke = _not_told
    jobs: JobsOf | None = None
    told: Told = _nothing
    help: Callable[[Language], Sequence[str]] = _no_help

    @property
    def acts(self) -> Collection[str]:
        """Return the names of the tools that have an effect of their own, beside the changes."""
        return {tool.name for tool in self.runner.registry if tool.effect in ("own", "workspace", "exec", "external")}
