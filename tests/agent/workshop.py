"""A room whose agent starts jobs: one script for itself and one for all its sub-agents, and a worker that runs what is queued."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from session.ground import DESK, ME, Room
from steadyhand.agent.spawning import spawning_tools
from steadyhand.agent.subagent import SubAgents
from steadyhand.agent.turn import Limits
from steadyhand.core.wire import Request
from steadyhand.jobs.book import Book, OwnJobs
from steadyhand.jobs.work import Worker
from steadyhand.llm.provider import ProviderEvent
from steadyhand.llm.scripted import Line, Scripted
from steadyhand.session.conversation import Conversations
from steadyhand.session.finished_jobs import take_up_finished_jobs
from steadyhand.store.later import jobs
from steadyhand.store.later.jobs import Job
from steadyhand.store.sessions import inbox
from steadyhand.tools.builtin.jobs import job_tools


async def soon(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.005))


class Two:
    """A provider with a script for whoever talks to a person, and one for sub-agents."""

    def __init__(self, agent: Iterable[Line] = (), sub: Iterable[Line] = ()) -> None:
        self.agent, self.sub = Scripted(agent), Scripted(sub)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        of = self.sub if request.context.get("origin") == "subagent" else self.agent
        async for event in of.stream(request):
            yield event


@dataclass
class Workshop(Room):
    own: Limits = field(default_factory=lambda: Limits(6, 30.0, 10_000))
    has_host: bool = True

    def __post_init__(self) -> None:
        self.book = Book(self.store, soon, lambda: self.has_host)
        self.extra = (*job_tools(), *spawning_tools(self.own))
        super().__post_init__()
        self.parts = replace(self.parts, jobs=lambda user, session, turn: OwnJobs(self.book, user, session, turn))
        self.talk = Conversations(self.parts)
        take_up_finished_jobs(self.talk)
        self.worker = self.another_worker()

    def another_worker(self) -> Worker:
        agents = SubAgents(self.store, self.provider, lambda: self.registry, self.parts.runner.policy, self.book)
        return Worker(self.store, self.book, agents.run, pause=soon)

    async def work(self) -> None:
        """Run what is queued to its end, and let the sessions take up what came of it."""
        while await self.worker.tick():
            await self.worker.drain()
        await self.take_up()

    async def take_up(self) -> None:
        for user, session in self.store.read_now(inbox.sessions_waiting):
            await self.talk.run(user, session, "en")
        await self.parts.outbox.deliver(ME, DESK)

    @contextlib.asynccontextmanager
    async def hosted(self) -> AsyncIterator[None]:
        """Let a worker claim all the time, as a host does, until the block ends."""

        async def always() -> None:
            while True:
                await self.worker.tick()
                await asyncio.sleep(0.005)

        task = asyncio.create_task(always())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.worker.close(0.0)

    def job(self, number: int = 1) -> Job:
        found = self.store.read_now(lambda tx: jobs.by_number(tx, ME, number))
        assert found is not None
        return found

    def jobs(self) -> list[Job]:
        return self.store.read_now(lambda tx: jobs.of_user(tx, ME))

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110  # what is waited for is in a database, and tells nobody
                await asyncio.sleep(0.005)
