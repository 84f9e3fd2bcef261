"""Decides how one turn goes: ask the provider, run the calls, ask again, within bounds. It must not store, send or decide for a person.

What must be durable before a call begins, and what a person said meanwhile, comes through the turn's `Boundary`.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted, Listener, nobody
from steadyhand.agent.repeats import Repeats
from steadyhand.agent.written_calls import written_call
from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.canonical import Json, legible
from steadyhand.core.explain import word
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
LONGEST_NAME = 64
NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
"""What servers take as the name of a call in the history that they are sent."""
MAX_UNUSABLE = 4
"""How often in a row a turn asks again after an answer whose calls cannot be used."""

End: TypeAlias = Literal[
    "answered", "asked", "finished", "rounds", "seconds", "tokens", "repeated", "written_call", "cut", "provider", "stopped"
]


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
        """Return what the person wrote since the last boundary, to be seen in this turn: a turn of its own answers it."""
        ...


@dataclass(frozen=True, slots=True)
class TurnBrief:
    """What a turn begins with: the messages up to the person's, the tools that are offered, and the context for providers in this process.

    With a *correction* a plain final text reaches nobody: where no call has acted it is answered once with this note.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    limits: Limits = field(default_factory=Limits)
    correction: str = ""


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What came of a turn. *messages* are the entries that it added; *text* is its last word, empty when it has none.

    *left_out* entries of the history were not read, because the model could not take them. *broken* are the calls that were under way when it ended: what they did before, nobody can tell. *unsent* is a final text that
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
    left_out: int = 0


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
        self._told_to_call = 0
        self._unusable = 0
        self._left_out = 0
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
            return self._cut(brief, error) or self._ended("provider", error=error)

    def _cut(self, brief: TurnBrief, error: ProviderError) -> TurnOutcome | None:
        """Keep the text of an answer that was cut off, as far as it came; None where there is none."""
        text = "" if error.kind != "truncated" or error.answer is None else legible(error.answer.text)
        if not text.strip() or self._is_written_call(brief, text):
            return None
        if brief.correction:
            self._pass_by(Message("assistant", text))
            self._unsent = text.strip()
        else:
            self.added.append(Message("assistant", text))
        return self._ended("cut", text, error)

    def broken_off(self) -> TurnOutcome:
        """Return what the turn has come to, when it was stopped from outside."""
        return self._ended("stopped")

    async def _rounds(self, brief: TurnBrief) -> TurnOutcome:
        while self.rounds < brief.limits.rounds:
            if self._taken >= brief.limits.tokens:
                return self._ended("tokens")
            answer = await self._ask(brief)
            if answer is not None and not answer.tool_calls:
                if await self._goes_on(brief, answer.text):
                    continue
                if self._told_to_call > 1:
                    return self._ended("written_call")
                return self._ended("answered", "" if brief.correction else answer.text)
            if answer is not None and await self._carry_out(answer):
                return self._ended("finished" if any(result.code == FINISHED for _, result in self.results) else "asked")
            if self._repeats.hopeless:
                return self._ended("repeated")
            self._saw(await self._boundary.said())
        return self._ended("rounds")

    def _is_written_call(self, brief: TurnBrief, text: str) -> bool:
        return written_call(text, {tool.name for tool in brief.tools}, self.context.said)

    def _tell_to_call(self, text: str) -> bool:
        """Have the provider make the call that it wrote out as text, once; nothing of the text is run or shown."""
        self._told_to_call += 1
        self._listener(AskedAgain("written_call"))
        if self._told_to_call > 1:
            return False
        self._pass_by(Message("assistant", text))
        self._pass_by(Message("user", say(self.context.language, "agent.written_call")))
        return True

    async def _goes_on(self, brief: TurnBrief, text: str) -> bool:
        """Take a plain text; tell whether the provider is asked again: the text reaches nobody, and that can be mended."""
        if self._is_written_call(brief, text):
            return self._tell_to_call(text)
        if not brief.correction:
            self.added.append(Message("assistant", text))
            return False
        self._pass_by(Message("assistant", text))
        self._unsent = text.strip()
        more = await self._boundary.said()
        self._saw(more)
        if more:
            return True
        if self._corrected or not text.strip() or self._acted():
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

    async def _ask(self, brief: TurnBrief) -> Completion | None:
        """Ask the provider; None when its calls could not be used: it reads what was wrong with each, and nothing was run."""
        self.rounds += 1
        try:
            answer = await self._complete(Request((*self._read(brief), *self.added), brief.tools, brief.context))
        except ProviderError as error:
            if error.case == "too_long" and self._shortens(brief) and self.rounds < brief.limits.rounds:
                return None
            self._unusable += 1
            if error.kind != "tool_call" or self._unusable > MAX_UNUSABLE or self.rounds >= brief.limits.rounds:
                raise
            self._listener(AskedAgain(error.code))
            self._explain(error)
            return None
        self._unusable = 0
        return answer

    def _read(self, brief: TurnBrief) -> tuple[Message, ...]:
        """Return what the provider reads before the turn's own entries: the first, and of the others all but the oldest that are left out."""
        return (*brief.messages[:1], *brief.messages[1 + self._left_out :])

    def _shortens(self, brief: TurnBrief) -> bool:
        """Leave out the older half of what the provider has read of the history, up to a message of a person; tell whether that is less."""
        before = brief.messages[1:-1]
        wanted = self._left_out + (len(before) - self._left_out + 1) // 2
        starts = [place for place in range(wanted, len(before)) if before[place].role == "user"]
        left_out = starts[0] if starts else len(before)
        shorter, self._left_out = left_out > self._left_out, left_out
        return shorter

    def _explain(self, error: ProviderError) -> None:
        """Answer each call of an answer of which one cannot be used with what was wrong, as the result of that call."""
        language = self.context.language
        given = error.answer
        if given is None or not given.tool_calls:
            reason = str(word(language, "reason", error.reason))
            self._pass_by(Message("user", say(language, "agent.call_unusable", reason=reason)))
            return
        calls = distinct(given.tool_calls)
        unfit = {call.id: self.runner.unfit(self.context, call) for call in calls}
        self.added.append(
            Message("assistant", legible(given.text), tuple(summarised(call) for call in calls), reasoning=given.reasoning)
        )
        for call in calls:
            self._listener(CallStarted(call))
            result = self._repeats.refuses(call, language) or unfit[call.id] or self._set_aside(call, error, any(unfit.values()))
            self._repeats.ran(call, result)
            self._answered(call, result)
            self._listener(CallEnded(call, result))

    def _set_aside(self, call: ToolCall, error: ProviderError, another: bool) -> ToolResult:
        """Return why a call that fits was not run: another of its answer does not, or the form that was declared is another."""
        reason = str(word(self.context.language, "reason", error.reason))
        key = "other_unfit" if another else "unusable_call"
        text = say(self.context.language, f"tools.{key}", tool=shown(call.name), reason=f"{reason}{error.params['about']}")
        return ToolResult(text, is_error=True, code="not_run")

    async def _complete(self, request: Request) -> Completion:
        answer = await complete(self._provider, request, self._listener)
        if answer.finish in CUT_OFF:
            if answer.finish != "length":
                raise ProviderError("truncated", "withheld")
            raise ProviderError("truncated", "cut_short", answer=Completion(answer.text))
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
            self._answered(call, result)
            ends = ends or result.ends_turn
        return ends

    def _answered(self, call: ToolCall, result: ToolResult) -> None:
        self.results.append((call, result))
        self.added.append(Message("tool", result.for_llm, tool_call_id=call.id, data=result.data, code=result.code))

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

    def _saw(self, more: Sequence[str]) -> None:
        for text in more:
            self._pass_by(Message("user", text))

    def _ended(self, end: End, text: str = "", error: ProviderError | None = None) -> TurnOutcome:
        broken = () if self._under_way is None else (self._under_way,)
        return TurnOutcome(
            end, text, self._whole(), tuple(self.results), self.usage, self.rounds, error, broken, self._unsent, self._left_out
        )

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
    """Return *call* as the history keeps it: arguments that cannot be read are not repeated to the model, nor is a name that is none."""
    name = call.name if NAME.fullmatch(call.name) else NOT_IN_A_NAME.sub("_", call.name)[:LONGEST_NAME] or "unnamed"
    return replace(call, name=name, arguments=call.arguments if parse_arguments(call.arguments) is not None else "{}")
