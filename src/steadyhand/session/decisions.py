"""Decides whether what a person says, through whichever channel, decides a change; all else is conversation and must move nothing.

A command names its change. A bare yes or no counts only as the very next message of the same person in the same session
after the review of the only open change.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from steadyhand.core.errors import DecisionRefused, ModelCanFix, PersonDecides
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId, UserId, change_name
from steadyhand.core.language import Language, say
from steadyhand.gate import machine
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.session.reading import Bare, Command, Unreadable, Verb, bare, command
from steadyhand.store import Tx, changes, inbox, people
from steadyhand.store.changes import ChangeRow, Display

MAX_WORDS = 500
"""Of a long message that much is kept with the decision."""

Why: TypeAlias = Literal["conversation", "nothing_open", "several_open", "not_next"]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision that was taken: the change as it stands after it, the line that says so, and what was decided."""

    row: ChangeRow
    line: str
    kind: Verb


@dataclass(frozen=True, slots=True)
class NotADecision:
    """Conversation. *why* tells a bare yes or no that came at the wrong moment from all other talk."""

    why: Why = "conversation"


@dataclass(frozen=True, slots=True)
class Refused:
    """A decision that does not fit what is stored; nothing was changed, and *text* says so."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class _Moment:
    """What stood when a message came: the person's language, and the open change that a bare word is about, or why none is."""

    language: Language
    subject: tuple[ChangeRow, Display] | Why
    said_at: str | None = None


OTHER_COMMAND: dict[tuple[Verb, State], str] = {("approve", State.IN_REVIEW): "/confirm", ("confirm", State.SEALED): "/approve"}
"""What fits where the other command of acceptance was given: a spec is confirmed, a program approved."""


class Decisions:
    """The one door for decisions."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._store = controller.store

    async def showed(
        self, user: UserId, session: SessionId, row: ChangeRow, *, channel: str = "terminal", at: str | None = None
    ) -> None:
        """Store that the session was shown the review of *row*, as it stands in *row*, now or *at* a moment; other states have none."""
        reviewed = _review(row)
        if reviewed is None:
            return
        kind, digest = reviewed

        def work(tx: Tx) -> None:
            people.ensure_session(tx, user, session, channel)
            # what waits was written before, whatever the clock says: the next message is not about this review
            seen = -1 if inbox.waiting(tx, user, session, "person") else people.messages(tx, user, session)
            changes.show(tx, user, session, Display(row.id, kind, digest, seen, at or tx.now()))

        await self._store.write(work)

    async def asked(self, user: UserId, session: SessionId) -> None:
        """Store that another question was put to the person: a bare yes would answer that one, not a review before it."""
        await self._store.write(lambda tx: changes.no_longer_last(tx, user, session))

    async def message(
        self,
        user: UserId,
        session: SessionId,
        text: str,
        door: str,
        said_at: str | None = None,
        *,
        message_id: str = "",
        may_decide: bool = True,
        language: Language | None = None,
    ) -> Decided | NotADecision | Refused:
        """Count a message of the person, and carry out the decision that it is, if it is one.

        What they wrote, at *said_at*, before they were shown a review is not about that review, whenever it is read. An account
        that only talks for them (not *may_decide*) decides nothing, and is told so. The answer is in *language*, or in theirs.
        A message that is stored, under *message_id*, decides once: taken up again after a crash it tells what came of that.
        """
        if message_id and (command(text) or bare(text)):
            found = await self._store.read(lambda tx: _decided_before(tx, user, message_id, language))
            if found is not None:
                return found
        moment = await self._store.write(lambda tx: _moment(tx, user, session, door, said_at, language))
        decider = Decider(user, session, door, text[:MAX_WORDS], message=message_id)
        try:
            if not may_decide and _would_decide(text, moment):
                raise DecisionRefused("account_may_not_decide")
            return await self._follow(decider, text, moment)
        except (PersonDecides, ModelCanFix) as error:
            return Refused(error.code, explain(error, moment.language).text())

    async def _follow(self, decider: Decider, text: str, moment: _Moment) -> Decided | NotADecision:
        match command(text):
            case Unreadable(verb):
                raise DecisionRefused("command_unreadable", command=f"/{verb}")
            case Command() as found:
                return await self._command(decider, found, moment)
            case None:
                return await self._bare(decider, bare(text), moment)

    async def _bare(self, decider: Decider, word: Bare | None, moment: _Moment) -> Decided | NotADecision:
        if word is None:
            return NotADecision()
        if isinstance(moment.subject, str):
            return NotADecision(moment.subject)
        row, display = moment.subject
        verb: Verb = "deny" if word == "no" else "confirm" if row.state == State.IN_REVIEW else "approve"
        return await self._decide(decider, verb, row.number, display.digest, moment.language)

    async def _command(self, decider: Decider, found: Command, moment: _Moment) -> Decided | NotADecision:
        number = found.number
        if number is None and found.verb == "stop":
            return NotADecision()
        if number is None and found.verb == "recheck":
            number = await self._only_unknown(decider.user)
        if number is None:
            raise DecisionRefused("change_not_named", command=f"/{found.verb}")
        digest = found.digest
        if digest is None and found.verb in ("approve", "confirm"):
            digest = await self._displayed(decider, found.verb, number, moment.said_at)
        return await self._decide(decider, found.verb, number, digest or "", moment.language)

    async def _only_unknown(self, user: UserId) -> int | None:
        rows = await self._store.read(lambda tx: changes.of_user(tx, user, states=[State.UNKNOWN.value]))
        return rows[0].number if len(rows) == 1 else None

    async def _displayed(self, decider: Decider, verb: Verb, number: int, said_at: str | None) -> str:
        """Return the digest that this session was last shown of the change; without one nothing can be accepted."""
        row = await self._controller.current(decider.user, number)
        display = await self._store.read(lambda tx: changes.shown(tx, decider.user, decider.session, row.id))
        fits = OTHER_COMMAND.get((verb, State(row.state)))
        if fits is not None:
            raise DecisionRefused("other_command", name=change_name(number), command=f"/{verb}", fits=fits)
        if display is None or display.kind != ("seal" if verb == "approve" else "spec") or _before(said_at, display):
            raise DecisionRefused("not_displayed", name=change_name(number), command=f"/{verb}")
        return display.digest

    async def _decide(self, decider: Decider, verb: Verb, number: int, digest: str, language: Language) -> Decided:
        row = await self._carry_out(decider, verb, number, digest)
        text = line(row, language)
        if verb in ("deny", "stop") and machine.legal(State(row.state), machine.Event.STOP_ASKED):
            text = f"{say(language, 'gate.line.too_late', name=change_name(row.number))}\n{text}"
        return Decided(row, text, verb)

    async def _carry_out(self, decider: Decider, verb: Verb, number: int, digest: str) -> ChangeRow:
        match verb:
            case "approve":
                return await self._controller.approve(decider, number, digest)
            case "confirm":
                return await self._controller.confirm(decider, number, digest)
            case "deny":
                return await self._controller.deny(decider, number)
            case "stop":
                return await self._controller.withdraw(decider, number)
            case "recheck":
                return await self._controller.recheck(decider.user, number)


def _decided_before(tx: Tx, user: UserId, message_id: str, asked: Language | None) -> Decided | None:
    decision = changes.find_decision(tx, user, message_id)
    row = None if decision is None else changes.by_id(tx, user, decision.change_id)
    if decision is None or row is None:
        return None
    verb: Verb = "stop" if decision.kind == "withdraw" else cast("Verb", decision.kind)
    return Decided(row, line(row, asked or people.require_user(tx, user).language), verb)


def _would_decide(text: str, moment: _Moment) -> bool:
    match command(text):
        case Command(verb="recheck") | Command(verb="stop", number=None):
            return False
        case None:
            return bare(text) is not None and not isinstance(moment.subject, str)
        case _:
            return True


def _review(row: ChangeRow) -> tuple[str, str] | None:
    """Return what a review of *row* shows, spec or seal, with its digest."""
    if row.state == State.IN_REVIEW and row.spec_digest is not None:
        return "spec", row.spec_digest
    if row.state == State.SEALED and row.seal_digest is not None:
        return "seal", row.seal_digest
    return None


def _before(said_at: str | None, display: Display) -> bool:
    """Tell whether a message was written before the review was shown."""
    return said_at is not None and said_at < display.shown_at


def _moment(tx: Tx, user: UserId, session: SessionId, door: str, said_at: str | None, asked: Language | None) -> _Moment:
    language = asked or people.require_user(tx, user).language
    people.ensure_session(tx, user, session, door)
    ordinal = people.count_message(tx, user, session)
    rows = changes.of_user(tx, user, states=[state.value for state in machine.OPEN])
    waiting = [row for row in rows if row.expires_at > tx.now()]
    if len(waiting) != 1:
        return _Moment(language, "several_open" if waiting else "nothing_open", said_at)
    row = waiting[0]
    display = changes.shown(tx, user, session, row.id)
    if display is None or display.at_message + 1 != ordinal or (display.kind, display.digest) != _review(row):
        return _Moment(language, "not_next", said_at)
    return _Moment(language, "not_next" if _before(said_at, display) else (row, display), said_at)
