"""A book of jobs and those who work through it: over one database, with bodies that the child finds beside the package."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.jobs import here
from steadyhand.jobs.book import Book, Start
from steadyhand.jobs.ending import Ended
from steadyhand.jobs.work import Worker
from steadyhand.store import Store
from steadyhand.store.later import jobs
from steadyhand.store.later.jobs import Job
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.sessions import inbox, outbox
from steadyhand.store.upkeep import schema

HERE = Path(__file__).parent
INSIDE = f"import steadyhand; steadyhand.__path__.append({str(HERE / 'inside')!r}); "
COMMAND = (sys.executable, "-I", "-c", INSIDE + "from steadyhand.jobs.child import main; main()")
ME, OTHER = UserId("mine"), UserId("theirs")
DESK = SessionId("desk")


def trial(name: str) -> str:
    return f"steadyhand.trial_bodies:{name}"


@pytest.fixture(autouse=True)
def _children_see_the_trial_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(here, "CHILD_COMMAND", COMMAND)


def lay(store: Store) -> None:
    """Make the tables, two people, and a session for each."""
    schema.make_place(store)
    schema.migrate(store)
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: people.add_user(tx, User(user, "", "UTC", "en", ("*",))))
        store.write_now(lambda tx, user=user: people.ensure_session(tx, user, DESK, "terminal"))


@pytest.fixture
def store(database_url: str, clock: FakeClock) -> Iterator[Store]:
    opened = Store(database_url, clock)
    lay(opened)
    yield opened
    opened.close()


async def soon(seconds: float) -> None:
    """A pause that is one turn of the loop with a breath: nobody waits for the clock of a test."""
    await asyncio.sleep(min(seconds, 0.005))


class Agent:
    """What does the jobs of kind ``agent``: waits until it is let go, then ends as its job's arguments say."""

    def __init__(self) -> None:
        self.began: list[int] = []
        self.go = asyncio.Event()

    async def __call__(self, job: Job, report: Any) -> Ended:
        self.began.append(job.number)
        report(1, 2, "half way")
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            return Ended("cancelled", "as far as it came", "half of it", reason="job_cancelled")
        if job.arguments.get("raise"):
            raise RuntimeError("it broke")
        return Ended("done", "everything", "all of it")


class House:
    """A store with its book, and workers that pause for nobody."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.book = Book(store, soon)
        self.workers: list[Worker] = []

    def worker(self, agents: Any = None, **more: Any) -> Worker:
        made = Worker(self.store, self.book, agents, pause=soon, **more)
        self.workers.append(made)
        return made

    async def start(self, body: str = "count", user: UserId = ME, **more: Any) -> Job:
        known: dict[str, Any] = {"arguments": {"steps": 2}, "title": body}
        if more.get("kind", "body") == "body":
            known["body"] = trial(body)
        return await self.book.start(Start(user, DESK, **({"kind": "body"} | known | more)))

    async def work(self, worker: Worker | None = None) -> Worker:
        """Let a worker claim what waits and come to the end of it."""
        worker = worker or self.worker()
        while await worker.tick():
            await worker.drain()
        return worker

    def row(self, job: Job) -> Job:
        found = self.store.read_now(lambda tx: jobs.by_id(tx, job.user_id, job.id))
        assert found is not None
        return found

    def inbounds(self, user: UserId = ME) -> list[Any]:
        def look(tx: Any) -> list[Any]:
            rows = self.store.read_now(lambda tx: jobs.of_user(tx, user))
            done = [one for row in rows for one in inbox.of_turn(tx, user, row.id)]
            return [*done, *inbox.waiting(tx, user, DESK)]

        return self.store.read_now(look)

    def waiting(self, user: UserId = ME) -> list[Any]:
        return self.store.read_now(lambda tx: inbox.waiting(tx, user, DESK))

    def owed(self, user: UserId = ME) -> list[str]:
        return [row.content for row in self.store.read_now(lambda tx: outbox.unsent(tx, user, DESK))]

    async def until(self, condition: Any) -> None:
        """Wait for what another task brings about."""
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110  # what is waited for is in a database, and tells nobody
                await asyncio.sleep(0.005)

    async def close(self) -> None:
        for worker in self.workers:
            await worker.close(0.0)


@pytest.fixture
def house(store: Store) -> House:
    return House(store)
