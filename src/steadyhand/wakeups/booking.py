"""Decides what may be booked for later and how it is changed, replaced and cancelled, each in one transaction. It must not run it.

Whoever is woken may book one follow-up, and of those that woken turns have booked without a word of the person only a few follow
each other. What comes again is booked by the person alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from steadyhand.core.canonical import Json, legible
from steadyhand.core.clock import from_text, to_text, zone_exists
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.store import Store, Tx
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Family, Status, Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, turns
from steadyhand.tools.base import Origin
from steadyhand.wakeups.exactness import names, shifts
from steadyhand.wakeups.judging import ONE_SHOT, RECURRING
from steadyhand.wakeups.times import BadTime, Moment, Rhythm, read_cron, read_every, read_moment, rhythm_of

LONGEST_CHAIN = 5
MOST_PENDING = 200
"""So many may wait for one session."""
LONGEST_TEXT = 2_000
LONGEST_NAME = 60
PRIVATE = ("terminal", "cli", "web", "onebot")
"""Channels on which one person and the agent are alone."""

WAITING: tuple[Status, ...] = ("pending", "running")
LISTED: tuple[Status, ...] = ("pending", "running", "failed")
"""What a person is shown of timed tasks: what comes, and what could not be done and does not come again."""

When: TypeAlias = Literal["at", "every", "cron"]


@dataclass(frozen=True, slots=True)
class By:
    """Who books: in which session, by which call of which turn, and what the person said in it. *exact* says that they named the time."""

    user: UserId
    session: SessionId
    turn: str = ""
    call_id: str | None = None
    origin: Origin = "person"
    said: str = ""
    exact: bool | None = None
    zone: str = ""

    def timed(self, moment: Moment, rhythm: Rhythm | None, now: datetime) -> bool:
        """Tell whether the person themselves named the time that is booked."""
        if self.exact is not None:
            return self.exact
        return self.origin == "person" and names(self.said, moment, rhythm, now)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What `schedule_private_followup` asks for."""

    send_at: str
    reason: str
    commitment: str
    replace_existing: bool = False


@dataclass(frozen=True, slots=True)
class Timed:
    """What is to be done or said, by ``at``, ``every`` or ``cron``; *within* lets it be so many seconds late, None takes the default."""

    by: When
    when: str
    text: str
    name: str = ""
    kind: Literal["wake", "text"] = "wake"
    zone: str = ""
    delivery: Literal["user", "none"] = "user"
    missed: Json = None
    family: Family = "cron"


@dataclass(frozen=True, slots=True)
class Booked:
    """What was booked; *earlier* says that its time comes twice, and this is the first."""

    row: Wakeup
    cancelled: Sequence[Wakeup] = ()
    earlier: bool = False


class Book:
    """What is booked for later."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def follow_up(self, by: By, wanted: FollowUp) -> Booked:
        """Book a follow-up, in the place of the session's others where that is wanted; what is refused cancels nothing."""
        reason, commitment = _text(wanted.reason, "reason_empty"), _text(wanted.commitment, "commitment_empty")

        def work(tx: Tx) -> Booked:
            _hold(tx, by)
            _require_private(tx, by)
            chain = _chain(tx, by)
            moment = read_moment(wanted.send_at, _zone(tx, by), tx.clock.now())
            gone = _pending(tx, by.user, by.session, ("followup",)) if wanted.replace_existing else []
            gone = [row for row in gone if row.rhythm is None and row.kind == "wake"]
            _require_room(tx, by, len(gone))
            cancelled = [_end(tx, row, by.call_id) for row in gone]
            row = _row(tx, by, moment, "followup", "wake")
            row = replace(
                row,
                followup_reason=reason,
                assistant_commitment_text=commitment,
                chain=chain,
                replace_existing=wanted.replace_existing,
            )
            wakeups.insert_wakeup(tx, row)
            return Booked(row, cancelled, moment.earlier)

        return await self._store.write(work)

    async def timed(self, by: By, wanted: Timed) -> Booked:
        """Book what comes at a time or again and again; refused to a turn that no person asked for."""
        if by.origin != "person":
            raise ToolRefusal("only_by_person")
        text = _text(wanted.text, "text_empty")

        def work(tx: Tx) -> Booked:
            _hold(tx, by)
            _require_room(tx, by, 0)
            moment, rhythm = _when(wanted, wanted.zone or _zone(tx, by), tx.clock.now())
            row = _row(tx, by, moment, wanted.family, wanted.kind, rhythm)
            name = " ".join(legible(wanted.name).split())[:LONGEST_NAME] or " ".join(text.split())[:LONGEST_NAME]
            default = ONE_SHOT if rhythm is None else RECURRING
            row = replace(
                row,
                name=name,
                text=text,
                rhythm=None if rhythm is None else rhythm.to_json(),
                missed_rule=default if wanted.missed is None else wanted.missed,
                delivery=wanted.delivery,
            )
            wakeups.insert_wakeup(tx, row)
            return Booked(row, earlier=moment.earlier)

        return await self._store.write(work)

    async def booked(
        self, user: UserId, session: SessionId | None, family: Family, statuses: Sequence[Status] = ("pending", "running")
    ) -> list[Wakeup]:
        """Return what is booked, the next first; of every session where none is named."""
        return await self._store.read(
            lambda tx: wakeups.of_user(tx, user, session=session, families=(family,), statuses=statuses)
        )

    async def change(self, by: By, number: int, *, send_at: str | None, reason: str | None, commitment: str | None) -> Booked:
        """Change a follow-up that waits."""

        def work(tx: Tx) -> Booked:
            _hold(tx, by)
            row = _named(tx, by, number, "followup")
            if row.status != "pending":
                raise ToolRefusal("wakeup_not_pending", number=number)
            columns: dict[str, object] = {}
            moment: Moment | None = None
            if send_at is not None:
                moment = read_moment(send_at, _zone(tx, by), tx.clock.now())
                at = to_text(moment.at)
                columns |= {
                    "due_at": at,
                    "meant_at": at,
                    "zone": moment.zone,
                    "exact": _stays_exact(by, row, moment, tx.clock.now()),
                }
            if reason is not None:
                columns["followup_reason"] = _text(reason, "reason_empty")
            if commitment is not None:
                columns["assistant_commitment_text"] = _text(commitment, "commitment_empty")
            return Booked(_changed(tx, row, **columns), earlier=moment is not None and moment.earlier)

        return await self._store.write(work)

    async def cancel(self, by: By, number: int | None, *, family: Family = "followup", every: bool = False) -> list[Wakeup]:
        """Cancel one that waits: the one of that number, the only one, or *every* one of the session."""

        def work(tx: Tx) -> list[Wakeup]:
            _hold(tx, by)
            if number is not None:
                return [_end(tx, _named(tx, by, number, family, LISTED if family == "cron" else WAITING), by.call_id)]
            there = _pending(tx, by.user, by.session, (family,))
            if not there:
                raise ToolRefusal("nothing_booked")
            if len(there) > 1 and not every:
                raise ToolRefusal("which_wakeup", numbers=", ".join(str(row.number) for row in there[:20]))
            return [_end(tx, row, by.call_id) for row in there]

        return await self._store.write(work)

    async def enable(self, by: By, number: int, *, enabled: bool) -> Wakeup:
        """Let one come again, from its next occurrence on, or not until then."""

        def work(tx: Tx) -> Wakeup:
            _hold(tx, by)
            row = _named(tx, by, number, "cron")
            columns: dict[str, object] = {"enabled": enabled}
            rhythm = rhythm_of(row.rhythm, row.zone)
            now = tx.clock.now()
            if enabled and not row.enabled and row.status == "pending" and rhythm is not None and from_text(row.meant_at) <= now:
                at = to_text(rhythm.after(rhythm.latest(from_text(row.meant_at), now)))
                columns |= {"due_at": at, "meant_at": at}
            return _changed(tx, row, **columns)

        return await self._store.write(work)

    async def remove(self, by: By, number: int) -> Wakeup:
        """Let one not come any more; what came of it stays on record."""
        (row,) = await self.cancel(by, number, family="cron")
        return row

    async def runs(self, by: By, number: int) -> tuple[Wakeup, Sequence[wakeups.WakeupRun]]:
        """Return what came of one's last occurrences."""

        def work(tx: Tx) -> tuple[Wakeup, Sequence[wakeups.WakeupRun]]:
            row = _named(tx, by, number, "cron", None)
            return row, wakeups.runs_of(tx, by.user, row.id)

        return await self._store.read(work)


def _hold(tx: Tx, by: By) -> None:
    """Hold the person and the session before any of their wake-ups, in the order in which everybody does."""
    people.hold_user(tx, by.user)
    people.hold_session(tx, by.user, by.session)


def _stays_exact(by: By, row: Wakeup, moment: Moment, now: datetime) -> bool:
    """Tell whether a changed time is the person's own: named itself, or as so long before or after the one they named."""
    if by.timed(moment, None, now):
        return True
    return row.exact and by.origin == "person" and by.exact is None and shifts(by.said, moment.at - from_text(row.meant_at))


def _pending(tx: Tx, user: UserId, session: SessionId, families: Sequence[Family]) -> list[Wakeup]:
    """Return what has not begun."""
    rows = wakeups.of_user(tx, user, session=session, families=families, statuses=("pending", "running"))
    return [row for row in rows if row.started_at is None or row.status == "pending"]


def _end(tx: Tx, row: Wakeup, call_id: str | None) -> Wakeup:
    """Cancel a row; one that has begun to run already is past that, and comes no more."""
    if row.status not in LISTED:
        raise ToolRefusal("wakeup_not_pending", number=row.number)
    if row.status == "running" and row.started_at is not None:
        if row.rhythm is None:
            raise ToolRefusal("wakeup_not_pending", number=row.number)
        return _changed(tx, row, enabled=False, rhythm=None, cancelled_by_tool_call_id=call_id)
    return _changed(
        tx, row, status="cancelled", cancelled_by_tool_call_id=call_id, owner=None, owner_token=None, lease_until=None
    )


def _changed(tx: Tx, row: Wakeup, **columns: object) -> Wakeup:
    if not wakeups.change(tx, row, **columns):
        raise ToolRefusal("wakeup_changed", number=row.number)
    found = wakeups.by_id(tx, row.user_id, row.id)
    return row if found is None else found


def _named(tx: Tx, by: By, number: int, family: Family, statuses: Sequence[Status] | None = WAITING) -> Wakeup:
    """Return the session's one of that number; those of other sessions are not seen."""
    row = wakeups.by_number(tx, by.user, number)
    if row is None or row.family != family or (by.session and row.session_id != by.session):
        raise ToolRefusal("wakeup_unknown", number=number)
    if statuses is not None and row.status not in statuses:
        raise ToolRefusal("wakeup_not_pending", number=number)
    return row


def _text(text: str, code: str) -> str:
    kept = legible(text).strip()
    if not kept:
        raise ToolRefusal(code)
    return kept[:LONGEST_TEXT]


def _zone(tx: Tx, by: By) -> str:
    return by.zone or people.require_user(tx, by.user).zone


def _require_private(tx: Tx, by: By) -> None:
    session = conversations.find_session(tx, by.user, by.session)
    if by.origin == "subagent" or session is None or session.channel not in PRIVATE:
        raise ToolRefusal("not_private")


def _require_room(tx: Tx, by: By, freed: int) -> None:
    there = wakeups.of_user(tx, by.user, session=by.session, statuses=("pending",), limit=MOST_PENDING + freed)
    if len(there) - freed >= MOST_PENDING:
        raise ToolRefusal("too_many_wakeups", most=MOST_PENDING)


def _chain(tx: Tx, by: By) -> int:
    """Return how many follow-ups without a word of the person this one makes; refused where that is too many, or a second in one turn."""
    if by.origin == "person":
        return 0
    made = wakeups.made_unasked(tx, by.user, by.session, conversations.person_spoke_at(tx, by.user, by.session))
    turn = turns.find(tx, by.user, by.turn)
    if turn is not None and any(row.created_at >= turn.started_at for row in made):
        raise ToolRefusal("one_followup_a_turn")
    if len(made) >= LONGEST_CHAIN:
        raise ToolRefusal("chain_ended", most=LONGEST_CHAIN)
    return len(made) + 1


def _when(wanted: Timed, zone: str, now: datetime) -> tuple[Moment, Rhythm | None]:
    """Return the first occurrence and the rhythm."""
    if not zone_exists(zone):
        raise BadTime("zone", zone)
    if wanted.by == "at":
        return read_moment(wanted.when, zone, now), None
    if wanted.by == "every":
        rhythm = read_every(wanted.when, zone)
        return Moment(now + timedelta(seconds=rhythm.seconds), zone), rhythm
    rhythm = read_cron(wanted.when, zone, now)
    return Moment(rhythm.after(now), zone), rhythm


def _row(tx: Tx, by: By, moment: Moment, family: Family, kind: wakeups.Kind, rhythm: Rhythm | None = None) -> Wakeup:
    exact = by.timed(moment, rhythm, tx.clock.now())
    return new_row(tx, by.user, by.session, moment, family, kind, call_id=by.call_id, exact=exact)


def new_row(
    tx: Tx,
    user: UserId,
    session: SessionId | None,
    moment: Moment,
    family: Family,
    kind: wakeups.Kind,
    *,
    call_id: str | None = None,
    exact: bool = False,
) -> Wakeup:
    """Return a row that comes once at *moment*, with nothing to say yet."""
    at, now = to_text(moment.at), tx.now()
    empty = dict.fromkeys(wakeups.COLUMNS)
    known: dict[str, object] = {
        "id": new_id("wake"),
        "user_id": user,
        "number": wakeups.take_number(tx, user),
        "session_id": session,
        "family": family,
        "kind": kind,
        "status": "pending",
        "enabled": True,
        "due_at": at,
        "meant_at": at,
        "zone": moment.zone,
        "missed_rule": ONE_SHOT,
        "exact": exact,
        "delivery": "user",
        "chain": 0,
        "replace_existing": False,
        "created_by_tool_call_id": call_id,
        "attempt": 0,
        "created_at": now,
        "updated_at": now,
        "version": 1,
    }
    words = dict.fromkeys(("name", "followup_reason", "assistant_commitment_text", "text", "last_error"), "")
    return Wakeup(**(empty | words | known))  # type: ignore[arg-type]  # every column is named above
