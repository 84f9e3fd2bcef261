"""Decides how what comes in for a session is taken: a decision first, then a command, an answer, else a turn. It must not do any of them itself.

Whatever comes in is stored before it is acknowledged, and taken up by whoever holds the session's lane.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

from steadyhand.agent.collect import collect
from steadyhand.agent.events import Listener, nobody
from steadyhand.core.canonical import Json, digest, legible
from steadyhand.core.clock import to_text
from steadyhand.core.errors import SchemaMismatch, SettingsInvalid, StoreUnavailable
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId, UserId, change_name, new_id
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.core.wire import NOTICE, ToolCall
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.session import recovery
from steadyhand.session.commands import REFUSALS, Asking, CommandAnswer, Commands, shown_for_review
from steadyhand.session.decisions import Decided, NotADecision, Refused
from steadyhand.session.lane import Held, LaneLost, leave
from steadyhand.session.opening import Opened, Talk, open_session
from steadyhand.session.parts import Parts
from steadyhand.session.questions import KEY, WHICH, Answered, Questions
from steadyhand.session.reading import says_continue, says_stop
from steadyhand.session.settling import Settled
from steadyhand.session.turns import Asked, Begun, Turns
from steadyhand.session.waiting import Waiting
from steadyhand.store import Tx
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.inbox import Inbound, Source
from steadyhand.tools.result import DRAFTING, ToolResult

Other = Callable[[Held, Inbound, Language, Listener], Awaitable[None]]
"""Takes up what is no person's message: a wake-up, a finished job."""

MOST_CHARACTERS = 20_000
LONGEST_ID = 100
NOT_HERE = (StoreUnavailable, SchemaMismatch, SettingsInvalid)
"""What no session can go on under. Anything else that is for the operator is told, and holds up nothing but what it is about."""
CALLS = "calls"

log = get_logger(__name__)


class Conversations:
    """The one way in to every session."""

    def __init__(self, parts: Parts, others: Mapping[Source, Other] | None = None) -> None:
        self.parts = parts
        self.turns = Turns(parts)
        self._commands = Commands(parts.controller, parts.commands, parts.help)
        self._questions = Questions(parts.store, parts.working, parts.readers)
        self._waiting = Waiting(parts.controller, parts.working, self._commands, thinks=parts.thinks)
        self._others = dict(others or {})

    def takes(self, source: Source, other: Other) -> None:
        """Register who takes up what comes from *source*."""
        self._others[source] = other

    async def accept(
        self,
        user: UserId,
        session: SessionId,
        text: str,
        *,
        channel: str,
        message_id: str | None = None,
        quotes: str | None = None,
        origin_id: str | None = None,
        begun: datetime | None = None,
        may_decide: bool = True,
    ) -> Inbound | None:
        """Store a person's message; None when there is nothing to take up: it was stored before, or it stopped a turn that runs.

        A *message_id* is the channel's own; *origin_id* is what makes it one in this installation where that does not. *begun* is
        when the person began to write it, where the channel can tell. What comes from an account that only talks for the person
        (not *may_decide*) decides nothing.
        """
        if says_stop(text) and await self.stop(user, session):
            await asyncio.to_thread(self.parts.spoke, user, session, channel)
            return None
        text = legible(text)
        body: dict[str, Json] = {"text": text[:MOST_CHARACTERS], "channel": channel, "message_id": message_id, "quotes": quotes}
        if len(text) > MOST_CHARACTERS:
            body["cut"] = len(text)
        if not may_decide:
            body["may_decide"] = False
        if begun is not None:
            body["begun"] = to_text(begun)
        origin = _origin(channel, message_id) if origin_id is None else origin_id

        def work(tx: Tx) -> tuple[Inbound, bool]:
            people.ensure_session(tx, user, session, channel)
            return inbox.accept(tx, user, session, "person", body, origin)

        inbound, new = await self.parts.store.write(work)
        if new:
            await asyncio.to_thread(self.parts.spoke, user, session, channel)
        return inbound if new else None

    async def stop(self, user: UserId, session: SessionId) -> bool:
        """Ask the session's running turn to stop; False when none runs."""
        return await self.parts.lanes.ask_stop(user, session)

    async def run(self, user: UserId, session: SessionId, language: Language | None = None, listener: Listener = nobody) -> bool:
        """Take up all that waits in the session, one after the other, and send what is owed; False when another process does so now."""
        more = True
        while more:
            opened: list[Opened] = []
            first = partial(_open, opened)
            try:
                async with self.parts.lanes.hold(user, session, first) as held:
                    if held is None:
                        return False
                    await self._work(held, opened[0], language, listener)
            except LaneLost:
                return False
            more = held.more
        return True

    async def _work(self, held: Held, opened: Opened, language: Language | None, listener: Listener) -> None:
        """Take up what comes next in a session; what comes behind that is for whoever takes its lane then."""
        user, session, standing = held.user, held.session, opened.standing
        if held.cancelled and opened.talk is None:
            raise asyncio.CancelledError
        speaks = language or standing.user.language
        if standing.left_running:
            for again in await recovery.take_over(self.parts, held, speaks):
                settled = await self.turns.run(held, again, speaks, listener)
                await self._draft(held, again.taken[0], settled.outcome.results, speaks)
        if standing.owes or standing.left_running:
            await self.parts.outbox.deliver(user, session)
        foremost = opened.foremost
        if standing.left_running:  # a turn that was run again has taken up what had come in behind it
            foremost = await self.parts.store.read(lambda tx: inbox.foremost(tx, user, session))
        if foremost is None:
            return
        if held.lost:
            raise LaneLost
        await self._without_fail(held, foremost, opened.talk, speaks, listener)
        await self._let_go(held)

    async def _let_go(self, held: Held) -> None:
        """Send what is owed, and leave the lane with the last of it."""
        left: list[bool] = []
        await self.parts.outbox.deliver(held.user, held.session, lambda tx: left.append(leave(tx, held)))
        held.left, held.more = True, left[-1]

    async def _without_fail(
        self, held: Held, inbound: Inbound, talk: Talk | None, language: Language, listener: Listener
    ) -> None:
        """Take up what came in; where that breaks by our fault it is said, and the session goes on with what comes next."""
        try:
            if talk is None:
                await self._one(held, inbound, language, listener)
            else:
                await self._turn(held, inbound, talk.asked, language, listener, talk.begun)
        except (LaneLost, *NOT_HERE):
            raise
        except Exception as error:
            log.exception("inbound_failed", session=held.session, source=inbound.source)
            told = explain(error, language).text()
            await self.parts.store.write(lambda tx: _broke(tx, held, inbound, told, language))

    async def _one(self, held: Held, inbound: Inbound, language: Language, listener: Listener) -> None:
        if inbound.source == "person":
            await self._person(held, inbound, language, listener)
            return
        other = self._others.get(inbound.source)
        if other is None:  # nobody here takes such things: it stays on record, and the session goes on
            await self._settle(held, inbound, [])
            return
        await other(held, inbound, language, listener)

    async def _person(self, held: Held, inbound: Inbound, language: Language, listener: Listener) -> None:
        text, door = _text(inbound), _door(inbound)
        if (length := cast("Mapping[str, Any]", inbound.body).get("cut")) is not None:
            cut = say(language, "session.cut", most=MOST_CHARACTERS, length=length)
            await self._settle(held, inbound, [CommandAnswer(cut, refused=True)])
            return
        said = await self._decides(held, inbound, text, language)
        if isinstance(said, Decided):
            await self._decided(held, inbound, said, language, listener)
            return
        if isinstance(said, Refused):
            await self._settle(held, inbound, [CommandAnswer(said.text, refused=True)])
            return
        if says_stop(text):
            await self.parts.working.drop(held.user, held.session, KEY)
        asking = Asking(held.user, held.session, door, language, "", text)
        answer = await self._waiting.answer(asking, said) or await self._commanded(asking)
        if answer is not None:
            await self._settle(held, inbound, [answer] if answer.text else [])
            await self._ask_model(held, inbound, answer.row, asking)
            return
        answered = await self._questions.answer(held.user, held.session, text, _begun(inbound))
        if answered is not None and answered.kind == WHICH:
            await self._taken_back(held, inbound, answered, language, listener)
            return
        if answered is None and (asks := await self._waiting.which(asking, inbound.id)) is not None:
            await self._settle(held, inbound, [asks])
            return
        words = text if answered is None else answered.text
        settled = await self._turn(held, inbound, Asked([inbound], words, answered=answered), language, listener)
        if answered is None and not _reviewed(settled) and (told := await self._waiting.still(asking, said)) is not None:
            await self._owe(held, inbound, [told])

    async def _turn(
        self, held: Held, inbound: Inbound, asked: Asked, language: Language, listener: Listener, begun: Begun | None = None
    ) -> Settled:
        """Run a turn about what came in, and go on with the changes that it has opened."""
        settled = await self.turns.run(held, asked, language, listener, begun)
        await self._draft(held, inbound, settled.outcome.results, language)
        return settled

    async def _decides(self, held: Held, inbound: Inbound, text: str, language: Language) -> Decided | NotADecision | Refused:
        return await self.parts.decisions.message(
            held.user,
            held.session,
            text,
            _door(inbound),
            _begun(inbound),
            quotes=_quotes(inbound),
            message_id=inbound.id,
            may_decide=_may_decide(inbound),
            language=language,
        )

    async def _taken_back(self, held: Held, inbound: Inbound, answered: Answered, language: Language, listener: Listener) -> None:
        """Do what the person meant by taking back: refuse the change under review, or take the last step of a draft back."""
        await self.parts.working.drop(held.user, held.session, KEY)
        if not isinstance(answered.value, int):
            await self.turns.run(held, Asked([inbound], answered.resume), language, listener)
            return
        said = await self._decides(held, inbound, f"/deny {change_name(answered.value)} {_text(inbound)}", language)
        if isinstance(said, Decided):
            await self._decided(held, inbound, said, language, listener)
        elif isinstance(said, Refused):
            await self._settle(held, inbound, [CommandAnswer(said.text, refused=True)])

    async def _commanded(self, asking: Asking) -> CommandAnswer | None:
        """Answer a command, or the wish to go on with the one change that waits for a provider; None for everything else."""
        try:
            answer = await self._commands.answer(asking)
        except REFUSALS as error:
            return CommandAnswer(explain(error, asking.language).text(), refused=True)
        if answer is None and says_continue(asking.text):
            waiting = await self._commands.unfinished(asking.user, asking.session)
            return CommandAnswer("", waiting[0]) if len(waiting) == 1 else None
        return answer

    async def _draft(
        self, held: Held, inbound: Inbound, results: Sequence[tuple[ToolCall, ToolResult]], language: Language
    ) -> None:
        """Go on with the changes that calls of a turn have opened: have their specs written, and show them."""
        asking = Asking(held.user, held.session, _door(inbound), language, "", _text(inbound))
        for number in opened(results):
            row = await self.parts.controller.current(held.user, number)
            await self.parts.outbox.deliver(held.user, held.session)
            await self._ask_model(held, inbound, row, asking)

    async def _decided(self, held: Held, inbound: Inbound, decided: Decided, language: Language, listener: Listener) -> None:
        """Say what a decision came to; then go on with what it opened: a spec's calls, a held call's result."""
        asking = Asking(held.user, held.session, _door(inbound), language, "", _text(inbound))
        row = decided.row
        answers = [CommandAnswer("\n".join([decided.line, *self.parts.told(row, language)]))]
        own = row.domain == CALLS and row.session_id == held.session
        result = await self.parts.call_answer(row) if own and decided.kind == "approve" else None
        if result is not None and result.for_user and not result.silent:
            answers.append(CommandAnswer(result.for_user))
        await self._settle(held, inbound, answers)
        if result is not None and self.parts.thinks:
            told = say(language, "session.decided_call", name=change_name(row.number), result=result.for_llm)
            await self.parts.outbox.deliver(held.user, held.session)
            await self.turns.run(held, Asked((), "", reminder=told), language, listener)
        await self._ask_model(held, inbound, row, asking)

    async def _ask_model(self, held: Held, inbound: Inbound, row: ChangeRow | None, asking: Asking) -> None:
        """Ask the provider for what a change needs now, and show what came of it; without a model only some domains can be written."""
        if row is None or self.parts.controller.need(row) is None:
            return
        if not self.parts.thinks and row.domain not in self.parts.writes:
            await self._owe(held, inbound, [CommandAnswer(say(asking.language, "session.needs_model"))])
            return
        row = await collect(self.parts.controller, self.parts.provider, held.user, row.number)
        if row.state in (State.IN_REVIEW, State.SEALED):
            answers = [await self._commands.reviewed(asking, row)]
        else:
            unread = not self.parts.thinks and self.parts.controller.need(row) is not None
            more = [CommandAnswer(say(asking.language, "session.not_written"))] if unread else []
            answers = [CommandAnswer(line(row, asking.language)), *more]
        await self._owe(held, inbound, answers)

    async def _settle(self, held: Held, inbound: Inbound, answers: list[CommandAnswer]) -> None:
        """Settle what code has answered: the message and its answers are history, the answers are owed."""
        await self.parts.store.write(lambda tx: _settle(tx, held, inbound, answers))

    async def _owe(self, held: Held, inbound: Inbound, answers: list[CommandAnswer]) -> None:
        await self.parts.store.write(lambda tx: _owe(tx, held, inbound, answers))


def opened(results: Sequence[tuple[ToolCall, ToolResult]]) -> list[int]:
    """Return the changes that calls of a turn have opened and that now wait for a provider."""
    told = [cast("Mapping[str, Any]", result.data) for _, result in results if isinstance(result.data, Mapping)]
    return [cast("int", data[DRAFTING]) for data in told if DRAFTING in data]


def _reviewed(settled: Settled) -> bool:
    """Tell whether a turn has put a review before the person, or goes on to one: nothing may stand below that."""
    return any(row.shows is not None for row in settled.owed) or bool(opened(settled.outcome.results))


def _open(found: list[Opened], tx: Tx, held: Held) -> None:
    found.append(open_session(tx, held))


def _settle(tx: Tx, held: Held, inbound: Inbound, answers: list[CommandAnswer]) -> None:
    said = Said(new_id("msg"), "user", _text(inbound), "person", inbound.id, channel_message_id=_message_id(inbound))
    now = inbox.find(tx, held.user, inbound.id)
    if inbound.source == "person" and now is not None and now.state != "settled":  # later it is history already
        conversations.add(tx, held.user, held.session, [said])
    _owe(tx, held, inbound, answers)
    inbox.start(tx, held.user, [inbound.id], inbound.id)
    inbox.settle(tx, held.user, inbound.id)


def _broke(tx: Tx, held: Held, inbound: Inbound, told: str, language: Language) -> None:
    """Settle what broke by our own fault: it is told, with what of it may have run, and not tried again."""
    broken = recovery.broken(tx, held)
    ran = [recovery.what_ran(tx, row, language) for row in broken]
    _settle(tx, held, inbound, [CommandAnswer("\n".join([told, *ran]), refused=True)])
    for row in broken:
        recovery.end_broken(tx, held, row)


def _owe(tx: Tx, held: Held, inbound: Inbound, answers: list[CommandAnswer]) -> None:
    for answer in answers:
        shows = shown_for_review(answer.row)
        source = answer.source or ("review" if answer.row is not None else NOTICE if answer.refused else "reply")
        data = {"refused": True} if answer.refused else None
        row = outbox.owe(tx, held.user, held.session, inbound.id, answer.text, source=source, data=data, shows=shows)
        if row is not None:
            conversations.add(tx, held.user, held.session, [Said(row.id, "assistant", answer.text, source, inbound.id)])


def _origin(channel: str, message_id: str | None) -> str | None:
    """Return what a channel's message is told from all others by; an id that is too long to be kept stands there as its digest."""
    if message_id is None:
        return None
    return f"{channel}:{message_id if len(message_id) <= LONGEST_ID else digest(message_id)}"[-128:]


def _body(inbound: Inbound) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", inbound.body)


def _text(inbound: Inbound) -> str:
    return cast("str", _body(inbound).get("text", ""))


def _door(inbound: Inbound) -> str:
    return cast("str", _body(inbound).get("channel", "terminal"))


def _begun(inbound: Inbound) -> str:
    """Return when the person began to write: where nobody can tell, when it came in."""
    return min(cast("str", _body(inbound).get("begun", inbound.accepted_at)), inbound.accepted_at)


def _quotes(inbound: Inbound) -> str | None:
    return cast("str | None", _body(inbound).get("quotes"))


def _may_decide(inbound: Inbound) -> bool:
    return cast("bool", _body(inbound).get("may_decide", True))


def _message_id(inbound: Inbound) -> str | None:
    return cast("str | None", _body(inbound).get("message_id"))
