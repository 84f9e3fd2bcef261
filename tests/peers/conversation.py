"""A room to talk in, for complaints about conversations."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from session.ground import Room, build
from steadyhand.core.clock import FakeClock


@pytest.fixture
def talk(data_dir: Path, folder: Path, clock: FakeClock) -> Iterator[Callable[..., Room]]:
    """Makes a room for the script that it is given."""
    with ExitStack() as stack:

        def make(*lines: Any, **more: Any) -> Room:
            made = build(f"sqlite:///{data_dir / 'steadyhand.db'}", folder, clock, *lines, **more)
            stack.callback(made.store.close)
            return made

        yield make
