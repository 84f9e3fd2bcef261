"""A room to talk in: sessions over one database, a provider that follows a script, tools that leave a trace, a channel that keeps what it shows."""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from steadyhand.agent.change_tools import change_tools, under_review
from steadyhand.agent.turn import Limits
from steadyhand.core.clock import Clock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.wire import Completion, Message, Request, ToolCall
from steadyhand.domains.calls.holding import Holding
from steadyhand.domains.calls.module import CallsDomain
from steadyhand.domains.schedule.assertions import FREE
from steadyhand.gate.claims import Assertion
from steadyhand.gate.contract import Given, Target
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import Policy
from steadyhand.gate.proposal import Decider, Proposal
from steadyhand.llm.provider import Provider
from steadyhand.llm.scripted import Line, Scripted
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.session.conversation import Conversations
from steadyhand.session.decisions import Decisions
from steadyhand.session.lane import Lanes
from steadyhand.session.outbox import Outbox
from steadyhand.session.parts import Parts
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.sessions import conversations, inbox, outbox, turns
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.base import Arguments, Effect, Outside, Tool, ToolContext
from steadyhand.tools.builtin.ask_user import ASK_USER
from steadyhand.tools.builtin.message import MESSAGE
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.ports import Delivered, NotSent, Queued, Sent, UnknownSent
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result, silent_result, tool_result, user_result
from steadyhand.tools.runner import Runner
from trial_domains import stand as trial
from trial_domains.notebook import Notebook

ME, OTHER = trial.ME, trial.OTHER
DESK = SessionId("desk")
LEASE = 30.0
_numbers = itertools.count(1)


def calls(*wanted: tuple[str, Any], text: str = "") -> Completion:
    """An answer that calls tools: each a name with its arguments."""
    made = [
        ToolCall(f"call_{next(_numbers)}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for name, arguments in wanted
    ]
    return Completion(text, tool_calls=tuple(made))


def call(name: str, **arguments: Any) -> Completion:
    return calls((name, arguments))


def said(text: str) -> Completion:
    return Completion(text)


def last(request: Request, role: str) -> Message:
    """Return the last entry of that role that the provider was asked with."""
    return [message for message in request.messages if message.role == role][-1]


@dataclass
class Shown:
    """A channel that keeps what it shows. *mood* says how it answers."""

    name: str = "terminal"
    shows_again: bool = True
    mood: str = "up"
    rows: list[Owed] = field(default_factory=list[Owed])
    tries: list[str] = field(default_factory=list[str])

    async def send(self, owed: Owed) -> Delivered:
        self.tries.append(owed.content)
        match self.mood:
            case "down":
                return Queued()
            case "refusing":
                return NotSent("blocked")
            case "mute":
                return UnknownSent()
            case "raising":
                raise OSError("the line broke")
            case _:
                self.rows.append(owed)
                return Sent(f"shown-{owed.id}")

    @property
    def texts(self) -> list[str]:
        return [row.content for row in self.rows]


class Words(Arguments):
    text: str = Field(default="", max_length=2_000)


Body = Callable[[ToolContext, Words], Awaitable[ToolResult]]


@dataclass
class Room:
    """Everything that a test of conversations touches."""

    store: Store
    folder: Path
    provider: Provider
    rules: Sequence[Rule] = ()
    limits: Limits = field(default_factory=Limits)
    thinks: bool = True
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    extra: Sequence[Tool[Any]] = ()
    readers: dict[str, Any] = field(default_factory=dict[str, Any])
    contexts: list[ToolContext] = field(default_factory=list[ToolContext])

    def __post_init__(self) -> None:
        self.channel = Shown()
        self.hanging = asyncio.Event()
        self.channels: dict[tuple[UserId, SessionId], Shown] = {}
        policy = ToolPolicy(tuple(self.rules))
        self.registry = Registry(())
        domains = {"notebook": Notebook(self.store), "calls": CallsDomain(self.store, self.registry, policy)}
        self.controller = Controller(self.store, domains, Policy())
        for tool in (*self._tools(), *change_tools(self.controller), MESSAGE, ASK_USER, *self.extra):
            self.registry.register(tool)
        holding = Holding(self.controller)
        self.decisions = Decisions(self.controller)
        self.working = Working(self.store, Tiers())

        async def answer(row: changes.ChangeRow) -> ToolResult:
            return await holding.answer(row, row.language)

        self.parts = Parts(
            store=self.store,
            controller=self.controller,
            decisions=self.decisions,
            runner=Runner(self.registry, policy, holding.hold),
            provider=self.provider,
            thinks=self.thinks,
            working=self.working,
            tiers=Tiers(),
            outbox=Outbox(self.store, self.decisions, self.attached),
            lanes=Lanes(self.store, LEASE, self.pause),
            call_answer=answer,
            assertions=(Assertion(FREE, frozenset({"peek"}), "schedule.assertion"),),
            readers=self.readers,
            limits=self.limits,
        )
        self.talk = Conversations(self.parts)

    def attached(self, user: UserId, session: SessionId) -> Shown:
        return self.channels.get((user, session), self.channel)

    # --- tools -------------------------------------------------------------------------------------------------------

    def _tools(self) -> Iterable[Tool[Any]]:
        yield self.tool("peek", "read", self._peek)
        yield self.tool("jot", "draft", self._jot)
        yield self.tool("post", "external", self._post)
        yield self.tool("command", "exec", self._post)
        yield self.tool("note", "draft", self._note)
        yield self.tool("hang", "read", self._hang, seconds=3_600.0)
        yield self.tool("choices", "read", self._choices)

    def tool(self, name: str, effect: Effect, body: Body, seconds: float = 30.0) -> Tool[Any]:
        async def noted(context: ToolContext, arguments: Words) -> ToolResult:
            self.contexts.append(context)
            return await body(context, arguments)

        return Tool(name, effect, Words, noted, seconds, outside=Outside(lambda language: f"{name} in {language}", name))

    async def _peek(self, context: ToolContext, arguments: Words) -> ToolResult:
        if arguments.text == "fail":
            return error_result("there is nothing", code="not_found")
        if arguments.text == "odd":
            return ToolResult("odd \ud800 \x00", "odd \ud800 \x00 shown", data={"odd": "\ud800"})
        if arguments.text == "secret":
            return ToolResult("the secret", "the secret is 7", silent=True)
        return tool_result(f"seen {arguments.text}")

    async def _jot(self, context: ToolContext, arguments: Words) -> ToolResult:
        self.effect(f"jot {arguments.text}")
        return user_result(f"jotted {arguments.text}")

    async def _post(self, context: ToolContext, arguments: Words) -> ToolResult:
        self.effect(f"post {arguments.text}")
        return user_result(f"posted {arguments.text}")

    async def _hang(self, context: ToolContext, arguments: Words) -> ToolResult:
        self.hanging.set()
        await asyncio.Event().wait()
        return silent_result("never")

    async def _choices(self, context: ToolContext, arguments: Words) -> ToolResult:
        rows = [{"label": label, "value": label} for label in ("red", "blue")]
        return user_result("1. red\n2. blue", data={"choices": {"kind": "colour", "rows": rows}})

    async def _note(self, context: ToolContext, arguments: Words) -> ToolResult:
        source = Given(({"name": arguments.text, "text": "noted"},))
        target = Target("notebook", "main", context.user)
        opened = Proposal(context.user, context.session, target, context.said or "note", source, None, context.language)
        return await under_review(self.controller, context, await self.controller.open(opened))

    def effect(self, line: str) -> None:
        with (self.folder / "effects.log").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def effects(self) -> list[str]:
        path = self.folder / "effects.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    # --- what a person does ------------------------------------------------------------------------------------------

    async def hear(self, text: str, session: SessionId = DESK, user: UserId = ME, **more: Any) -> list[str]:
        """Let a person say *text* and take it up; return what they are shown then."""
        channel = self.attached(user, session)
        before = len(channel.rows)
        await self.talk.accept(user, session, text, channel="terminal", **more)
        await self.talk.run(user, session, "en")
        return channel.texts[before:]

    async def say(self, text: str, session: SessionId = DESK, user: UserId = ME, **more: Any) -> Any:
        return await self.talk.accept(user, session, text, channel="terminal", **more)

    async def approve(self, number: int) -> Any:
        row = self.change(number)
        return await self.controller.approve(Decider(ME, row.session_id, "test"), number, row.seal_digest)

    # --- the record --------------------------------------------------------------------------------------------------

    def change(self, number: int, user: UserId = ME) -> changes.ChangeRow:
        found = self.store.read_now(lambda tx: changes.by_number(tx, user, number))
        assert found is not None
        return found

    def turn(self, session: SessionId = DESK, user: UserId = ME) -> turns.TurnRow:
        found = self.store.read_now(lambda tx: turns.latest(tx, user, session))
        assert found is not None
        return found

    def history(self, session: SessionId = DESK, user: UserId = ME) -> list[conversations.Said]:
        return self.store.read_now(lambda tx: conversations.history(tx, user, session))

    def entries(self, session: SessionId = DESK, user: UserId = ME) -> list[tuple[str, str]]:
        return [(entry.role, entry.content) for entry in self.history(session, user)]

    def waiting(self, session: SessionId = DESK, user: UserId = ME) -> list[str]:
        rows = self.store.read_now(lambda tx: inbox.waiting(tx, user, session))
        return [row.body["text"] for row in rows]  # type: ignore[index,call-overload]  # a person's body is an object

    def owed(self, turn: str, user: UserId = ME) -> list[Owed]:
        return self.store.read_now(lambda tx: outbox.of_turn(tx, user, turn))

    def unsent(self, session: SessionId = DESK, user: UserId = ME) -> list[Owed]:
        return self.store.read_now(lambda tx: outbox.unsent(tx, user, session))

    async def held(self, session: SessionId = DESK, user: UserId = ME) -> Any:
        return await self.working.held(user, session)

    def again(self, provider: Provider, **more: Any) -> "Room":
        """Return another process's view of the same room, with a script of its own."""
        made = replace(self, provider=provider, contexts=[], **more)
        made.channel = self.channel
        return made


def scripted(*lines: Line) -> Scripted:
    return Scripted(lines)


def build(url: str, folder: Path, clock: Clock | None, *lines: Line, **more: Any) -> Room:
    """Lay the database with its two persons, and stand a room on it."""
    trial.build(url, folder, clock).store.close()
    return over(url, folder, clock, *lines, **more)


def over(url: str, folder: Path, clock: Clock | None, *lines: Line, **more: Any) -> Room:
    return Room(Store(url, clock), folder, more.pop("provider", None) or scripted(*lines), **more)
