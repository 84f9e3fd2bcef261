"""Who watches the database hears of every commit, by whomever, and of nothing else."""

import pytest

from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import UserId
from steadyhand.store import Store
from steadyhand.store.people import people
from store.ground import ME, person

NEW = UserId("new")


@pytest.fixture
def other(database_url):
    opened = Store(database_url)
    yield opened
    opened.close()


on_a_file = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Silence can be told on a file alone: other databases of a server may commit meanwhile."""


def quiet(store: Store) -> None:
    """Look until nothing is new: on a server, other databases' commits are heard too."""
    while store.changed():
        pass


def test_every_commit_is_heard_whoever_made_it(store, other):
    quiet(store)
    store.write_now(lambda tx: people.add_user(tx, person(NEW)))
    assert store.changed()
    quiet(store)
    other.write_now(lambda tx: people.change_user(tx, ME, name="someone"))
    assert store.changed()


@on_a_file
def test_reading_is_not_heard(store, other):
    quiet(store)
    other.read_now(lambda tx: people.find_user(tx, ME))
    assert not store.changed()
    assert not store.changed()


@on_a_file
def test_what_was_rolled_back_is_not_heard(store):
    quiet(store)

    def work(tx):
        people.add_user(tx, person(NEW))
        raise LookupError

    with pytest.raises(LookupError):
        store.write_now(work)
    assert not store.changed()


def test_a_look_that_fails_says_why_and_the_next_one_starts_anew(store, monkeypatch):
    quiet(store)
    with monkeypatch.context() as patch:
        patch.setattr(store._watch, "_query", "SELECT nothing FROM nowhere")
        with pytest.raises(StoreUnavailable):
            store.changed()
    assert store.changed()
