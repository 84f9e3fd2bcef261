"""Decides how a person's sessions are found, named and deleted. It must not touch a change but to withdraw it at the gate's own door."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from steadyhand.core.canonical import legible
from steadyhand.core.errors import DecisionRefused, ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.gate import machine
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.machine import State
from steadyhand.session.lane import Lanes
from steadyhand.store import Store, Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import SessionRow

LONGEST_NAME = 60
MOST_NAMED = 5
"""So many sessions are named where a word fits several."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What goes with a session: what was *said*, what *waits* to be read, what is *owed*; *withdrawn* are its changes that stop.

    *kept* is how many of its changes stay on record, those included. *wakeups* would have come to it, and are cancelled.
    """

    row: SessionRow
    waits: int
    owed: int
    withdrawn: Sequence[ChangeRow]
    kept: int
    wakeups: Sequence[Wakeup] = ()


def rename(tx: Tx, user: UserId, session: SessionId, name: str) -> str:
    """Name a session of the person; return the name as it is kept, on one line."""
    kept = " ".join(legible(name).split())
    if not 0 < len(kept) <= LONGEST_NAME or not kept.isprintable():
        raise ToolRefusal("session_name_unusable", most=LONGEST_NAME)
    if not conversations.change_session(tx, user, session, name=kept):
        raise DecisionRefused("session_unknown", session=session)
    return kept


def pick(rows: Sequence[SessionRow], wanted: str) -> SessionRow:
    """Return the one of *rows* (as they are listed) that *wanted* means: its id, its name, or its number in the list, in this order.

    A name that several have is refused, and they are named; so is what means none.
    """
    word = " ".join(wanted.split())
    for row in rows:
        if row.id == wanted.strip():
            return row
    named = [row for row in rows if row.name and row.name.casefold() == word.casefold()]
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(row.id for row in named[:MOST_NAMED])
        raise ToolRefusal("session_ambiguous", name=named[0].name, count=len(named), ids=ids)
    if word.isascii() and word.isdigit() and len(word) <= 9 and 1 <= int(word) <= len(rows):
        return rows[int(word) - 1]
    raise ToolRefusal("session_not_found", wanted=word[:LONGEST_NAME])


class Administration:
    """What a person does with their sessions from outside of them."""

    def __init__(self, store: Store, controller: Controller, lanes: Lanes) -> None:
        self._store = store
        self._controller = controller
        self._lanes = lanes

    async def list(self, user: UserId) -> Sequence[SessionRow]:
        """Return the person's sessions, the last used first."""
        return await self._store.read(lambda tx: conversations.sessions_of(tx, user))

    async def resume(self, user: UserId, wanted: str) -> SessionRow:
        """Return the session of the person that *wanted* means; see `pick`. One of a sub-agent is found by its id."""
        own = await self._store.read(lambda tx: conversations.find_session(tx, user, SessionId(wanted.strip())))
        return own or pick(await self.list(user), wanted)

    async def rename(self, user: UserId, wanted: str, name: str) -> SessionRow:
        """Name the session that *wanted* means; return it as it is then."""
        row = await self.resume(user, wanted)
        await self._store.write(lambda tx: rename(tx, user, row.id, name))
        return await self.resume(user, row.id)

    async def history(self, user: UserId, session: SessionId) -> Sequence[conversations.Said]:
        """Return all that was said in the session and is still kept."""
        return await self._store.read(lambda tx: conversations.history(tx, user, session))

    async def deletion(self, user: UserId, wanted: str) -> Deletion:
        """Return what deleting the session that *wanted* means would take with it; nothing is changed."""
        row = await self.resume(user, wanted)
        return await self._store.read(lambda tx: _deletion(tx, user, row))

    async def delete(self, decider: Decider, session: SessionId) -> Deletion:
        """Withdraw what the session has proposed and nobody has submitted, then remove it; refused while a turn runs there."""
        user = decider.user
        async with self._lanes.hold(user, session) as held:
            if held is None:
                raise DecisionRefused("session_busy", session=session)
            about = await self.deletion(user, session)
            withdrawn = [row for change in about.withdrawn if (row := await self._withdraw(decider, change.number))]
            await self._store.write(lambda tx: _remove(tx, user, session))
        return replace(about, withdrawn=withdrawn)

    async def _withdraw(self, decider: Decider, number: int) -> ChangeRow | None:
        """Withdraw a change; None when it has come to its end by itself, or was submitted, since it was looked at."""
        row = await self._controller.current(decider.user, number)
        if State(row.state) not in machine.BEFORE_SUBMISSION:
            return None
        return await self._controller.withdraw(decider, number)


def _remove(tx: Tx, user: UserId, session: SessionId) -> None:
    """Remove a session, with what would have come to it."""
    people.hold_session(tx, user, session)
    for row in _coming(tx, user, session):
        wakeups.change(tx, row, status="cancelled", owner=None, owner_token=None, lease_until=None)
    conversations.delete_session(tx, user, session)


def _coming(tx: Tx, user: UserId, session: SessionId) -> list[Wakeup]:
    return wakeups.of_user(tx, user, session=session, statuses=("pending", "running"))


def _deletion(tx: Tx, user: UserId, row: SessionRow) -> Deletion:
    states = [state.value for state in machine.BEFORE_SUBMISSION]
    return Deletion(
        row,
        len(inbox.waiting(tx, user, row.id)),
        len(outbox.unsent(tx, user, row.id)),
        changes.of_session(tx, user, row.id, states),
        len(changes.of_session(tx, user, row.id, [state.value for state in State])),
        _coming(tx, user, row.id),
    )
