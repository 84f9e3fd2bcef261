"""A lock has one holder, goes with it, and is had per name; a database file is replaced only while nobody has it open."""

import contextlib
import gc

import pytest
from sqlalchemy import text

from steadyhand.core.errors import StoreUnavailable
from steadyhand.store import Store
from steadyhand.store.database import engine
from steadyhand.store.database.locks import exclusive
from steadyhand.store.database.presence import alone


def test_a_lock_has_one_holder_until_it_lets_go(store, database_url):
    other = Store(database_url)
    with exclusive(store, "recovery") as mine, exclusive(other, "recovery") as theirs, exclusive(other, "migrate") as another:
        assert (mine, theirs, another) == (True, False, True)
    with exclusive(other, "recovery") as later:
        assert later
    other.close()


def test_a_lock_goes_when_its_holder_breaks_off(store, database_url):
    other = Store(database_url)
    with contextlib.suppress(LookupError), exclusive(store, "recovery"):
        raise LookupError
    with exclusive(other, "recovery") as got:
        assert got
    other.close()


def test_who_waits_for_a_lock_does_not_wait_for_ever(store, database_url):
    other = Store(database_url)
    with exclusive(store, "recovery"), exclusive(other, "recovery", wait_seconds=0.05) as got:
        assert not got
    other.close()


@pytest.fixture
def file_store(data_dir):
    opened = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    yield opened
    opened.close()


def look(store):
    return store.read_now(lambda tx: tx.execute(text("SELECT 1")).scalar_one())


def test_a_file_that_is_open_is_nobodys_alone(file_store):
    look(file_store)
    with alone(file_store.file) as got:
        assert not got
    file_store.close()
    with alone(file_store.file) as got:
        assert got


def test_several_may_have_a_file_open(file_store):
    other = Store(str(file_store.url))
    assert (look(file_store), look(other)) == (1, 1)
    other.close()
    with alone(file_store.file) as got:
        assert not got


def test_a_file_that_is_being_replaced_is_not_opened(data_dir, monkeypatch):
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.02)
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    with alone(store.file), pytest.raises(StoreUnavailable, match="store_busy"):
        look(store)
    assert look(store) == 1
    store.close()


def test_a_store_that_is_forgotten_lets_go_of_its_file(data_dir):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    file = store.file
    look(store)
    del store
    gc.collect()
    with alone(file) as got:
        assert got
