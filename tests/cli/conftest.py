"""Decides what tests of the command line start from: a folder with an imported term and its tasks, a clock before the term."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from command_line.ground import TASK_FILE, TERM_FILE, Line
from steadyhand.core.clock import FakeClock

BEFORE_TERM = datetime(2026, 9, 1, 1, 0, tzinfo=UTC)


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock before the term, in place of the machine's."""
    clock = FakeClock(BEFORE_TERM)
    monkeypatch.setattr("steadyhand.wiring.app.SystemClock", lambda: clock)
    return clock


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch, capsys: Any, data_dir: Path, still_clock: FakeClock) -> Line:
    """The command line on an empty data folder."""
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    monkeypatch.setenv("STEADYHAND_ZONE", "UTC")
    return Line(capsys, data_dir)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Put a person at the terminal who gives these answers in turn; what they were asked is kept."""

    def answers(*words: str) -> list[str]:
        left, asked = list(words), list[str]()

        def prompt(text: str, **_options: object) -> str:
            asked.append(text)
            return left.pop(0)

        monkeypatch.setattr("steadyhand.cli.terminal.frame.Frame.at_terminal", property(lambda _frame: True))
        monkeypatch.setattr("click.prompt", prompt)
        return asked

    return answers


@pytest.fixture(scope="session")
def _seeded_folders() -> dict[str, Path]:
    return {}


@pytest.fixture
def seeded(line: Line, _seeded_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Line:
    """The command line on the examples: the term imported, its tasks added, everything verified."""
    folder = _seeded_folders.get("examples")
    if folder is None:
        line.ok("schedule", "import", TERM_FILE)
        line.approve()
        line.ok("schedule", "tasks", "add", TASK_FILE)
        line.approve()
        folder = tmp_path_factory.mktemp("seed") / "data"
        shutil.copytree(line.data_dir, folder)
        _seeded_folders["examples"] = folder
    else:
        shutil.copytree(folder, line.data_dir, dirs_exist_ok=True)
    return line
