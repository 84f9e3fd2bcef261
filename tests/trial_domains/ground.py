"""The fixtures that gate tests stand on; each folder's conftest takes them from here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.core import logs
from steadyhand.core.clock import FakeClock, SystemClock
from trial_domains.stand import Stand, build

__all__ = ["folder", "quiet_log", "stand", "stand_anywhere", "stand_here", "stand_now", "stand_on_postgres"]


@pytest.fixture(autouse=True)
def quiet_log() -> Iterator[None]:
    """Log as the program does, from errors up: what a test breaks on purpose need not be told."""
    logs.configure("error")
    yield
    logs.reset()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the trial targets lie."""
    made = tmp_path / "targets"
    made.mkdir()
    return made


@pytest.fixture
def stand(data_dir: Path, folder: Path, clock: FakeClock) -> Iterator[Stand]:
    """A gate on SQLite with a fake clock."""
    made = build(f"sqlite:///{data_dir / 'steadyhand.db'}", folder, clock)
    yield made
    made.store.close()


@pytest.fixture
def stand_anywhere(database_url: str, folder: Path, clock: FakeClock) -> Iterator[Stand]:
    """A gate with a fake clock: once on SQLite, once on PostgreSQL."""
    made = build(database_url, folder, clock)
    yield made
    made.store.close()


@pytest.fixture
def stand_now(database_url: str, folder: Path) -> Iterator[Stand]:
    """A gate with the machine's clock, which it shares with child processes; on both databases."""
    made = build(database_url, folder, SystemClock())
    yield made
    made.store.close()


@pytest.fixture
def stand_here(data_dir: Path, folder: Path) -> Iterator[Stand]:
    """A gate on SQLite with the machine's clock, which it shares with child processes."""
    made = build(f"sqlite:///{data_dir / 'steadyhand.db'}", folder, SystemClock())
    yield made
    made.store.close()


@pytest.fixture
def stand_on_postgres(postgres_url: str, folder: Path) -> Iterator[Stand]:
    """A gate on PostgreSQL with the machine's clock, which it shares with child processes."""
    made = build(postgres_url, folder, SystemClock())
    yield made
    made.store.close()
