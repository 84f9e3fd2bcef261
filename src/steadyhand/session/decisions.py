"""Decides whether what a person says, through whichever channel, decides a change; all else is conversation and must move nothing.

A command names its change. A yes or a no in words is an answer to a review, and counts only while that review is the last thing
that this person was shown: as the very next message, begun after it was shown, quoting nothing else, within a limit. Doors tell
what they know (when a message was begun, what it quotes); what it comes to is judged here alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypeAlias, cast

from steadyhand.core.canonical import short
from steadyhand.core.clock import from_text
from steadyhand.core.errors import DecisionRefused, ModelCanFix, PersonDecides, SteadyhandError
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId, UserId, change_name, parse_change_name
from steadyhand.core.language import Language, say
from steadyhand.gate import machine
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.gate.review import last_decision
from steadyhand.session.reading import Answer, Command, Unreadable, Verb, answer, command
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow, Display
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox, outbox

MAX_WORDS = 500
"""Of a long message that much is kept with the decision."""

NOT_LAST, TYPED_AHEAD = -1, -2
"""Stands for the number of messages where none can answer: something else was shown since, or the next one was there before."""

DEFAULT_MINUTES = 30.0
"""So long after its review was shown a yes or a no in words counts."""

Why: TypeAlias = Literal[
    "conversation", "nothing_open", "several_open", "not_next", "earlier", "quotes_other", "again", "not_now", "decided"
]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision that was taken: the change as it stands after it, the line that says so, and what was decided."""

    row: ChangeRow
    line: str
    kind: Verb


@dataclass(frozen=True, slots=True)
class NotADecision:
    """Nothing was decided. *why* tells an answer in words that came at the wrong moment from all other talk.

    *row* is the change that it could have been about: to be shown *again*, to wait on (*not_now*), *decided* meanwhile.
    """

    why: Why = "conversation"
    row: ChangeRow | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """A decision that does not fit what is stored; nothing was changed, and *text* says so."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class _Moment:
    """What stood when a message came: the person's language, and the open change that an answer is about, or why it is about none."""

    language: Language
    subject: tuple[ChangeRow, Display] | NotADecision
    said_at: str | None = None


@dataclass(frozen=True, slots=True)
class _Heard:
    """A message as its door tells of it: what it is, when it was begun, what it quotes, and which change its door had asked about."""

    text: str
    said_at: str | None
    quotes: str | None
    about: int | None


ACCEPT = {State.IN_REVIEW.value: "/confirm", State.SEALED.value: "/approve"}
"""The command that accepts a change, by its state; in any other nothing is to be decided."""

LOST = ("wrong_state", "change_moved_on")
"""Refusals of a decision that came after another one."""

OTHER_COMMAND: dict[tuple[Verb, State], str] = {("approve", State.IN_REVIEW): "/confirm", ("confirm", State.SEALED): "/approve"}
"""What fits where the other command of acceptance was given: a spec is confirmed, a program approved."""


class Decisions:
    """The one door for decisions."""

    def __init__(self, controller: Controller, minutes: float = DEFAULT_MINUTES) -> None:
        self._controller = controller
        self._store = controller.store
        self._limit = timedelta(minutes=minutes)

    async def showed(
        self,
        user: UserId,
        session: SessionId,
        row: ChangeRow,
        *,
        channel: str = "terminal",
        last: bool = True,
        alone: bool = False,
    ) -> None:
        """Store that the session has just been shown the review of *row*, as it stands in *row*; other states have none.

        What stands among other things (not *last*) can be approved by its name, and by no bare word. A door that asks about it
        *alone*, and reads the answer itself, has nothing to do with what waits in the session.
        """

        def work(tx: Tx) -> None:
            people.ensure_session(tx, user, session, channel)
            shown_in(tx, user, session, row, tx.now(), last=last, alone=alone)

        await self._store.write(work)

    async def something_else(self, user: UserId) -> None:
        """Store that something else is put before the person, at whichever door: no review is the last thing that they were shown."""
        await self._store.write(lambda tx: changes.no_longer_last(tx, user))

    async def message(
        self,
        user: UserId,
        session: SessionId,
        text: str,
        door: str,
        said_at: str | None = None,
        *,
        quotes: str | None = None,
        about: int | None = None,
        message_id: str = "",
        may_decide: bool = True,
        language: Language | None = None,
    ) -> Decided | NotADecision | Refused:
        """Carry out the decision that a message of the person is, if it is one.

        What they began to write, at *said_at*, before they were shown a review is not about that review, whenever it is read; nor is
        what *quotes* another message. A door that asks *about* one change needs no name for it. An account that only talks for
        them (not *may_decide*) decides nothing, and is told so. The answer is in *language*, or in theirs. A message that is stored,
        under *message_id*, decides once: taken up again after a crash it tells what came of that. It counts when it is taken up;
        any other counts here.
        """
        heard = _Heard(text, said_at, quotes, about)
        if not message_id:
            moment = await self._store.write(lambda tx: self._counted(tx, user, session, door, heard, language))
        elif command(text) is None and answer(text) is None:
            return NotADecision()
        else:
            found = await self._store.read(lambda tx: _decided_before(tx, user, message_id, language))
            if found is not None:
                return found
            moment = await self._store.read(lambda tx: self._stored(tx, user, session, heard, language))
        decider = Decider(user, session, door, text[:MAX_WORDS], message=message_id)
        try:
            if not may_decide and _would_decide(text, moment):
                raise DecisionRefused("account_may_not_decide")
            return await self._follow(decider, text, moment)
        except (PersonDecides, ModelCanFix) as error:
            told = await self._who_won(user, error, moment.language) if error.code in LOST else ""
            return Refused(error.code, "\n".join(part for part in (explain(error, moment.language).text(), told) if part))

    async def _follow(self, decider: Decider, text: str, moment: _Moment) -> Decided | NotADecision:
        match command(text):
            case Unreadable(verb):
                raise DecisionRefused("command_unreadable", command=f"/{verb}")
            case Command() as found:
                return await self._command(decider, found, moment)
            case None:
                return await self._in_words(decider, answer(text), moment)

    async def _in_words(self, decider: Decider, found: Answer | None, moment: _Moment) -> Decided | NotADecision:
        if found is None:
            return NotADecision()
        if isinstance(moment.subject, NotADecision):
            return moment.subject
        row, display = moment.subject
        if found.meant == "not_now":
            return NotADecision("not_now", row)
        verb: Verb = "deny" if found.meant == "no" else "confirm" if row.state == State.IN_REVIEW else "approve"
        return await self._decide(decider, verb, row.number, display.digest, moment.language)

    async def _command(self, decider: Decider, found: Command, moment: _Moment) -> Decided | NotADecision:
        number = found.number
        if number is None and found.verb == "stop":
            return NotADecision()
        if number is None and found.verb == "recheck":
            number = await self._only_unknown(decider.user)
        elif number is None and not isinstance(moment.subject, NotADecision):
            number = moment.subject[0].number  # right behind its review
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

    async def _who_won(self, user: UserId, error: SteadyhandError, language: Language) -> str:
        """Say who decided the change that a decision was refused for."""
        number = parse_change_name(str(error.params.get("name", "")))

        def work(tx: Tx) -> str:
            row = None if number is None else changes.by_number(tx, user, number)
            return "" if row is None else last_decision(tx, row, language, people.require_user(tx, user).zone)

        return await self._store.read(work)

    def _counted(self, tx: Tx, user: UserId, session: SessionId, door: str, heard: _Heard, asked: Language | None) -> _Moment:
        people.ensure_session(tx, user, session, door)
        return self._moment(tx, user, session, people.count_messages(tx, user, session), heard, asked)

    def _stored(self, tx: Tx, user: UserId, session: SessionId, heard: _Heard, asked: Language | None) -> _Moment:
        return self._moment(tx, user, session, people.messages(tx, user, session) + 1, heard, asked)

    def _moment(self, tx: Tx, user: UserId, session: SessionId, ordinal: int, heard: _Heard, asked: Language | None) -> _Moment:
        language = asked or people.require_user(tx, user).language
        rows = changes.of_user(tx, user, states=[state.value for state in machine.OPEN])
        waiting = [row for row in rows if row.expires_at > tx.now()]
        found = answer(heard.text)
        wanted = heard.about if found is None or found.number is None else found.number
        subject = _only(waiting, wanted)
        if isinstance(subject, ChangeRow):
            return _Moment(language, self._subject(tx, session, subject, ordinal, heard), heard.said_at)
        return _Moment(language, _decided_elsewhere(tx, user, session, wanted) or NotADecision(subject), heard.said_at)

    def _subject(
        self, tx: Tx, session: SessionId, row: ChangeRow, ordinal: int, heard: _Heard
    ) -> tuple[ChangeRow, Display] | NotADecision:
        """Return *row* and how it was shown, where that is what the person answers; else why it is not."""
        display = changes.shown(tx, row.user_id, session, row.id)
        if display is None or (display.kind, display.digest) != _review(row):
            return NotADecision("not_next", row)
        if heard.quotes is not None and not outbox.is_review(tx, row.user_id, session, row.number, heard.quotes):
            return NotADecision("quotes_other", row)
        if display.at_message == TYPED_AHEAD or _before(heard.said_at, display):
            return NotADecision("earlier", row)
        if display.at_message + 1 == ordinal and self._in_time(tx, display):
            return row, display
        last = outbox.last_shown(tx, row.user_id, session)
        return NotADecision("again" if last is not None and last.shows == row.number else "not_next", row)

    def _in_time(self, tx: Tx, display: Display) -> bool:
        """Tell whether the review was shown not long ago; a clock that was set back meanwhile tells nothing."""
        return timedelta(0) <= tx.clock.now() - from_text(display.shown_at) <= self._limit


def shown_in(
    tx: Tx, user: UserId, session: SessionId, row: ChangeRow, at: str, *, text: str = "", last: bool = True, alone: bool = False
) -> None:
    """Store that the session was shown the review of *row* at the moment *at*; a *text* written earlier shows it only if it holds its digest."""
    reviewed = _review(row)
    if reviewed is None or (text and short(reviewed[1]) not in text):
        return
    # what waits was written before, whatever the clock says: the next message is not about this review
    ahead = not alone and bool(inbox.waiting(tx, user, session, "person"))
    seen = TYPED_AHEAD if ahead else people.messages(tx, user, session) if last else NOT_LAST
    changes.show(tx, user, session, Display(row.id, *reviewed, seen, at))


def _only(waiting: Sequence[ChangeRow], wanted: int | None) -> ChangeRow | Literal["nothing_open", "several_open"]:
    """Return the open change that an answer can be about: the one that is *wanted*, else the only one."""
    rows = [row for row in waiting if wanted in (None, row.number)]
    if len(rows) == 1:
        return rows[0]
    return "several_open" if rows else "nothing_open"


def _decided_elsewhere(tx: Tx, user: UserId, session: SessionId, wanted: int | None) -> NotADecision | None:
    """Return the change whose review still is the last thing shown here and which is open no more, with what became of it."""
    last = outbox.last_shown(tx, user, session)
    if last is None or last.shows is None or wanted not in (None, last.shows):
        return None
    row = changes.by_number(tx, user, last.shows)
    return None if row is None or row.state in machine.OPEN else NotADecision("decided", row)


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
            found = answer(text)
            return found is not None and found.meant != "not_now" and not isinstance(moment.subject, NotADecision)
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
