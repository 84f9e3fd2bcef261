"""A unit of work is written whole or not at all, durably, one writer at a time; and what goes wrong is told in words."""

import asyncio
import contextlib
import sqlite3
import sys

import pytest
from sqlalchemy import text

from steadyhand.core.errors import SteadyhandError, StoreUnavailable
from steadyhand.core.explain import explain
from steadyhand.core.ids import UserId
from steadyhand.core.language import LANGUAGES
from steadyhand.store import Store
from steadyhand.store.changes import changes, drafts
from steadyhand.store.database import engine
from steadyhand.store.database.engine import Duplicate
from steadyhand.store.people import people
from steadyhand.store.upkeep import schema
from store.ground import ME, OTHER, change_row, person
from store.racing import race


def name_of(store, user=ME):
    return store.read_now(lambda tx: people.require_user(tx, user)).name


def rename(store, name, user=ME):
    store.write_now(lambda tx: people.change_user(tx, user, name=name))


def in_words(error: SteadyhandError) -> list[str]:
    told = [explain(error, language) for language in LANGUAGES]
    assert {one.code for one in told} == {error.code}
    return [one.text() for one in told]


def test_what_a_unit_of_work_wrote_is_there_when_it_returned(store):
    rename(store, "Ada")
    assert name_of(store) == "Ada"


def test_the_result_of_a_unit_of_work_is_handed_out(store):
    assert store.write_now(lambda tx: people.next_change_number(tx, ME)) == 1
    assert store.read_now(lambda tx: people.require_user(tx, ME).id) == ME


def test_the_waiting_forms_do_the_same_in_a_thread(store):
    asyncio.run(store.write(lambda tx: people.change_user(tx, ME, name="Ada")))
    assert asyncio.run(store.read(lambda tx: people.require_user(tx, ME))).name == "Ada"


def test_a_unit_of_work_that_raises_leaves_nothing(store):
    def work(tx):
        people.change_user(tx, ME, name="half")
        people.change_user(tx, OTHER, name="half")
        raise LookupError

    with pytest.raises(LookupError):
        store.write_now(work)
    assert (name_of(store), name_of(store, OTHER)) == ("", "")


def test_a_duplicate_is_named_so_and_rolls_the_whole_unit_back(store):
    def work(tx):
        people.change_user(tx, ME, name="half")
        people.add_user(tx, person(OTHER))

    with pytest.raises(Duplicate):
        store.write_now(work)
    assert name_of(store) == ""


def test_a_store_that_was_closed_opens_again_when_asked(store):
    rename(store, "Ada")
    store.close()
    assert name_of(store) == "Ada"


# ---- SQLite ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def file_store(data_dir, clock):
    opened = Store(f"sqlite:///{data_dir / 'steadyhand.db'}", clock)
    schema.ensure(opened)
    opened.write_now(lambda tx: people.add_user(tx, person(ME)))
    yield opened
    opened.close()


def pragma(tx, name):
    return tx.execute(text(f"PRAGMA {name}")).scalar_one()


def test_a_reader_cannot_write(file_store):
    with pytest.raises(StoreUnavailable) as refused:
        file_store.read_now(lambda tx: people.change_user(tx, ME, name="never"))
    assert refused.value.code == "store_readonly"
    assert name_of(file_store) == ""


def test_a_writer_waits_for_the_disk_and_keeps_foreign_keys(file_store):
    found = file_store.write_now(lambda tx: [pragma(tx, name) for name in ("journal_mode", "synchronous", "foreign_keys")])
    assert found == ["wal", 2, 1]


def test_a_row_of_nobody_is_refused(file_store):
    with pytest.raises(Duplicate, match="FOREIGN KEY"):
        file_store.write_now(lambda tx: drafts.open_draft(tx, UserId("nobody"), "schedule", "main", {}))


def test_a_unit_of_work_has_the_file_before_its_first_statement(file_store):
    def work(tx):
        other = sqlite3.connect(file_store.file, timeout=0, isolation_level=None)
        with contextlib.closing(other), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    file_store.write_now(work)


def test_a_reader_is_not_held_up_by_a_writer_and_sees_what_was_committed(file_store):
    def work(tx):
        people.change_user(tx, ME, name="Ada")
        return name_of(file_store)

    assert file_store.write_now(work) == ""
    assert name_of(file_store) == "Ada"


def test_a_file_that_stays_busy_is_told_in_words(file_store, monkeypatch):
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.02)
    file_store.close()
    with contextlib.closing(sqlite3.connect(file_store.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable) as refused:
            rename(file_store, "never")
    zh, en = in_words(refused.value)
    assert refused.value.code == "store_busy"
    assert "这一步没有写入" in zh
    assert "This step was not written" in en


def test_a_full_disk_rolls_back_and_is_told(file_store):
    def work(tx):
        people.change_user(tx, ME, name="half")
        tx.execute(text(f"PRAGMA max_page_count = {pragma(tx, 'page_count')}"))
        people.change_user(tx, ME, name="x" * 1_000_000)

    with pytest.raises(StoreUnavailable) as refused:
        file_store.write_now(work)
    assert refused.value.code == "store_full"
    assert name_of(file_store) == ""


def test_a_file_that_is_no_database_is_told_and_left_alone(data_dir):
    file = data_dir / "steadyhand.db"
    file.write_bytes(b"this is not a database, whatever its name says" * 100)
    before = file.read_bytes()
    store = Store(f"sqlite:///{file}")
    with pytest.raises(StoreUnavailable) as refused:
        schema.ensure(store)
    store.close()
    assert refused.value.code == "store_damaged"
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(data_dir):
    (data_dir / "taken").touch()
    store = Store(f"sqlite:///{data_dir / 'taken' / 'steadyhand.db'}")
    with pytest.raises(StoreUnavailable) as refused:
        schema.ensure(store)
    assert refused.value.code == "store_cannot_open"


def test_folder_and_file_are_made_for_their_owner_alone(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'new' / 'steadyhand.db'}")
    schema.ensure(store)
    store.close()
    modes = [oct(path.stat().st_mode & 0o777) for path in (tmp_path / "new", tmp_path / "new" / "steadyhand.db")]
    assert modes == ["0o700", "0o600"]


# ---- servers ---------------------------------------------------------------------------------------------------------


def test_a_server_that_does_not_answer_is_told_without_its_password():
    store = Store("postgresql+psycopg://someone:hush@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailable) as refused:
        schema.ensure(store)
    assert refused.value.code == "store_unreachable"
    assert not any("hush" in words for words in in_words(refused.value))


def test_a_missing_driver_is_told_with_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreUnavailable) as refused:
        Store("postgresql+psycopg://someone@127.0.0.1/none")
    assert all("steadyhand[postgres]" in words for words in in_words(refused.value))


@pytest.mark.parametrize("url", ["nonsense", "postgresql+psycopg://host:port/name"])
def test_an_address_that_cannot_be_read_is_told(url):
    with pytest.raises(StoreUnavailable) as refused:
        Store(url)
    assert refused.value.code == "database_url_unusable"


def test_a_database_that_the_server_does_not_have_is_told(postgres_url):
    store = Store(postgres_url.rpartition("/")[0] + "/no_such_database")
    with pytest.raises(StoreUnavailable) as refused:
        schema.version(store)
    assert refused.value.code == "store_unreachable"


# ---- several processes -----------------------------------------------------------------------------------------------


def test_three_processes_that_read_compare_and_write_lose_nothing(store, database_url, tmp_path):
    store.write_now(lambda tx: changes.insert_change(tx, change_row()))
    store.close()
    race(database_url, tmp_path / "race", "add_ones", 60)
    row = store.read_now(lambda tx: changes.by_number(tx, ME, 1))
    assert row is not None
    assert (row.provider_round, row.version) == (180, 181)
