"""Decides who runs queued jobs and for how long: claimed under a lease, bounded, ended when asked. It must not know what the work means.

A process that dies leaves its jobs to `recover` of another: see `ending.settle_lost` for what becomes of them.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, TypeAlias, TypeVar, cast

from steadyhand.core import owners
from steadyhand.core.canonical import Json, canonical, legible
from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.faults import reach
from steadyhand.core.ids import JobId, new_id
from steadyhand.core.logs import get_logger
from steadyhand.core.owners import Claim
from steadyhand.jobs import ending
from steadyhand.jobs.bodies import Report
from steadyhand.jobs.book import Book
from steadyhand.jobs.ending import LARGE, Ended, of_outcome, shown_data
from steadyhand.jobs.here import Limits, run_aside
from steadyhand.store import Store, Tx
from steadyhand.store.later import jobs
from steadyhand.store.later.jobs import Job

T = TypeVar("T")

Agents: TypeAlias = Callable[[Job, Report], Awaitable[Ended]]
"""Runs a job of kind ``agent``. Cancelled, it may still return what it had found."""

Keep: TypeAlias = Callable[[str, str], Awaitable[str]]
"""Keeps a large result under a name; returns where."""

LOOK_SECONDS = 0.5
"""How often a worker looks whether one of its jobs is to end, and stores how far they are."""
RECOVER_SECONDS = 5.0
MOST_RESULT_BYTES = 64 * 1024
SHOWN_OF_LARGE = 4_000
MOST_NOTE = 500
TRIES = (0.2, 1.0, 5.0)
"""The waits between attempts to store an end, where the database cannot be written just then."""

log = get_logger(__name__)


@dataclass
class _Going:
    """A job that this worker runs. *why* says why it is ended from outside; *halt* ends it."""

    job: Job
    task: "asyncio.Task[None] | None" = None
    why: Literal["", "cancelled", "timed_out", "closing", "taken"] = ""
    halt: Callable[[], object] | None = None
    progress: Json = None
    stored: Json = None

    def note(self, done: int, total: int, note: str = "") -> None:
        self.progress = {"done": done, "total": total, "note": legible(note)[:MOST_NOTE]}

    def end(self, why: Literal["cancelled", "timed_out", "closing", "taken"]) -> None:
        """End it from outside, once."""
        if not self.why:
            self.why = why
            if self.halt is not None:
                self.halt()


class Worker:
    """Runs jobs in this process: bodies in children, at most *most_bodies* at once; sub-agents by *agents*."""

    def __init__(
        self,
        store: Store,
        book: Book,
        agents: Agents | None = None,
        *,
        limits: Limits | None = None,
        lease_seconds: float = 30.0,
        most_bodies: int = 2,
        keep: Keep | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.book = book
        self._store = store
        self._agents = agents
        self._limits = limits or Limits()
        self._lease = timedelta(seconds=lease_seconds)
        self._most_bodies = most_bodies
        self._keep_large = keep
        self._pause = pause
        self._token = new_id("worker")
        self._going: dict[JobId, _Going] = {}
        self._keeper: asyncio.Task[None] | None = None
        self._closing = False
        self._claiming = asyncio.Lock()
        self._recovered: float | None = None
        self._at_work = contextlib.ExitStack()
        self._at_work.enter_context(owners.at_work(self._token))

    @property
    def running(self) -> int:
        """How many jobs run here now."""
        return len(self._going)

    async def tick(self, limit: int = 100) -> int:
        """Claim queued jobs and start what fits, at most *limit*; return how many that were. Now and then `recover` first."""
        if self._closing:
            return 0
        now = self._store.clock.monotonic()
        if self._recovered is None or now - self._recovered >= RECOVER_SECONDS:
            self._recovered = now
            await self.recover()
        async with self._claiming:
            room = self._room(await self._store.read(jobs.kinds_queued), limit)
            claimed = await self._store.write(lambda tx: self._claim(tx, room)) if room else []
            for job in claimed:
                going = _Going(job)
                self._going[job.id] = going
                going.task = asyncio.create_task(self._run(going))
        if claimed and (self._keeper is None or self._keeper.done()):
            self._keeper = asyncio.create_task(self._keep())
        return len(claimed)

    async def recover(self) -> list[Job]:
        """Settle the jobs whose process is gone, and tell of those that ended untold; return the former as they stand now."""

        def look(tx: Tx) -> tuple[list[Job], list[Job]]:
            return [row for row in jobs.running(tx) if self._is_lost(row, tx)], jobs.untold(tx)

        async with self._claiming:  # what is being claimed here runs already, and is not yet known to
            lost, untold = await self._store.read(look)
        settled: list[Job] = []
        for row in lost:
            found = await self._store.write(lambda tx, row=row: ending.settle_lost(tx, row.user_id, row.id, row.owner_token))
            if found is not None:
                log.warning("job_lost", job=row.id, state=found.state)
                settled.append(found)
        for row in untold:
            await self._store.write(lambda tx, row=row: ending.tell(tx, row))
        return settled

    async def drain(self) -> None:
        """Wait until nothing runs here any more."""
        while tasks := [going.task for going in self._going.values() if going.task is not None]:
            await asyncio.wait(tasks)

    async def close(self, grace: float = 5.0) -> None:
        """Claim nothing more, let what runs end within *grace* seconds, then end it: it is settled like work whose process is gone."""
        self._closing = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.drain(), grace)
        for going in tuple(self._going.values()):
            going.end("closing")
        await self.drain()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._at_work.close()

    # --- claiming ----------------------------------------------------------------------------------------------------

    def _room(self, queued: set[str], limit: int) -> Mapping[str, int]:
        """Return how many of which kind fit. Sub-agents wait for one another, so that no bound but their person's may hold one up."""
        bodies = sum(going.job.kind == "body" for going in self._going.values())
        room = {"body": min(self._most_bodies - bodies, limit), "agent": limit if self._agents is not None else 0}
        return {kind: count for kind, count in room.items() if kind in queued and count > 0}

    def _claim(self, tx: Tx, room: Mapping[str, int]) -> list[Job]:
        claim = Claim(owners.myself(), self._token, self._until())
        return [job for kind, count in room.items() for job in jobs.claim_queued(tx, claim, count, (kind,))]

    def _until(self) -> str:
        return to_text(self._store.clock.now() + self._lease)

    def _is_lost(self, row: Job, tx: Tx) -> bool:
        if row.owner_token == self._token:
            return row.id not in self._going
        return owners.is_gone(row.claim, tx.clock.now())

    # --- running -----------------------------------------------------------------------------------------------------

    async def _run(self, going: _Going) -> None:
        try:
            reach("job.claimed")
            if not await self._store.write(lambda tx: self._begin(tx, going.job)):
                return
            reach("job.started")
            ended = await self._work(going)
            reach("job.ended")
            await self._record(going, ended)
        except Exception:
            log.exception("job_broke", job=going.job.id)  # its row is found by `recover`, as work that nobody has in hand
        finally:
            del self._going[going.job.id]

    def _begin(self, tx: Tx, job: Job) -> bool:
        """Store that the job starts; False when it is no longer this worker's, or is to end before it began."""
        row = jobs.by_id(tx, job.user_id, job.id)
        if row is None or row.state != "running" or row.owner_token != self._token:
            return False
        if row.cancel_asked:
            ended = ending.end(tx, row.user_id, row.id, self._token, Ended("cancelled", reason="job_cancelled"))
            if ended is not None:
                ending.tell(tx, ended)
            return False
        return jobs.change(tx, row, started_at=tx.now()) or self._begin(tx, job)

    async def _work(self, going: _Going) -> Ended:
        job = going.job
        try:
            if job.kind == "agent":
                return await self._agent(going)
            outcome = await run_aside(
                job.body,
                cast("Mapping[str, Json]", job.arguments),
                limits=replace(self._limits, seconds=job.seconds),
                progress=going.note,
                stop=lambda: going.why != "",
            )
            return of_outcome(outcome)
        except Exception as error:
            log.exception("job_raised", job=job.id)
            return Ended("failed", reason="job_failed", params={"kind": type(error).__name__})

    async def _agent(self, going: _Going) -> Ended:
        """Let a sub-agent work until it ends or is ended; what it had found is its result in any case."""
        assert self._agents is not None, "a job of this kind is claimed only where there is somebody to run it"  # noqa: S101  # see _room
        work = asyncio.ensure_future(self._agents(going.job, going.note))
        going.halt = work.cancel
        if going.why:
            work.cancel()
        try:
            done, _ = await asyncio.wait({work}, timeout=going.job.seconds)
            if not done:
                going.end("timed_out")
                await asyncio.wait({work})
        finally:
            if not work.done():
                work.cancel()
        ended = Ended("cancelled", reason="job_cancelled") if work.cancelled() else work.result()
        if going.why == "timed_out" and ended.state != "done":
            return replace(ended, state="timed_out", reason="job_timed_out", params={"seconds": going.job.seconds})
        return ended

    async def _record(self, going: _Going, ended: Ended) -> None:
        """Store how the job ended, then tell; one that this process gave up is settled as lost."""
        job = going.job
        if going.why == "taken":
            return
        if going.why == "closing" and ended.state == "cancelled":
            await self._stored(lambda tx: ending.settle_lost(tx, job.user_id, job.id, self._token))
            return
        bounded = await self._bounded(job, ended)
        row = await self._stored(lambda tx: ending.end(tx, job.user_id, job.id, self._token, bounded))
        reach("job.before_told")
        if row is not None:
            await self._stored(lambda tx: ending.tell(tx, row))

    async def _stored(self, work: Callable[[Tx], T]) -> T:
        for wait in TRIES:
            try:
                return await self._store.write(work)
            except StoreUnavailable as error:
                log.warning("job_end_not_stored", code=error.code)
                await self._pause(wait)
        return await self._store.write(work)

    async def _bounded(self, job: Job, ended: Ended) -> Ended:
        """Return *ended* with a result that a row may hold; a larger one is kept in a file that is named there."""
        whole = canonical(ended.to_json())
        if len(whole) <= MOST_RESULT_BYTES:
            return ended
        large: dict[str, Json] = {"bytes": len(whole)}
        if self._keep_large is not None:
            text = "\n\n".join(part for part in (ended.for_llm, _shown(ended.data)) if part)
            large["file"] = await self._keep_large(f"jobs/job-{job.number}.txt", text)
        return replace(
            ended, for_llm=ended.for_llm[:SHOWN_OF_LARGE], for_user=ended.for_user[:SHOWN_OF_LARGE], data={LARGE: large}
        )

    # --- looking after what runs -------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """While anything runs: store how far it is, renew the lease, and end what is to end."""
        waited = 0.0
        while self._going:
            await self._pause(LOOK_SECONDS)
            waited += LOOK_SECONDS
            try:
                await self._look(renew=waited >= self._lease.total_seconds() / 3)
            except StoreUnavailable as error:
                log.warning("jobs_not_looked_after", code=error.code)
                continue
            if waited >= self._lease.total_seconds() / 3:
                waited = 0.0

    async def _look(self, *, renew: bool) -> None:
        news = [going for going in self._going.values() if going.progress != going.stored]
        if renew or news:
            await self._store.write(lambda tx: self._note(tx, news, renew=renew))
        rows = {row.id: row for row in await self._store.read(jobs.running)}
        for going in tuple(self._going.values()):
            row = rows.get(going.job.id)
            if row is not None and row.owner_token != self._token:
                going.end("taken")
            elif row is not None and row.cancel_asked:
                going.end("cancelled")

    def _note(self, tx: Tx, news: list[_Going], *, renew: bool) -> None:
        for going in news:
            going.stored = going.progress
            jobs.report(tx, going.job.user_id, going.job.id, self._token, going.progress)
        if renew:
            jobs.renew(tx, self._token, tuple(self._going), self._until())


def _shown(data: Json) -> str:
    return "" if data is None else shown_data(data)
