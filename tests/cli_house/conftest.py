"""What tests of the house commands start from: the command line on an empty data folder, run in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from steadyhand.cli.main import run
from steadyhand.core import logs
from store.ground import later

__all__ = ["at_terminal", "later", "steady"]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch, data_dir: Path, capsys: Any) -> Callable[..., Done]:
    """Run ``steady`` with the words given."""
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    data_dir.chmod(0o700)

    def call(*words: object) -> Done:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        logs.reset()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put a person at the terminal who answers the next questions, the last one in the same word for ever."""

    def answers(*words: str) -> None:
        left = list(words)
        monkeypatch.setattr("steadyhand.cli.terminal.frame.Frame.at_terminal", property(lambda _frame: True))
        monkeypatch.setattr(
            "click.prompt", lambda text, **_options: (click.echo(text), left.pop(0) if len(left) > 1 else left[0])[1]
        )

    return answers
