"""Decides which jobs may be started, and keeps them as rows: a person's open ones are bounded, and so is how deep one starts another. It must not run any."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from steadyhand.core.canonical import Json, legible
from steadyhand.core.delivery import Delivery
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import JobId, SessionId, UserId, new_id
from steadyhand.jobs import ending
from steadyhand.jobs.bodies import require_address
from steadyhand.store import Store, Tx
from steadyhand.store.later import jobs
from steadyhand.store.later.jobs import ENDED, Job, State

Kind = Literal["body", "agent"]

MOST_OPEN: Mapping[Kind, int] = MappingProxyType({"agent": 5, "body": 20})
"""So many jobs of a kind one person may have open at once."""
MOST_DEPTH = 3
LONGEST_TITLE = 200
MOST_LISTED = 20
LOOK_SECONDS = 0.2
"""How often somebody who waits for a job looks whether it has ended."""


@dataclass(frozen=True, slots=True)
class Start:
    """A job that is wanted. Its end goes to *session* by *delivery*; *turn* and *call* say which call asked for it.

    *body* is the address of a body, for that kind. *repeatable* work has no effect but its result. *parent* is the job that starts it.
    """

    user: UserId
    session: SessionId
    kind: Kind
    title: str
    body: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    delivery: Delivery = "user"
    turn: str = ""
    call: str = ""
    repeatable: bool = False
    seconds: float = 300.0
    parent: JobId | None = None


class Book:
    """The jobs of every person."""

    def __init__(
        self,
        store: Store,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        hosted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._pause = pause
        self._hosted = hosted

    async def start(self, wanted: Start) -> Job:
        """Store a job to be run by whoever works; raises `ToolRefusal` where there may be no more."""
        return await self._store.write(lambda tx: start(tx, wanted))

    async def cancel(self, user: UserId, number: int) -> Job:
        """Cancel a job with all that it has started: at once when it is queued, else it is asked to end. Return it as it stands."""

        def work(tx: Tx) -> Job:
            found = require(tx, user, number)
            return ending.stop(tx, user, found.id) or found

        return await self._store.write(work)

    async def find(self, user: UserId, number: int) -> Job:
        """Return the person's job of that number; raises `ToolRefusal` when there is none."""
        return await self._store.read(lambda tx: require(tx, user, number))

    async def list(
        self, user: UserId, *, session: SessionId | None = None, states: Iterable[State] | None = None, limit: int = 100
    ) -> list[Job]:
        """Return the person's jobs, the newest first."""
        return await self._store.read(lambda tx: jobs.of_user(tx, user, session=session, states=states, limit=limit))

    async def hosted(self) -> bool:
        """Tell whether somebody is there who runs what is queued."""
        return await asyncio.to_thread(self._hosted)

    async def ended(self, user: UserId, job: JobId) -> Job:
        """Wait until a job has ended, or is left queued with nobody there to run it; how long is the caller's to bound."""
        while True:
            row = await self._store.read(lambda tx: jobs.by_id(tx, user, job))
            if row is None:
                raise ToolRefusal("job_unknown", number=0)
            if row.state in ENDED or (row.state == "queued" and not await self.hosted()):
                return row
            await self._pause(LOOK_SECONDS)


class OwnJobs:
    """The jobs of one turn's agent: a person's own, or, inside a job, those that this *parent* has started. See `tools.ports.Jobs`."""

    def __init__(
        self,
        book: Book,
        user: UserId,
        session: SessionId,
        turn: str,
        *,
        parent: JobId | None = None,
        tools: Sequence[str] | None = None,
    ) -> None:
        self._book = book
        self._user = user
        self._session = session
        self._turn = turn
        self._parent = parent
        self.tools = tools

    async def start_body(
        self,
        body: str,
        title: str,
        *,
        call: str,
        arguments: Mapping[str, Json],
        delivery: Delivery,
        repeatable: bool,
        seconds: float,
    ) -> Job:
        """Store a job that runs the body at an address."""
        return await self._start("body", title, body, call, arguments, delivery, seconds, repeatable=repeatable)

    async def start_agent(
        self, title: str, *, call: str, arguments: Mapping[str, Json], delivery: Delivery, seconds: float
    ) -> Job:
        """Store a job that a sub-agent does."""
        return await self._start("agent", title, "", call, arguments, delivery, seconds)

    async def _start(
        self,
        kind: Kind,
        title: str,
        body: str,
        call: str,
        arguments: Mapping[str, Json],
        delivery: Delivery,
        seconds: float,
        *,
        repeatable: bool = False,
    ) -> Job:
        wanted = Start(
            self._user, self._session, kind, title, body, arguments, delivery, self._turn, call, repeatable, seconds, self._parent
        )
        return await self._book.start(wanted)

    async def cancel(self, number: int) -> Job:
        """Cancel a job; one of somebody else is not found."""
        await self.find(number)
        return await self._book.cancel(self._user, number)

    async def find(self, number: int) -> Job:
        """Return a job by its number."""
        row = await self._book.find(self._user, number)
        if self._parent is not None and row.parent_id != self._parent:
            raise ToolRefusal("job_unknown", number=number)
        return row

    async def list(self) -> Sequence[Job]:
        """Return the last jobs, the newest first."""
        rows = await self._book.list(self._user, limit=MOST_LISTED)
        return [row for row in rows if self._parent is None or row.parent_id == self._parent]

    async def hosted(self) -> bool:
        """Tell whether somebody is there who runs what is started."""
        return await self._book.hosted()

    async def ended(self, job: JobId) -> Job:
        """Wait for the end of a job; see `tools.ports.Jobs`."""
        return await self._book.ended(self._user, job)


def require(tx: Tx, user: UserId, number: int) -> Job:
    """Return the person's job of that number; raises `ToolRefusal` when there is none."""
    found = jobs.by_number(tx, user, number)
    if found is None:
        raise ToolRefusal("job_unknown", number=number)
    return found


def start(tx: Tx, wanted: Start) -> Job:
    """Store a job in this transaction; see `Book.start`."""
    if wanted.kind == "body":
        require_address(wanted.body)
    number = jobs.take_number(tx, wanted.user)  # it also lets nobody else start one for this person until the transaction ends
    depth = _depth(tx, wanted)
    if depth > MOST_DEPTH:
        raise ToolRefusal("job_too_deep", most=MOST_DEPTH)
    most = MOST_OPEN[wanted.kind]
    if jobs.count_open(tx, wanted.user, wanted.kind) >= most:
        raise ToolRefusal("job_too_many", most=most)
    row = _queued(wanted, number, depth, tx.now())
    jobs.insert_job(tx, row)
    return row


def _depth(tx: Tx, wanted: Start) -> int:
    """Return how deep the job lies; a parent that has ended, or is to end, starts nothing more."""
    if wanted.parent is None:
        return 1
    parent = jobs.by_id(tx, wanted.user, wanted.parent)
    if parent is None or parent.state != "running" or parent.cancel_asked:
        raise ToolRefusal("job_parent_ended")
    return parent.depth + 1


def _queued(wanted: Start, number: int, depth: int, now: str) -> Job:
    return Job(
        id=JobId(new_id("job")),
        user_id=wanted.user,
        number=number,
        session_id=wanted.session,
        kind=wanted.kind,
        body=wanted.body,
        title=" ".join(legible(wanted.title).split())[:LONGEST_TITLE],
        arguments=dict(wanted.arguments),
        reply_to={"session": wanted.session, "turn": wanted.turn, "call": wanted.call, "delivery": wanted.delivery},
        repeatable=wanted.repeatable,
        parent_id=wanted.parent,
        depth=depth,
        seconds=wanted.seconds,
        state="queued",
        progress=None,
        cancel_asked=False,
        result=None,
        reason="",
        owner=None,
        owner_token=None,
        lease_until=None,
        started_at=None,
        ended_at=None,
        told_at=None,
        attempt=0,
        created_at=now,
        updated_at=now,
        version=1,
    )
