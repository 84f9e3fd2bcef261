"""A gate with trial domains, a pause that only counts, and a room whose agent starts jobs."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agent.workshop import Two, Workshop
from steadyhand.core.clock import FakeClock
from steadyhand.store import Store
from trial_domains import stand as trial
from trial_domains.ground import folder, quiet_log, stand

__all__ = ["folder", "quiet_log", "stand"]


class Pauses:
    def __init__(self):
        self.waited = []
        self.meanwhile = None

    async def __call__(self, seconds):
        self.waited.append(seconds)
        if self.meanwhile is not None:
            await self.meanwhile()


@pytest.fixture
def pauses():
    return Pauses()


@pytest.fixture
def workshop(database_url: str, folder: Path, clock: FakeClock) -> Iterator[Callable[..., Workshop]]:
    """Makes a workshop on either database, for the two scripts that it is given."""
    with ExitStack() as stack:

        def make(agent: Any = (), sub: Any = (), **more: Any) -> Workshop:
            trial.build(database_url, folder, clock).store.close()
            made = Workshop(Store(database_url, clock), folder, Two(agent, sub), **more)
            stack.callback(made.store.close)
            return made

        yield make
