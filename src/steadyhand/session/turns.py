"""Decides how a turn stands in its session: what it reads, what is durable before it acts, what it leaves. It must not decide what the agent does.

One transaction begins a turn, one stands before each round of calls, and one settles it: history, what is owed, what is held.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from steadyhand.agent.events import Listener, nobody
from steadyhand.agent.prompt import messages_of, system_prompt
from steadyhand.agent.turn import Turn, TurnBrief, TurnOutcome
from steadyhand.core import tracing
from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.faults import reach
from steadyhand.core.ids import new_id
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.core.tracing import Value
from steadyhand.core.wire import Message, ToolCall
from steadyhand.gate import machine
from steadyhand.gate.lines import line
from steadyhand.memory import preferences
from steadyhand.memory.compaction import compact
from steadyhand.memory.short_term import recall, to_messages
from steadyhand.session import reading, settling
from steadyhand.session.lane import Held, LaneLost
from steadyhand.session.parts import Parts
from steadyhand.session.questions import KEY, LAST_LIST, Answered, Parked
from steadyhand.session.speaking import Speaking
from steadyhand.session.truth import Ground
from steadyhand.session.unbroken import unbroken
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.sessions import conversations, inbox, remembered, turns
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.store.sessions.turns import TurnRow
from steadyhand.tools.base import Origin, ToolContext
from steadyhand.tools.ports import Ports
from steadyhand.tools.result import ToolResult

AGENT = "steadyhand"
HISTORY_CHARACTERS = 24_000
MOST_READ = 400
"""Entries of the history that are looked at to find the last turns."""
UNASKED: tuple[Origin, ...] = ("wake", "cron", "heartbeat")
"""Origins whose turns nobody has asked for: what the person has written by then is seen from the start."""
SEEING: tuple[Origin, ...] = ("person", *UNASKED)
"""Origins whose turns see what the person writes meanwhile."""

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a turn is about: what came in, in words, and how it is to be taken.

    *on_begin* (with the turn's id) and *on_settle* belong to the transactions that begin and settle it. A *mute* turn speaks by its
    tools alone; with a *correction* a plain final text is answered once with that. *trigger* is kept with what is sent unasked,
    *lead* said before it, and nothing of it where it is not *allowed*; *ending* says that there is no last answer. See `settling.Leaving`.
    """

    taken: Sequence[Inbound]
    said: str
    origin: Origin = "person"
    answered: Answered | None = None
    reminder: str = ""
    attempt: int = 1
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    on_begin: Callable[[Tx, str], None] | None = None
    on_settle: Callable[[Tx, settling.Leaving], None] | None = None
    mute: bool = False
    correction: str = ""
    trigger: Json = None
    lead: str = ""
    allowed: Callable[[Tx], bool] | None = None
    ending: Callable[[Tx, settling.Leaving, str, str], str] | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that has begun, and what it reads. *since* is when the one before it ended, and *before* is how."""

    row: TurnRow
    since: str
    before: str
    user: User
    history: Sequence[Said]
    held: Mapping[str, Json]
    preferences: Mapping[str, str]
    open_changes: Sequence[changes.ChangeRow]


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of a session before its turn began: its person, and what it holds."""

    user: User
    memory: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a turn ended; *cancelled* tells that somebody outside wants more to end than the turn."""

    outcome: TurnOutcome
    state: turns.State
    cancelled: bool


class Turns:
    """Runs the turns of sessions whose lane is held."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def run(
        self, held: Held, asked: Asked, language: Language, listener: Listener = nobody, begun: Begun | None = None
    ) -> settling.Settled:
        """Run one turn to its end and settle it; a wish to stop, or a cancellation, ends it with what it had done on record.

        One that has *begun* with the taking of the lane is not begun again.
        """
        cancelled = held.cancelled
        if begun is None:
            begun, cancelled = await unbroken(self._parts.store.write(lambda tx: begin(tx, held, asked)))
        reach("turn.begun")
        boundary = _Boundary(self._parts, held, begun.row, asked, language)
        results: list[tuple[ToolCall, ToolResult]] = []
        ground = Ground(results, self._parts.assertions, begun.since, language, self._parts.acts, by_code=not self._parts.thinks)
        speaking = Speaking(
            self._parts.outbox, self._parts.store, held, begun.row.id, ground, asked.trigger, asked.lead, asked.allowed
        )
        parked = Parked(self._parts.working, held.user, held.session, begun.row.id)
        turn = self._turn(begun, asked, language, self._ports(begun, asked, speaking, parked), boundary, listener)
        turn.results = results
        work = self._go(turn, begun, asked, language, boundary)
        with self._parts.tracing.span(f"invoke_agent {AGENT}", _attributes(held, begun)) as span:
            ended = await self._to_its_end(held, turn, work, cancelled=cancelled)
            if ended.state == "failed":
                span.failed(ended.outcome.error.code if ended.outcome.error else ended.outcome.end)
        reach("turn.before_settle")
        leaving = _leaving(begun, asked, ended, language, speaking.said)
        if not (parked.used or KEY in begun.held):
            leaving = replace(leaving, may_ask=False)
        settled, late = await unbroken(settling.settle(self._parts, held, leaving))
        if ended.cancelled or late:
            raise asyncio.CancelledError
        return settled

    async def _to_its_end(self, held: Held, turn: Turn, work: Coroutine[Any, Any, TurnOutcome], *, cancelled: bool) -> "_Ended":
        """Let the turn run until it ends, breaks, or is stopped; what it had come to is there in any case."""
        running = asyncio.ensure_future(work)
        held.stop = running.cancel
        try:
            if cancelled:
                raise asyncio.CancelledError  # noqa: TRY301  # it came while the turn began, and ends it like any other
            outcome = await asyncio.shield(running)
            return _Ended(outcome, "failed" if outcome.end in ("provider", "cut", "written_call") else "done", cancelled=False)
        except asyncio.CancelledError:
            cancelled = cancelled or not running.cancelled()
            running.cancel()
            await unbroken(asyncio.gather(running, return_exceptions=True))
            return _Ended(turn.broken_off(), "stopped", cancelled=cancelled)
        except LaneLost:
            raise
        except Exception:
            log.exception("turn_failed", turn=turn.context.turn, session=held.session)
            return _Ended(turn.broken_off(), "failed", cancelled=False)
        finally:
            held.stop = None

    async def _go(self, turn: Turn, begun: Begun, asked: Asked, language: Language, boundary: "_Boundary") -> TurnOutcome:
        brief = await self._brief(begun, asked, language)
        if asked.origin in UNASKED:
            waiting = [Message("user", text) for text in await boundary.said()]
            brief = replace(brief, messages=(*brief.messages, *waiting), correction=asked.correction)
        return await turn.run(brief)

    def _ports(self, begun: Begun, asked: Asked, speaking: Speaking, parked: Parked) -> Ports:
        jobs, row = self._parts.jobs, begun.row
        return Ports(
            outbox=speaking,
            questions=parked if asked.origin == "person" else None,
            jobs=None if jobs is None else jobs(row.user_id, row.session_id, row.id),
            by_rules=not self._parts.thinks,
        )

    def _turn(
        self, begun: Begun, asked: Asked, language: Language, ports: Ports, boundary: "_Boundary", listener: Listener
    ) -> Turn:
        parts = self._parts
        context = ToolContext(
            begun.row.user_id,
            begun.row.session_id,
            parts.store.clock,
            language,
            begun.row.id,
            asked.origin,
            said=asked.answered.resume if asked.answered and asked.answered.resume else asked.said,
            ports=ports,
        )
        return Turn(parts.provider, parts.runner, context, boundary, listener)

    async def _brief(self, begun: Begun, asked: Asked, language: Language) -> TurnBrief:
        parts = self._parts
        now = parts.store.clock.now()
        context: dict[str, Json] = {
            "now": to_text(now),
            "zone": begun.user.zone,
            "language": language,
            "origin": asked.origin,
            "before": begun.before,
            "last_list": begun.held.get(LAST_LIST),
            "changes": [
                {"number": row.number, "state": row.state, "domain": row.domain, "line": line(row, language)}
                for row in begun.open_changes
            ],
            **asked.context,
        }
        if asked.answered is not None:
            context |= {
                "resume": asked.answered.resume,
                "answered": {"kind": asked.answered.kind, "value": asked.answered.value, "text": asked.said},
            }
        context |= {key: begun.held[key] for key in parts.shared if key in begun.held}
        for facts in parts.facts:
            context |= await facts(begun.user.id)
        recalled = compact(recall(begun.history, parts.tiers, now), HISTORY_CHARACTERS, asked.said, language=language)
        domains = [line for prompt in parts.prompts for line in prompt(context, language)]
        system = system_prompt(language, now, context, preferences.lines(begun.preferences, language), domains)
        may_ask = asked.origin == "person"
        names = [
            tool.name
            for tool in parts.runner.registry
            if parts.runner.policy.answer(tool.name, tool.effect, can_ask=may_ask) != "deny"
        ]
        offered = parts.runner.registry.specs(language, names)
        return TurnBrief(messages_of(system, to_messages(recalled), asked.said, asked.reminder), offered, context, parts.limits)


def _leaving(begun: Begun, asked: Asked, ended: _Ended, language: Language, spoken: Mapping[str, str]) -> settling.Leaving:
    return settling.Leaving(
        begun.row,
        asked.origin,
        [row.body for row in asked.taken],
        ended.outcome,
        ended.state,
        language,
        asked.said,
        begun.since,
        spoken,
        asked.mute,
        asked.on_settle,
        asked.lead,
        asked.ending,
    )


def _attributes(held: Held, begun: Begun) -> Mapping[str, Value]:
    return {
        tracing.OPERATION: "invoke_agent",
        tracing.AGENT: AGENT,
        tracing.CONVERSATION: held.session,
        "steadyhand.origin": begun.row.origin,
    }


class _Boundary:
    """What stands between a turn and its session; see `agent.turn.Boundary`."""

    def __init__(self, parts: Parts, held: Held, row: TurnRow, asked: Asked, language: Language) -> None:
        self._parts = parts
        self._held = held
        self._row = row
        self._asked = asked
        self._language: Language = language
        self._seen: set[str] = set()
        self._begun: list[Json] = []

    async def begin(self, calls: Sequence[ToolCall]) -> None:
        self._begun += [{"id": call.id, "tool": call.name} for call in calls]
        held, begun = self._held, list(self._begun)
        own = await self._parts.store.write(
            lambda tx: turns.change_turn(tx, held.user, self._row.id, held.token, calls_begun=begun)
        )
        if not own:
            raise LaneLost
        reach("turn.calls_begun")

    async def said(self) -> Sequence[str]:
        """Return what the person wrote meanwhile, for a model to see: each message is answered by a turn of its own, in its order."""
        if self._asked.origin not in SEEING or not self._parts.thinks:
            return ()
        return await self._parts.store.read(self._look)

    def _look(self, tx: Tx) -> list[str]:
        """Return what the person wrote and this turn has not seen, each in the words that say so; what may decide or command is no part of it."""
        there = inbox.waiting(tx, self._held.user, self._held.session, "person")
        fresh = [inbound for inbound in there if inbound.id not in self._seen]
        self._seen |= {inbound.id for inbound in fresh}
        texts = [cast("str", cast("Mapping[str, Any]", inbound.body)["text"]) for inbound in fresh]
        return [say(self._language, "agent.meanwhile", text=text) for text in texts if not _decides(text)]


def _decides(text: str) -> bool:
    """Tell whether a message may be a decision or a command, which no model is shown before it is taken."""
    return text.startswith(("/", "／")) or reading.answer(text) is not None  # the second is a Chinese keyboard's stroke


def begin(tx: Tx, held: Held, asked: Asked, known: Known | None = None) -> Begun:
    """Begin a turn, and read what it goes by, but for what is *known* from the same transaction."""
    user, session = held.user, held.session
    people.hold_session(tx, user, session)
    before = turns.latest(tx, user, session)
    row = TurnRow(
        new_id("turn"),
        user,
        session,
        asked.origin,
        "running",
        asked.attempt,
        held.token,
        [],
        0,
        None,
        None,
        to_detail(asked),
        tx.now(),
        None,
    )
    turns.insert_turn(tx, row)
    turns.forget_stop(tx, user, session, held.token)
    if asked.on_begin is not None:
        asked.on_begin(tx, row.id)
    if asked.answered is not None:
        remembered.drop(tx, user, session, KEY)
    for inbound in asked.taken:
        if inbound.turn_id is None:
            inbox.start(tx, user, [inbound.id], row.id)
        else:
            inbox.hand_over(tx, user, inbound.turn_id, row.id)
    return Begun(
        row,
        *_before(before),
        known.user if known else people.require_user(tx, user),
        conversations.history(tx, user, session, MOST_READ),
        known.memory if known else remembered.held(tx, user, session),
        cast("Mapping[str, str]", remembered.preferred(tx, user)),
        changes.of_user(tx, user, states=[state.value for state in machine.OPEN]),
    )


def _before(row: TurnRow | None) -> tuple[str, str]:
    """Return when the turn before ended, and how, in the word of its outcome."""
    if row is None:
        return "", ""
    end = row.detail.get("end") if isinstance(row.detail, Mapping) else None
    return row.ended_at or row.started_at, str(end or "")


def to_detail(asked: Asked) -> Json:
    """Return what a turn is about, as its row keeps it while it runs: so that it can be run again."""
    answered = asked.answered
    told: Json = None if answered is None else [answered.kind, answered.text, answered.value, answered.resume]
    return {"said": asked.said, "answered": told}


def from_detail(detail: Json, taken: Sequence[Inbound], attempt: int) -> Asked:
    """Return what a turn was about that took up *taken*, to be run again: what it was about first, then what it heard later."""
    entry = cast("Mapping[str, Any]", detail or {})
    answered = Answered(*entry["answered"]) if entry.get("answered") else None
    later = [cast("str", cast("Mapping[str, Any]", inbound.body).get("text", "")) for inbound in taken[1:]]
    return Asked(taken, "\n".join([entry.get("said", ""), *later]), answered=answered, attempt=attempt)
