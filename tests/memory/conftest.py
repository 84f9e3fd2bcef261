"""The ground of memory's tests: an opened database of either kind with two people, and a quiet log."""

import pytest

from steadyhand.store.people import people
from store.ground import DESK, ME, OTHER, store

__all__ = ["desk", "store"]


@pytest.fixture
def desk(store):
    """A database in which both people have a session of the same name."""
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: people.ensure_session(tx, user, DESK, "cli"))
    return store
