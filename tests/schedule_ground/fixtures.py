"""The fixtures that the timetable's tests stand on; each folder's conftest takes them from here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from schedule_ground.desk import ME, OTHER, Desk, open_desk
from steadyhand.core.clock import FakeClock, SystemClock

__all__ = ["desk", "desk_anywhere", "desk_now", "desks_anywhere"]


@pytest.fixture
def desk(data_dir: Path, clock: FakeClock) -> Iterator[Desk]:
    """A furnished timetable on SQLite with a fake clock."""
    made = open_desk(f"sqlite:///{data_dir / 'steadyhand.db'}", data_dir, clock)
    yield made
    made.store.close()


@pytest.fixture
def desk_anywhere(database_url: str, data_dir: Path, clock: FakeClock) -> Iterator[Desk]:
    """A furnished timetable with a fake clock: once on SQLite, once on PostgreSQL."""
    made = open_desk(database_url, data_dir, clock)
    yield made
    made.store.close()


@pytest.fixture
def desks_anywhere(database_url: str, data_dir: Path, clock: FakeClock) -> Iterator[Desk]:
    """Two persons who both have the same term with the same numbers."""
    made = open_desk(database_url, data_dir, clock, people=(ME, OTHER))
    yield made
    made.store.close()


@pytest.fixture
def desk_now(database_url: str, data_dir: Path) -> Iterator[Desk]:
    """A furnished timetable with the machine's clock, which it shares with child processes; on both databases."""
    made = open_desk(database_url, data_dir, SystemClock())
    yield made
    made.store.close()
