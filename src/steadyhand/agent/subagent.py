"""Decides how a sub-agent does its job: a turn of its own, with less than its parent has, told as it ended. It must not propose, speak or decide."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.agent.prompt import sub_prompt
from steadyhand.agent.turn import Limits, Turn, TurnBrief, TurnOutcome
from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.core.language import Language, say
from steadyhand.core.wire import Message, ToolCall
from steadyhand.jobs.bodies import Report
from steadyhand.jobs.book import MOST_DEPTH, Book, OwnJobs
from steadyhand.jobs.ending import Ended
from steadyhand.llm.provider import Provider
from steadyhand.memory.short_term import entry_of
from steadyhand.store import Store, Tx
from steadyhand.store.later.jobs import Job
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.conversations import SUB_AGENTS, Said
from steadyhand.tools.base import Effect, Tool, ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.ports import Ports
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Runner

Facts = Callable[[UserId], Awaitable[Mapping[str, Json]]]
Prompt = Callable[[Mapping[str, Json], Language], Sequence[str]]

EFFECTS: tuple[Effect, ...] = ("read", "draft", "workspace", "exec", "external")
"""What a sub-agent may do where policy lets it without asking: it speaks to nobody and makes nothing that lasts in a session."""
OWN = ("spawn", "subagent", "job_status", "cancel_job")
SPAWNING = ("spawn", "subagent")
PROPOSES = "propose"
"""Tools whose names begin so put a change before the person; that is the parent's."""
SHOWN = 2_000
"""So much of each call's result stands in the details that the parent reads."""
SUMMARY = 4_000


@dataclass(frozen=True, slots=True)
class SubAgents:
    """Runs the jobs of kind ``agent``: *run* is what a `jobs.work.Worker` is given. *registry* is asked for when a job begins."""

    store: Store
    provider: Provider
    registry: Callable[[], Registry]
    policy: ToolPolicy
    book: Book
    facts: Sequence[Facts] = ()
    prompts: Sequence[Prompt] = ()

    async def run(self, job: Job, report: Report) -> Ended:
        """Do the job; cancelled, return what was found until then."""
        arguments = cast("Mapping[str, Any]", job.arguments)
        language: Language = arguments["language"]
        session = session_of(job)
        await self.store.write(lambda tx: _begin(tx, job, session, arguments["task"]))
        turn = self._turn(job, session, language, arguments.get("tools"), report)
        limits = Limits(arguments["rounds"], job.seconds, arguments["tokens"])
        cancelled = False
        try:
            outcome = await turn.run(await self._brief(job, turn, arguments["task"], limits))
        except asyncio.CancelledError:
            outcome, cancelled = turn.broken_off(), True
        entries = [entry_of(message, new_id("msg"), job.id, _source(message)) for message in outcome.messages]
        await self.store.write(lambda tx: conversations.add(tx, job.user_id, session, entries))
        return ended(outcome, session, language, cancelled=cancelled)

    def _turn(self, job: Job, session: SessionId, language: Language, may: Sequence[str] | None, report: Report) -> Turn:
        tools = Registry(at_most(self.registry(), self.policy, may, deepest=job.depth >= MOST_DEPTH))
        names = [tool.name for tool in tools]
        own = OwnJobs(self.book, job.user_id, job.session_id, job.id, parent=job.id, tools=names)
        ports = Ports(jobs=own)
        context = ToolContext(job.user_id, session, self.store.clock, language, job.id, "subagent", ports=ports)
        return Turn(self.provider, Runner(tools, self.policy), context, _Boundary(report))

    async def _brief(self, job: Job, turn: Turn, task: str, limits: Limits) -> TurnBrief:
        user = await self.store.read(lambda tx: people.require_user(tx, job.user_id))
        language, now = turn.context.language, self.store.clock.now()
        context: dict[str, Json] = {"now": to_text(now), "zone": user.zone, "language": language, "origin": "subagent"}
        for facts in self.facts:
            context |= await facts(user.id)
        domains = [line for prompt in self.prompts for line in prompt(context, language)]
        system = Message("system", sub_prompt(language, now, context, domains))
        return TurnBrief((system, Message("user", task)), turn.runner.registry.specs(language), context, limits)


class _Boundary:
    """What stands between a sub-agent's turn and its job: how far it is. Nobody speaks to it meanwhile."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._rounds = 0

    async def begin(self, calls: Sequence[ToolCall]) -> None:
        self._rounds += 1
        self._report(self._rounds, 0, ", ".join(call.name for call in calls))

    async def said(self) -> Sequence[str]:
        return ()


def session_of(job: Job) -> SessionId:
    """Return the session of a sub-agent's own."""
    return SessionId(f"sub-{job.id}")


def at_most(registry: Registry, policy: ToolPolicy, may: Iterable[str] | None, *, deepest: bool) -> list[Tool[Any]]:
    """Return the tools of a sub-agent: those of *may* (None: of all) that policy allows with nobody to ask, and none that is its parent's alone."""
    allowed = None if may is None else set(may)
    return [
        tool
        for tool in registry
        if (allowed is None or tool.name in allowed)
        and (tool.effect in EFFECTS or tool.name in OWN)
        and not tool.name.startswith(PROPOSES)
        and not (deepest and tool.name in SPAWNING)
        and policy.answer(tool.name, tool.effect, can_ask=False) == "allow"
    ]


def ended(outcome: TurnOutcome, session: SessionId, language: Language, *, cancelled: bool = False) -> Ended:
    """Return how a sub-agent's job ended: *done* only with an answer; in every other way with the reason, and what it had found."""
    data: Json = {
        "session": session,
        "end": outcome.end,
        "rounds": outcome.rounds,
        "tokens": outcome.usage.input_tokens + outcome.usage.output_tokens,
        "calls": len(outcome.results),
    }
    found = _found(outcome)
    details = _details(outcome, found, language)
    if cancelled:
        return Ended("cancelled", details, found[:SUMMARY], data, "job_cancelled")
    if outcome.end == "answered" and outcome.text.strip():
        return Ended("done", details, found[:SUMMARY], data)
    if outcome.error is not None:
        return Ended(
            "failed",
            details,
            found[:SUMMARY],
            data,
            "agent_cut" if outcome.end == "cut" else "agent_provider",
            {"reason": explain(outcome.error, language).summary},
        )
    reason = "agent_empty" if outcome.end == "answered" else f"agent_{outcome.end}"
    state = "timed_out" if outcome.end == "seconds" else "failed"
    return Ended(state, details, found[:SUMMARY], data, reason, {"rounds": outcome.rounds})


def _found(outcome: TurnOutcome) -> str:
    """Return its last words: the answer, else what it said last beside a call."""
    if outcome.text.strip():
        return outcome.text.strip()
    said = [message.content.strip() for message in outcome.messages if message.role == "assistant" and message.content.strip()]
    return said[-1] if said else ""


def _details(outcome: TurnOutcome, found: str, language: Language) -> str:
    """Return everything that a sub-agent did, call by call, and its last words."""
    lines = [_call(call, result, language) for call, result in outcome.results]
    lines += [say(language, "agent.sub.broken", tool=call.name) for call in outcome.broken]
    if not lines:
        lines = [say(language, "agent.sub.no_calls")]
    if found:
        lines += [say(language, "agent.sub.words"), found]
    return "\n".join(lines)


def _call(call: ToolCall, result: ToolResult, language: Language) -> str:
    text = result.for_llm
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}\n{say(language, 'agent.sub.cut', left=len(text) - SHOWN)}"
    code = f" [{result.code}]" if result.is_error else ""
    return f"- {call.name} {call.arguments}{code}\n{text}"


def _source(message: Message) -> str:
    if message.role == "assistant":
        return "call" if message.tool_calls else "reply"
    return {"user": "system_note", "tool": "result"}[message.role]


def _begin(tx: Tx, job: Job, session: SessionId, task: str) -> None:
    people.ensure_session(tx, job.user_id, session, SUB_AGENTS)
    conversations.change_session(tx, job.user_id, session, name=job.title)
    conversations.add(tx, job.user_id, session, [Said(new_id("msg"), "user", task, "task", job.id)])
