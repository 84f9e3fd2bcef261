"""Decides how one turn goes: ask the provider, run the calls, ask again, within bounds. It must not store, send or decide for a person.

What must be durable before a call begins, and what a person said meanwhile, comes through the turn's `Boundary`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted, Listener, nobody
from steadyhand.agent.repeats import Repeats
from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.canonical import Json, legible
from steadyhand.core.language import say
from steadyhand.core.wire import Completion, Message, Request, ToolCall, ToolSpec, Usage
from steadyhand.llm.provider import CUT_OFF, Provider, ProviderError, complete
from steadyhand.tools.base import Effect, ToolContext
from steadyhand.tools.ports import Budget
from steadyhand.tools.result import ToolResult, storable
from steadyhand.tools.runner import Runner

FINISHED = "finished"
"""The code of a result after which the turn has no more to say."""
ACTS: tuple[Effect, ...] = ("say", "own")
MAX_UNUSABLE = 2
"""How often a turn asks again after an answer whose calls cannot be used."""

End: TypeAlias = Literal["answered", "asked", "finished", "rounds", "seconds", "tokens", "repeated", "provider", "stopped"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one turn may take: questions to the provider, seconds, and tokens of all of them together."""

    rounds: int = 16
    seconds: float = 300.0
    tokens: int = 400_000


class Boundary(Protocol):
    """What stands between the turn and its session."""

    async def begin(self, calls: Sequence[ToolCall]) -> None:
        """Make it durable that *calls* are about to begin."""
        ...

    async def said(self) -> Sequence[str]:
        """Return what the person wrote since the last boundary, to be read in this turn."""
        ...


@dataclass(frozen=True, slots=True)
class TurnBrief:
    """What a turn begins with: the messages up to the person's, the tools that are offered, and the context for providers in this process.

    *passing* turns only see what the person writes meanwhile: a turn of its own answers it, so that it is no entry of this one.
    With a *correction* a plain final text reaches nobody: where no call has acted it is answered once with this note.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    limits: Limits = field(default_factory=Limits)
    passing: bool = False
    correction: str = ""


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What came of a turn. *messages* are the entries that it added; *text* is its last word, empty when it has none.

    *broken* are the calls that were under way when it ended: what they did before, nobody can tell. *unsent* is a final text that
    nobody gets.
    """

    end: End
    text: str
    messages: tuple[Message, ...]
    results: tuple[tuple[ToolCall, ToolResult], ...]
    usage: Usage
    rounds: int
    error: ProviderError | None = None
    broken: tuple[ToolCall, ...] = ()
    unsent: str = ""


class Turn:
    """One run of the loop."""

    def __init__(
        self,
        provider: Provider,
        runner: Runner,
        context: ToolContext,
        boundary: Boundary,
        listener: Listener = nobody,
    ) -> None:
        self._provider = provider
        self.runner = runner
        self.context = replace(context, ports=replace(context.ports, purse=self))
        self._boundary = boundary
        self._listener = listener
        self._repeats = Repeats(runner.registry)
        self.added: list[Message] = []
        self.results: list[tuple[ToolCall, ToolResult]] = []
        self.usage = Usage()
        self.rounds = 0
        self._under_way: ToolCall | None = None
        self._aside: list[Message] = []
        self._unsent = ""
        self._corrected = False
        self._limits = Limits()
        self._begun = context.clock.monotonic()
        self._given = 0

    def rest(self) -> Budget:
        """Return what the turn may still take."""
        seconds = self._limits.seconds - (self.context.clock.monotonic() - self._begun)
        return Budget(max(self._limits.rounds - self.rounds, 0), max(seconds, 0.0), max(self._limits.tokens - self._taken, 0))

    def give(self, tokens: int) -> None:
        """Let *tokens* of the turn's budget be somebody else's."""
        self._given += tokens

    @property
    def _taken(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens + self._given

    async def run(self, brief: TurnBrief) -> TurnOutcome:
        """Go round until the provider has answered, a question is parked, or a bound is met; raises only what is nobody's answer.

        Of a turn that is cancelled, `broken_off` tells what it had come to.
        """
        self._limits, self._begun = brief.limits, self.context.clock.monotonic()
        limit = asyncio.timeout(brief.limits.seconds)
        try:
            async with limit:
                return await self._rounds(brief)
        except TimeoutError:
            if not limit.expired():
                raise
            return self._ended("seconds")
        except ProviderError as error:
            return self._ended("provider", error=error)

    def broken_off(self) -> TurnOutcome:
        """Return what the turn has come to, when it was stopped from outside."""
        return self._ended("stopped")

    async def _rounds(self, brief: TurnBrief) -> TurnOutcome:
        while self.rounds < brief.limits.rounds:
            if self._taken >= brief.limits.tokens:
                return self._ended("tokens")
            answer = await self._ask(brief)
            if not answer.tool_calls:
                if await self._goes_on(brief, answer.text):
                    continue
                return self._ended("answered", "" if brief.correction else answer.text)
            if await self._carry_out(answer):
                return self._ended("finished" if any(result.code == FINISHED for _, result in self.results) else "asked")
            if self._repeats.hopeless:
                return self._ended("repeated")
            self._heard(brief, await self._boundary.said())
        return self._ended("rounds")

    async def _goes_on(self, brief: TurnBrief, text: str) -> bool:
        """Take a plain text; tell whether the provider is asked again: something was said meanwhile, or the text reaches nobody."""
        message = Message("assistant", text)
        self.added.append(message)
        if brief.correction:
            self._aside.append(message)
            self._unsent = text.strip()
        more = await self._boundary.said()
        self._heard(brief, more)
        if more:
            return True
        if not brief.correction or self._corrected or not text.strip() or self._acted():
            return False
        self._corrected = True
        self._pass_by(Message("user", brief.correction))
        return True

    def _acted(self) -> bool:
        """Tell whether a call has spoken or left something that lasts."""
        tools = [(self.runner.registry.find(call.name), result) for call, result in self.results]
        return any(tool is not None and tool.effect in ACTS and not result.is_error for tool, result in tools)

    def _pass_by(self, message: Message) -> None:
        """Let the provider read *message*, and nobody after it."""
        self.added.append(message)
        self._aside.append(message)

    async def _ask(self, brief: TurnBrief) -> Completion:
        """Ask the provider; an answer whose calls cannot be used is told to it, and asked for again, a few times."""
        note: tuple[Message, ...] = ()
        for attempt in range(MAX_UNUSABLE + 1):
            self.rounds += 1
            try:
                return await self._complete(Request((*brief.messages, *self.added, *note), brief.tools, brief.context))
            except ProviderError as error:
                if error.kind != "tool_call" or attempt == MAX_UNUSABLE or self.rounds >= brief.limits.rounds:
                    raise
                self._listener(AskedAgain(error.code))
                note = (Message("user", say(self.context.language, "agent.call_unusable", reason=error.reason)),)
        raise AssertionError  # pragma: no cover  # the loop returns or raises

    async def _complete(self, request: Request) -> Completion:
        answer = await complete(self._provider, request, self._listener)
        if answer.finish in CUT_OFF:
            raise ProviderError("truncated", answer.finish)
        used, more = self.usage, answer.usage
        self.usage = Usage(
            used.input_tokens + more.input_tokens,
            used.output_tokens + more.output_tokens,
            used.cached_tokens + more.cached_tokens,
        )
        return replace(answer, text=legible(answer.text), reasoning=legible(answer.reasoning))

    async def _carry_out(self, answer: Completion) -> bool:
        """Run the calls of an answer in their order; tell whether one of them ends the turn, after which no further one runs."""
        calls = distinct(answer.tool_calls)
        kept = tuple(summarised(call) for call in calls)
        self.added.append(Message("assistant", answer.text, kept, reasoning=answer.reasoning))
        await self._boundary.begin(calls)
        ends = False
        for call in calls:
            result = self._not_run() if ends else await self._one(call)
            self.results.append((call, result))
            self.added.append(Message("tool", result.for_llm, tool_call_id=call.id, data=result.data, code=result.code))
            ends = ends or result.ends_turn
        return ends

    async def _one(self, call: ToolCall) -> ToolResult:
        self._listener(CallStarted(call))
        result = self._repeats.refuses(call, self.context.language)
        if result is None:
            self._under_way = call
            result = storable(await self.runner.run(self.context, call))
            self._under_way = None
            self._repeats.ran(call, result)
        self._listener(CallEnded(call, result))
        return result

    def _not_run(self) -> ToolResult:
        return ToolResult(say(self.context.language, "agent.not_run"), is_error=True, code="not_run")

    def _heard(self, brief: TurnBrief, more: Sequence[str]) -> None:
        for text in more:
            message = Message("user", text)
            if brief.passing:
                self._pass_by(message)
            else:
                self.added.append(message)

    def _ended(self, end: End, text: str = "", error: ProviderError | None = None) -> TurnOutcome:
        broken = () if self._under_way is None else (self._under_way,)
        return TurnOutcome(end, text, self._whole(), tuple(self.results), self.usage, self.rounds, error, broken, self._unsent)

    def _whole(self) -> tuple[Message, ...]:
        """Return the entries, with a result for every call: for one that has none, that it was broken off or never began."""
        passed = {id(message) for message in self._aside}
        kept = [message for message in self.added if id(message) not in passed]
        answered = {message.tool_call_id for message in kept if message.role == "tool"}
        called = [call for message in kept for call in message.tool_calls]
        return (*kept, *(self._missing(call) for call in called if call.id not in answered))

    def _missing(self, call: ToolCall) -> Message:
        began = self._under_way is not None and self._under_way.id == call.id
        text = say(self.context.language, "agent.broken_off" if began else "agent.not_begun")
        return Message("tool", text, tool_call_id=call.id, code="broken_off" if began else "not_run")


def distinct(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Give calls without an id that can be kept, or with one that another has, ids of their own: results are matched by them."""
    taken: set[str] = set()
    found: list[ToolCall] = []
    for index, call in enumerate(calls):
        call_id = call.id if call.id == shown(call.id) else ""
        while not call_id or call_id in taken:
            call_id = f"{shown(call.id) or 'call'}_{index}_{len(taken)}"
        taken.add(call_id)
        found.append(replace(call, id=call_id))
    return tuple(found)


def summarised(call: ToolCall) -> ToolCall:
    """Return *call* as the history keeps it: arguments that cannot be read are not repeated to the model."""
    return call if parse_arguments(call.arguments) is not None else replace(call, arguments="{}")
