"""A backup is a checked copy that replaces nothing; a restore puts a backup in place and loses neither database, whatever it finds."""

import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing

import pytest
from sqlalchemy import text

from steadyhand.core.errors import SchemaMismatch, StoreUnavailable, ToolRefusal
from steadyhand.store import Store
from steadyhand.store.database.sqlite_file import BESIDE
from steadyhand.store.people import people
from steadyhand.store.upkeep import archive, restoring, schema
from steadyhand.store.upkeep.backup import back_up
from steadyhand.store.upkeep.restoring import restore
from store.ground import LATER, ME, NEWEST, person


def make(file, name, clock=None):
    """Make a database in which the one person has *name*; return its store, closed."""
    store = Store(f"sqlite:///{file}", clock)
    schema.ensure(store)
    store.write_now(lambda tx: people.add_user(tx, person(ME, name)))
    store.close()
    return store


def opened(file):
    """Open a database, or the one in a backup."""
    if archive.kind_of(file) != "archive":
        return closing(sqlite3.connect(file))
    connection = sqlite3.connect(":memory:")
    with zipfile.ZipFile(file) as backup_file:
        connection.deserialize(backup_file.read(archive.DATABASE))
    return closing(connection)


def name_in(file):
    with opened(file) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
        return connection.execute("SELECT name FROM users").fetchone()[0]


def listed(folder):
    """Return the files of a folder, without those that only carry locks."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


@pytest.fixture
def store(data_dir, clock):
    opened = make(data_dir / "steadyhand.db", "old", clock)
    yield opened
    opened.close()


@pytest.fixture
def away(tmp_path):
    folder = tmp_path / "away"
    folder.mkdir()
    return folder


@pytest.fixture
def copy(away, tmp_path):
    """A backup of another database."""
    (tmp_path / "elsewhere").mkdir()
    file = away / "copy.db"
    back_up(make(tmp_path / "elsewhere" / "steadyhand.db", "new"), file)
    return file


@pytest.fixture
def bare(tmp_path):
    """The bare file of another database, as programs before this one wrote a backup."""
    (tmp_path / "bare").mkdir()
    file = tmp_path / "bare" / "copy.db"
    make(file, "new")
    return file


# ---- backup ----------------------------------------------------------------------------------------------------------


def test_a_backup_holds_what_the_database_holds_for_its_owner_alone(store, away):
    done = back_up(store, away / "copy.db")
    assert name_in(away / "copy.db") == "old"
    assert listed(away) == ["copy.db"]
    assert (done.file, done.contents.version) == (away / "copy.db", schema.HEAD)
    assert done.bytes == (away / "copy.db").stat().st_size
    assert (away / "copy.db").stat().st_mode & 0o777 == 0o600


def test_a_backup_holds_what_was_committed_while_others_write(store, away):
    def work(tx):
        people.change_user(tx, ME, name="half")
        back_up(Store(str(store.url)), away / "copy.db")

    store.write_now(work)
    assert name_in(away / "copy.db") == "old"


def test_what_lies_only_in_the_log_is_in_the_backup(store, away):
    store.write_now(lambda tx: people.change_user(tx, ME, name="in the log"))
    assert store.file.with_name("steadyhand.db-wal").stat().st_size > 0
    back_up(store, away / "copy.db")
    assert name_in(away / "copy.db") == "in the log"


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link", "the database itself"])
def test_a_backup_replaces_nothing(store, away, kind):
    file = away / "copy.db"
    if kind == "file":
        file.write_bytes(b"precious")
    elif kind == "folder":
        file.mkdir()
    elif kind == "dangling link":
        file.symlink_to(away / "nowhere")
    else:
        file = store.file
    before = listed(file.parent)
    with pytest.raises(ToolRefusal, match="backup_exists"):
        back_up(store, file)
    assert listed(file.parent) == before


def test_somebody_who_takes_the_name_meanwhile_keeps_it(store, away, monkeypatch):
    write = archive.write

    def late(*arguments, **options):
        (away / "copy.db").write_bytes(b"precious")
        return write(*arguments, **options)

    monkeypatch.setattr(archive, "write", late)
    with pytest.raises(ToolRefusal, match="backup_exists"):
        back_up(store, away / "copy.db")
    assert (away / "copy.db").read_bytes() == b"precious"
    assert listed(away) == ["copy.db"]


def test_a_folder_that_is_not_there_is_told(store, away):
    with pytest.raises(ToolRefusal, match="file_unwritable"):
        back_up(store, away / "none" / "copy.db")


@pytest.mark.parametrize("present", [True, False])
def test_without_a_database_there_is_nothing_to_back_up_and_none_is_made(data_dir, away, present):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    if present:
        store.file.touch()
    with pytest.raises(StoreUnavailable, match="backup_nothing"):
        back_up(store, away / "copy.db")
    assert store.file.exists() == present
    assert listed(away) == []


def test_a_damaged_database_gives_no_backup(store, away):
    with store.file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(os.urandom(4096 * 30))
    with pytest.raises(StoreUnavailable, match="store_damaged"):
        back_up(store, away / "copy.db")
    assert listed(away) == []


def test_a_server_has_its_own_tools(away):
    store = Store("postgresql+psycopg://someone@127.0.0.1:1/none")
    for work in (back_up, restore):
        with pytest.raises(StoreUnavailable, match="backup_postgres"):
            work(store, away / "copy.db")


# ---- restore ---------------------------------------------------------------------------------------------------------


def test_a_backup_takes_the_place_of_the_database_which_stays_beside_it(store, copy, data_dir):
    done = restore(store, copy)
    assert done.kept == data_dir / "steadyhand.db.before-restore-20260907T010000Z"
    assert (name_in(store.file), name_in(done.kept), name_in(copy)) == ("new", "old", "new")
    assert listed(data_dir) == ["steadyhand.db", done.kept.name]
    assert store.file.stat().st_mode & 0o777 == 0o600
    assert store.read_now(lambda tx: people.require_user(tx, ME)).name == "new"


def test_a_database_that_was_kept_can_be_restored_in_its_turn(store, copy):
    kept = restore(store, copy).kept
    with pytest.raises(ToolRefusal, match="backup_bare"):
        restore(store, kept)
    again = restore(store, kept, bare=True)
    assert (name_in(store.file), name_in(again.kept)) == ("old", "new")
    assert again.kept != kept
    assert name_in(kept) == "old"


def test_on_a_new_machine_a_restore_makes_the_folder(tmp_path, copy):
    store = Store(f"sqlite:///{tmp_path / 'fresh' / 'steadyhand.db'}")
    assert restore(store, copy).kept is None
    assert name_in(store.file) == "new"
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o700


def test_what_lies_beside_a_missing_database_is_not_played_into_the_new_one(store, copy):
    leave_a_log(store.file)
    store.file.unlink()
    assert restore(store, copy).kept is None
    assert name_in(store.file) == "new"


def leave_a_log(file):
    """Write to a database and die, so that what was written lies in the log alone."""
    write = "import os,sqlite3,sys; c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute('PRAGMA journal_mode=WAL')"
    write += "; c.execute('UPDATE users SET name = \"in the log\"'); os._exit(0)"
    subprocess.run([sys.executable, "-c", write, str(file)], check=True)
    assert file.with_name(f"{file.name}-wal").stat().st_size > 0


def test_what_lies_only_in_the_log_is_kept_with_the_old_database(store, copy, data_dir):
    leave_a_log(store.file)
    done = restore(store, copy)
    assert (name_in(store.file), name_in(done.kept)) == ("new", "in the log")
    assert listed(data_dir) == ["steadyhand.db", done.kept.name]


def test_a_damaged_database_is_kept_with_all_that_lies_beside_it(store, copy):
    leave_a_log(store.file)
    store.file.write_bytes(b"no database at all" * 1000)
    log = store.file.with_name("steadyhand.db-wal").read_bytes()
    done = restore(store, copy)
    assert name_in(store.file) == "new"
    assert done.kept.read_bytes() == b"no database at all" * 1000
    assert done.kept.with_name(f"{done.kept.name}-wal").read_bytes() == log
    assert not any(store.file.with_name(store.file.name + ending).exists() for ending in BESIDE)


def test_a_bare_database_with_its_log_beside_it_is_read_with_it(store, bare):
    leave_a_log(bare)
    restore(store, bare, bare=True)
    assert name_in(store.file) == "in the log"


@pytest.mark.parametrize("kind", ["missing", "folder", "empty", "text", "other database", "cut off", "broken inside"])
def test_what_is_no_whole_database_of_ours_is_refused_and_nothing_changed(store, bare, data_dir, kind):
    file = bare.with_name("bad.db")
    match kind:
        case "missing":
            pass
        case "folder":
            file.mkdir()
        case "empty":
            file.touch()
        case "text":
            file.write_text("a list of tasks\n" * 500, encoding="utf-8")
        case "other database":
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        case "cut off":
            file.write_bytes(bare.read_bytes()[: 4096 * 20])
        case _:
            content = bytearray(bare.read_bytes())
            content[4096 * 10 : 4096 * 40] = os.urandom(4096 * 30)
            file.write_bytes(content)
    before = store.file.read_bytes()
    with pytest.raises(ToolRefusal, match=r"backup_(unreadable|other)"):
        restore(store, file, bare=True)
    assert store.file.read_bytes() == before
    assert listed(data_dir) == ["steadyhand.db"]


def test_a_newer_backup_is_refused_and_nothing_changed(store, bare):
    with closing(sqlite3.connect(bare)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(SchemaMismatch, match="schema_newer"):
        restore(store, bare, bare=True)
    assert name_in(store.file) == "old"


def test_an_older_backup_is_migrated_before_it_takes_the_place(store, copy, data_dir, later):
    later()
    done = restore(store, copy)
    assert (done.source.version, schema.version(store)) == (NEWEST, LATER)
    assert store.read_now(lambda tx: tx.execute(text("SELECT nickname FROM users")).scalar()) == "new"
    store.close()
    assert listed(data_dir) == ["steadyhand.db", done.kept.name]


@pytest.mark.parametrize("who", ["a store of ours", "another program"])
def test_while_anybody_has_the_database_open_nothing_is_restored(store, copy, data_dir, who):
    other = Store(str(store.url)) if who == "a store of ours" else sqlite3.connect(store.file)
    with closing(other):
        if isinstance(other, Store):
            other.read_now(lambda tx: people.require_user(tx, ME))
        else:
            other.execute("SELECT * FROM users").fetchall()
        with pytest.raises(StoreUnavailable, match="restore_busy"):
            restore(store, copy)
    assert listed(data_dir) == ["steadyhand.db"]
    assert name_in(store.file) == "old"


def test_two_restores_do_not_meet(store, copy):
    from steadyhand.store.database.locks import exclusive

    with exclusive(store, "restore"), pytest.raises(StoreUnavailable, match="restore_busy"):
        restore(store, copy)


def test_a_full_disk_leaves_the_old_database(store, copy, data_dir, monkeypatch):
    def full(*_arguments):
        raise StoreUnavailable("store_full", reason="database or disk is full")

    monkeypatch.setattr(restoring.archive, "unpack", full)
    with pytest.raises(StoreUnavailable, match="store_full"):
        restore(store, copy)
    assert listed(data_dir) == ["steadyhand.db"]
    assert name_in(store.file) == "old"


def test_without_links_on_the_file_system_the_old_database_is_copied(store, copy, away, monkeypatch):
    def none(*_arguments):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", none)
    done = restore(store, copy)
    assert (name_in(store.file), name_in(done.kept)) == ("new", "old")
    back_up(store, away / "linkless.db")
    assert name_in(away / "linkless.db") == "new"
