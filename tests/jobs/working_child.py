"""A process of its own that works through what is queued: ``python -m jobs.working_child URL``."""

import asyncio
import sys

from jobs.ground import COMMAND
from steadyhand.core import logs
from steadyhand.jobs import here
from steadyhand.jobs.book import Book
from steadyhand.jobs.work import Worker
from steadyhand.store import Store


async def work(store: Store) -> None:
    worker = Worker(store, Book(store))
    while await worker.tick():
        await worker.drain()
    await worker.close()


def main() -> None:
    logs.configure("error")
    here.CHILD_COMMAND = COMMAND
    store = Store(sys.argv[1])
    asyncio.run(work(store))
    store.close()


if __name__ == "__main__":
    main()
