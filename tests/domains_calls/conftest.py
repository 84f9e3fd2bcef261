"""A gate whose one domain is tool calls."""

import pytest

from domains_calls.ground import build
from trial_domains.ground import quiet_log

__all__ = ["quiet_log"]


@pytest.fixture
def desk(data_dir, clock):
    made = build(f"sqlite:///{data_dir / 'steadyhand.db'}", data_dir, clock)
    yield made
    made.store.close()


@pytest.fixture
def desk_anywhere(database_url, data_dir):
    made = build(database_url, data_dir)
    yield made
    made.store.close()
