"""Rooms to talk in, whose wake-ups come."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from session.conftest import room, room_anywhere, room_now
from steadyhand.core.clock import FakeClock
from trial_domains.ground import folder, quiet_log, stand
from wakeups.ground import Bedside, bedside

__all__ = ["folder", "quiet_log", "room", "room_anywhere", "room_now", "stand"]


@pytest.fixture
def bed_for(database_url: str, folder: Path, clock: FakeClock) -> Iterator[Callable[..., Bedside]]:
    """Makes a room whose sessions are woken, on either database, for the script that it is given."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> Bedside:
            made = bedside(database_url, folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make


@pytest.fixture
def bed(bed_for: Callable[..., Bedside]) -> Bedside:
    """One whose model is not asked."""
    return bed_for()
