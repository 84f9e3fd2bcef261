"""Decides how due wake-ups are taken up and what their turns leave on record. It must not run one twice, or speak but through a session.

One transaction claims a row, judges it and hands it to its session as an inbound; from there on the inbox keeps it, and no process has to.
That it has *started* is written in the transaction that begins its turn, what came of it in the one that settles the turn. Words that need
no model are owed in a single transaction. Each of these holds the session first, then changes the wake-up: one order for all.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from steadyhand.agent.events import Listener, nobody
from steadyhand.core import owners
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.faults import reach
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import Claim
from steadyhand.session.conversation import NOT_HERE, Conversations
from steadyhand.session.lane import Held, LaneLost
from steadyhand.session.settling import Leaving
from steadyhand.session.turns import Asked
from steadyhand.store import Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox, outbox, turns
from steadyhand.store.sessions.inbox import Inbound, Source
from steadyhand.wakeups import telling, unasked
from steadyhand.wakeups.ending import action_of, actions_of, finish, hand_back, missed, next_try, put_off
from steadyhand.wakeups.judging import Rules, Run, Skip, Verdict, Wait
from steadyhand.wakeups.times import rhythm_of

SOURCES: Mapping[str, Source] = {"followup": "wake", "cron": "cron"}
AT_ONCE = 100
"""So many are taken up in one transaction, which nobody else can write beside."""
AFTER_THE_PERSON = timedelta(seconds=2)
"""So long words that no model weighs wait for what the person has just said."""

log = get_logger(__name__)


class _Superseded(Exception):
    """The wake-up is not the one that was handed over any more."""


class Waking:
    """Takes up follow-ups and what comes by the clock; see `ticking.Taker`."""

    def __init__(self, talk: Conversations, rules: Rules) -> None:
        self._talk = talk
        self._parts = talk.parts
        self._store = talk.parts.store
        self._rules = rules
        self._token = new_id("claim")
        for source in SOURCES.values():
            talk.takes(source, self.take)

    # --- what is due -----------------------------------------------------------------------------------------------------

    async def tick(self, limit: int) -> int:
        """Take up at most *limit* that are due, and what processes that are gone had taken up; return how many that were.

        Those that are to run wait in their sessions' inboxes then.
        """
        left = await self._store.read(lambda tx: _left_behind(tx, limit))
        if left:
            await self._store.write(lambda tx: self._again(tx, left))
        taken = 0
        while taken < limit:
            most = min(AT_ONCE, limit - taken)
            sessions = await self._store.read(lambda tx, most=most: wakeups.sessions_due(tx, most))
            if not sessions:
                break
            some = await self._store.write(lambda tx, most=most, sessions=sessions: self._take_up(tx, sessions, most))
            reach("wakeup.accepted")
            taken += some
            if some < most:
                break
        return len(left) + taken

    def _take_up(self, tx: Tx, sessions: Collection[wakeups.Key], most: int) -> int:
        """Claim what is due in these sessions and hand it to them, or let it wait, or skip it; return how many that were."""
        _hold(tx, sessions)
        claimed = wakeups.claim_due(tx, self._claim(), most, sessions)
        reach("wakeup.claimed")
        for row in claimed:
            self._dispatch(tx, row)
        return len(claimed)

    def _claim(self) -> Claim:
        return Claim(owners.myself(), self._token, None)

    def _again(self, tx: Tx, rows: Sequence[Wakeup]) -> None:
        """Hand over again what had not begun; what had is not run again, and told as failed unless it had spoken."""
        _hold(tx, {(row.user_id, cast("SessionId", row.session_id)) for row in rows})
        claim = self._claim()
        for row in rows:
            if row.started_at is not None:
                if row.turn_id is not None and outbox.of_turn(tx, row.user_id, row.turn_id):  # it had spoken, and that is sent
                    finish(tx, row, outcome="completed", action="sent_private_message", error="lease_lost")
                elif finish(tx, row, outcome="failed", action="unknown", error="lease_lost"):
                    telling.broken_off(tx, row, people.require_user(tx, row.user_id).language)
                continue
            owner = {"owner": claim.owner, "owner_token": claim.token, "lease_until": claim.lease_until}
            if wakeups.change(tx, row, **owner, attempt=row.attempt + 1, triggered_at=tx.now()):
                held = wakeups.by_id(tx, row.user_id, row.id)
                if held is not None:
                    self._dispatch(tx, held)

    def _dispatch(self, tx: Tx, row: Wakeup) -> None:
        """Hand a claimed row to its session, or let it wait, or skip it: as the rules say of its latest occurrence."""
        rhythm = rhythm_of(row.rhythm, row.zone)
        if rhythm is not None:
            row = missed(tx, row, to_text(rhythm.latest(from_text(row.meant_at), tx.clock.now())))
        if self._apply(tx, row, self._judged(tx, row)):
            session, origin = cast("SessionId", row.session_id), wakeups.handed_over_as(row)
            inbox.accept(tx, row.user_id, session, SOURCES[row.family], {"wakeup": row.id, "meant_at": row.meant_at}, origin)

    def _judged(self, tx: Tx, row: Wakeup) -> Verdict:
        return unasked.verdict(tx, row, row.session_id, self._rules)

    def _apply(self, tx: Tx, row: Wakeup, verdict: Verdict) -> bool:
        """Let a row wait or skip it; True when it is to run."""
        match verdict:
            case Run():
                return True
            case Wait(until):
                hand_back(tx, row, until)
            case Skip(why):
                if finish(tx, row, outcome="skipped", action="skipped", error=why):
                    telling.skipped(tx, row, why, self._rules)
        return False

    # --- what was handed over ----------------------------------------------------------------------------------------------

    async def take(self, held: Held, inbound: Inbound, language: Language, listener: Listener = nobody) -> None:
        """Take up a wake-up in its session; see `session.conversation.Other`."""
        row = await self._store.write(lambda tx: self._still(tx, held, inbound))
        if row is None:
            return
        try:
            if row.kind == "text" or (row.family == "followup" and not self._parts.thinks):
                await self._store.write(lambda tx: self._speak(tx, held, inbound, row, language))
            else:
                asked = await self._store.read(lambda tx: self._asked(tx, inbound, row, language))
                await self._talk.turns.run(held, asked, language, listener)
        except _Superseded:
            await self._store.write(lambda tx: _settle(tx, held.user, inbound))
        except (LaneLost, *NOT_HERE):
            raise
        except Exception:  # our fault: what was promised is told in the plainest way, and does not come again and again
            log.exception("wakeup_broke", wakeup=row.id)
            await self._store.write(lambda tx: self._gave_up(tx, held, inbound, row))

    def _gave_up(self, tx: Tx, held: Held, inbound: Inbound, row: Wakeup) -> None:
        """Take a wake-up whose taking up broke as failed, and tell it; of one whose turn has begun, the turn's end tells."""
        people.hold_session(tx, held.user, held.session)
        if finish(tx, row, outcome="failed", action="unknown", error="wakeup_broke"):
            telling.broken_off(tx, row, people.require_user(tx, row.user_id).language)
        _settle(tx, held.user, inbound)

    def _still(self, tx: Tx, held: Held, inbound: Inbound) -> Wakeup | None:
        """Return the wake-up, if it is still to run now; what was cancelled, or waits again, leaves nothing."""
        people.hold_session(tx, held.user, held.session)
        body = cast("Mapping[str, Any]", inbound.body)
        row = wakeups.by_id(tx, held.user, body["wakeup"])
        ready = row is not None and row.status == "running" and row.started_at is None and row.meant_at == body["meant_at"]
        if row is not None and ready:
            verdict = self._judged(tx, row)
            weighs = row.kind == "wake" and self._parts.thinks
            if isinstance(verdict, Run) and not weighs and inbox.waiting(tx, held.user, held.session, "person"):
                verdict = Wait(tx.clock.now() + AFTER_THE_PERSON)
            if self._apply(tx, row, verdict):
                return row
        _settle(tx, held.user, inbound)
        return None

    def _speak(self, tx: Tx, held: Held, inbound: Inbound, row: Wakeup, language: Language) -> None:
        """Owe the words that need no model, and take the wake-up as done with that."""
        people.hold_session(tx, held.user, held.session)
        row = _started(tx, row, inbound.id)
        telling.due(tx, row, inbound.id, language)
        _settle(tx, held.user, inbound)
        finish(tx, row, outcome="completed", action="sent_private_message", actions=[{"tool": "text", "code": "ok"}])
        reach("wakeup.before_settled")

    def _asked(self, tx: Tx, inbound: Inbound, row: Wakeup, language: Language) -> Asked:
        by_rules = not self._parts.thinks
        follow_up = row.family == "followup"

        def on_begin(tx: Tx, turn: str) -> None:
            _started(tx, row, turn)
            reach("wakeup.started")

        def on_settle(tx: Tx, leaving: Leaving) -> None:
            _completed(tx, row, leaving)
            reach("wakeup.before_settled")

        return Asked(
            [inbound],
            row.text if by_rules else "",
            origin="wake" if follow_up else "cron",
            reminder="" if by_rules else telling.tail_block(tx, row, language),
            context={"woken": {"number": row.number, "family": row.family}},
            on_begin=on_begin,
            on_settle=on_settle,
            mute=row.delivery == "none",
            correction=telling.correction(language) if follow_up else "",
            trigger=telling.kept_with(row),
            lead=telling.late(tx, row, language),
            allowed=None if row.exact else self._allowed(row),
            ending=None if follow_up else _not_done(row),
        )

    def _allowed(self, row: Wakeup) -> Callable[[Tx], bool]:
        """Return what tells whether a turn that nobody timed may say one thing more."""
        session = cast("SessionId", row.session_id)
        return lambda tx: isinstance(unasked.in_a_turn(tx, row, session, self._rules), Run)


def _started(tx: Tx, row: Wakeup, turn: str) -> Wakeup:
    """Write that it has begun, before anything of it runs; raises `_Superseded` when somebody else has done something with it."""
    now = tx.now()
    if not wakeups.change(tx, row, started_at=now, turn_id=turn, sent_message_id=None, last_error=""):
        raise _Superseded
    return replace(row, started_at=now, turn_id=turn, version=row.version + 1)


def _not_done(row: Wakeup) -> Callable[[Tx, Leaving, str, str], str]:
    """Return what says of a timed task, by its name and its moment, that it could not be done."""

    def ending(tx: Tx, leaving: Leaving, reason: str, ran: str) -> str:
        why = reason or say(
            leaving.language, f"wakeups.end.{leaving.state if leaving.state == 'stopped' else leaving.outcome.end}"
        )
        return telling.not_done(tx, row, leaving.language, why, ran, _again_at(tx, row, leaving))

    return ending


def _again_at(tx: Tx, row: Wakeup, leaving: Leaving) -> datetime | None:
    """Return when what did not come to its end comes again: what comes once only where the provider failed before anything ran."""
    untouched = leaving.state == "failed" and not leaving.outcome.results and not leaving.outcome.broken
    return next_try(row, tx.clock.now()) if untouched or row.rhythm is not None else None


def _completed(tx: Tx, begun: Wakeup, leaving: Leaving) -> None:
    """Write what came of a turn, with the turn's own end; a process that was given up meanwhile writes nothing."""
    row = wakeups.by_id(tx, begun.user_id, begun.id)
    if row is None or row.status != "running" or row.turn_id != leaving.row.id:
        raise LaneLost
    well, action, error = (
        leaving.state == "done" and leaving.outcome.end in ("answered", "finished", "asked"),
        action_of(leaving),
        "",
    )
    if not well:
        named = leaving.outcome.end if leaving.state == "done" else leaving.state
        error = named if leaving.outcome.error is None else leaving.outcome.error.code
    if row.family == "followup" and action == "unknown" and (row.exact or leaving.state == "failed"):
        telling.due(tx, row, leaving.row.id, leaving.language)
        action = "sent_private_message" if well else action
    again = None if well or row.family == "followup" or row.rhythm is not None else _again_at(tx, row, leaving)
    if again is not None:
        put_off(tx, row, again, error)
    else:
        outcome = "completed" if well else "failed"
        note = leaving.outcome.unsent
        finish(tx, row, outcome=outcome, action=action, actions=actions_of(leaving), error=error, note=note)
    log.info("woken", number=row.number, session=row.session_id, action=action, state=leaving.state)


def _hold(tx: Tx, sessions: Collection[wakeups.Key]) -> None:
    """Make sure that these sessions are there, and hold them."""
    for user, session in sorted(sessions):
        people.ensure_session(tx, user, session, "terminal")
    people.hold_sessions(tx, sessions)


def _left_behind(tx: Tx, limit: int) -> list[Wakeup]:
    """Return what was taken up and would never end: its turn's process is gone, or no inbox has it."""
    dead = [row for row in wakeups.begun(tx) if not _turn_lives(tx, row)]
    return [*dead, *wakeups.waiting_nowhere(tx, limit)][:limit]


def _turn_lives(tx: Tx, row: Wakeup) -> bool:
    turn = None if row.turn_id is None else turns.find(tx, row.user_id, row.turn_id)
    if turn is None or turn.state != "running":
        return False
    lane = turns.lane(tx, row.user_id, turn.session_id)
    return lane is not None and lane.token == turn.lane_token and not owners.is_gone(lane.claim, tx.clock.now())


def _settle(tx: Tx, user: UserId, inbound: Inbound) -> None:
    inbox.start(tx, user, [inbound.id], inbound.id)
    inbox.settle(tx, user, inbound.id)
