"""What tests through the examples' term start from: days before it, here and in every child, whenever the tests are run."""

import pytest

from command_line import ground
from command_line.in_september import in_september
from steadyhand.core.clock import SystemClock


@pytest.fixture
def september(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "now", in_september)
    monkeypatch.setattr(ground, "PROGRAM", (ground.IN_SEPTEMBER,))
