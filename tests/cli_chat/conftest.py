"""Decides what tests of the chat start from: a program on an empty folder, with a clock that stands still."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli_chat.ground import Sitting
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.llm.provider import Provider
from steadyhand.llm.scripted import Line
from steadyhand.wiring.app import App, open_app
from trial_domains.ground import quiet_log

__all__ = ["quiet_log"]


@pytest.fixture
def app(data_dir: Path, clock: FakeClock) -> Iterator[App]:
    opened = open_app(Settings(data_dir=data_dir, zone="UTC"), "en", clock)
    yield opened
    opened.store.close()


@pytest.fixture
def sit(app: App) -> Callable[..., Sitting]:
    """Sit down in a room whose model follows a script."""

    def down(*script: Line, provider: Provider | None = None) -> Sitting:
        return Sitting(app, script, provider)

    return down
