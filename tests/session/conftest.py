"""A gate with trial domains and the one door for decisions before it; and rooms to talk in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from session.ground import Room, build
from steadyhand.core.clock import FakeClock, SystemClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.session.decisions import Decisions
from trial_domains.ground import folder, quiet_log, stand
from trial_domains.stand import DESK, ME, Stand

__all__ = ["folder", "quiet_log", "stand"]


@dataclass
class Door:
    """What a person and their channel do at the door."""

    stand: Stand
    decisions: Decisions

    async def show(self, row: Any, session: SessionId = DESK, user: UserId = ME) -> None:
        await self.decisions.showed(user, session, row)

    async def hear(self, text: str, session: SessionId = DESK, user: UserId = ME) -> Any:
        return await self.decisions.message(user, session, text, "terminal")

    async def sealed(self, plate: str = "deck", session: SessionId = DESK) -> Any:
        """A sealed change that the session has just been shown."""
        row = await self.stand.sealed(plate, session=session)
        await self.show(row, session)
        return row

    def state(self, row: Any) -> str:
        return self.stand.row(row.number).state


@pytest.fixture
def door(stand: Stand) -> Door:
    return Door(stand, Decisions(stand.controller))


MakeRoom = Callable[..., Room]


@pytest.fixture
def room(data_dir: Path, folder: Path, clock: FakeClock) -> Iterator[MakeRoom]:
    """Makes a room on SQLite with a fake clock, for the script that it is given."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> Room:
            made = build(f"sqlite:///{data_dir / 'steadyhand.db'}", folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make


@pytest.fixture
def room_anywhere(database_url: str, folder: Path, clock: FakeClock) -> Iterator[MakeRoom]:
    """The same on both databases."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> Room:
            made = build(database_url, folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make


@pytest.fixture
def room_now(database_url: str, folder: Path) -> Iterator[MakeRoom]:
    """The same with the machine's clock, which it shares with child processes."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> Room:
            made = build(database_url, folder, SystemClock(), *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make
