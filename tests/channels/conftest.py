"""A room that is reached over channels, on either database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from channels.ground import ChannelRoom, channel_room
from steadyhand.core.clock import FakeClock
from trial_domains.ground import folder, quiet_log

__all__ = ["folder", "quiet_log"]

MakeRoom = Callable[..., ChannelRoom]


@pytest.fixture
def room(data_dir: Path, folder: Path, clock: FakeClock) -> Iterator[MakeRoom]:
    """Makes a room on SQLite with a fake clock, for the script that it is given."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> ChannelRoom:
            made = channel_room(f"sqlite:///{data_dir / 'steadyhand.db'}", folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make


@pytest.fixture
def room_anywhere(database_url: str, folder: Path, clock: FakeClock) -> Iterator[MakeRoom]:
    """The same on both databases."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> ChannelRoom:
            made = channel_room(database_url, folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make
