"""A backup is one moment of database and folders, holds the digest of every byte, and is taken back exactly or not at all."""

import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing

import pytest

from steadyhand.core.canonical import canonical, digest, digest_bytes
from steadyhand.core.errors import StoreUnavailable, ToolRefusal
from steadyhand.store import Store
from steadyhand.store.people import people
from steadyhand.store.upkeep import archive, restoring, schema
from steadyhand.store.upkeep.backup import Holding, back_up
from steadyhand.store.upkeep.restoring import restore
from store.ground import DESK, ME, change_row, person
from store.test_backup import listed, make, name_in, opened
from store.test_restore_kills import killed_at

STRANGE = {
    "trigger": "CREATE TRIGGER harmless AFTER UPDATE ON changes BEGIN UPDATE changes SET state = 'approved'; END",
    "table": "CREATE TABLE more (a TEXT)",
    "view": "CREATE VIEW more AS SELECT * FROM decisions",
    "missing table": "DROP TABLE decisions",
    "view for a table": "ALTER TABLE decisions RENAME TO d2; CREATE VIEW decisions AS SELECT * FROM d2",
    "column": "ALTER TABLE users ADD COLUMN more TEXT",
    "index": "CREATE INDEX more ON users (name)",
    "another version": "UPDATE alembic_version SET version_num = '0001'",
    "no version": "UPDATE alembic_version SET version_num = '0001''; --'",
}


def write(folder, **files):
    for name, content in files.items():
        place = folder / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")


def read(folder):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def store(data_dir, clock):
    opened_one = make(data_dir / "steadyhand.db", "first", clock)
    write(data_dir / "parts", ada__plate__current="1", ada__plate__versions__1__deck="nodes")
    write(data_dir / "workspace", notes="mine", tools__run="#!/bin/sh")
    (data_dir / "workspace" / "tools" / "run").chmod(0o755)
    yield opened_one
    opened_one.close()


@pytest.fixture
def holdings(data_dir):
    return [Holding("parts", data_dir / "parts", together=True), Holding("workspace", data_dir / "workspace")]


@pytest.fixture
def copy(store, holdings, tmp_path):
    back_up(store, tmp_path / "copy.db", holdings)
    store.close()
    return tmp_path / "copy.db"


def test_folders_come_back_as_they_were_and_what_was_there_is_kept(store, copy, holdings, data_dir):
    before = read(data_dir / "parts"), read(data_dir / "workspace")
    store.write_now(lambda tx: people.change_user(tx, ME, name="second"))
    store.close()
    write(data_dir / "parts", ada__plate__current="2", ada__plate__versions__2__deck="more nodes")
    (data_dir / "workspace" / "notes").unlink()
    now = read(data_dir / "parts"), read(data_dir / "workspace")
    done = restore(store, copy, holdings)
    assert (read(data_dir / "parts"), read(data_dir / "workspace")) == before
    assert os.access(data_dir / "workspace" / "tools" / "run", os.X_OK)
    assert (read(done.folders["parts"]), read(done.folders["workspace"])) == now
    assert (name_in(store.file), name_in(done.kept)) == ("first", "second")


def test_a_folder_that_the_backup_does_not_hold_is_left_alone(store, holdings, data_dir, tmp_path):
    back_up(store, tmp_path / "less.db", holdings[:1])
    store.close()
    write(data_dir / "workspace", notes="altered")
    done = restore(store, tmp_path / "less.db", holdings)
    assert not done.source.holds("workspace")
    assert read(data_dir / "workspace")["notes"] == "altered"


def test_parts_that_the_backup_does_not_know_are_put_aside(store, copy, holdings, data_dir, tmp_path):
    (tmp_path / "fresh").mkdir()
    back_up(
        make(tmp_path / "fresh" / "steadyhand.db", "fresh"),
        tmp_path / "none.db",
        [Holding("parts", tmp_path / "fresh" / "parts")],
    )
    done = restore(store, tmp_path / "none.db", holdings)
    assert not (data_dir / "parts").exists()
    assert read(done.folders["parts"])["ada/plate/current"] == "1"


def test_what_cannot_be_taken_along_is_named(store, holdings, data_dir, tmp_path):
    os.mkfifo(data_dir / "workspace" / "pipe")
    (data_dir / "workspace" / "link").symlink_to("/dev/zero")
    (data_dir / "workspace" / "away").symlink_to(tmp_path)
    (data_dir / "workspace" / os.fsdecode(b"odd\xff")).write_text("x", encoding="utf-8")
    done = back_up(store, tmp_path / "copy.db", holdings, ["chat.log"])
    assert set(done.contents.left_out) == {
        *("chat.log", "workspace/away", "workspace/link", "workspace/pipe", "workspace/odd\\udcff")
    }
    assert done.contents.count("workspace") == 2


def test_a_change_that_moves_on_while_parts_are_taken_is_in_both_or_in_neither(store, data_dir, tmp_path):
    store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))
    store.write_now(lambda tx: schema_change(tx, "submitting"))
    moved = []

    def lasts(place):
        if not moved and place.name == "current":
            moved.append(place)
            store.write_now(
                lambda tx: tx.connection.exec_driver_sql("UPDATE changes SET state = 'verified', version = version + 1")
            )
            write(data_dir / "parts", ada__plate__current="2", ada__plate__versions__2__deck="more nodes")
        return True

    back_up(store, tmp_path / "copy.db", [Holding("parts", data_dir / "parts", lasts, together=True)])
    with zipfile.ZipFile(tmp_path / "copy.db") as held, opened(tmp_path / "copy.db") as database:
        assert held.read("parts/ada/plate/current") == b"2"
        assert database.execute("SELECT state FROM changes").fetchone() == ("verified",)


def schema_change(tx, state):
    from steadyhand.store.changes import changes

    changes.insert_change(tx, change_row(state=state))


def test_any_damaged_byte_is_found_or_alters_nothing(copy, tmp_path):
    data = copy.read_bytes()
    good = read_out(copy, tmp_path / "good")
    step = max(1, len(data) // 150)
    for count, index in enumerate([*range(0, len(data), step), *range(len(data) - 60, len(data))]):
        damaged = bytearray(data)
        damaged[index] ^= (1, 0x80, 0xFF)[count % 3]
        copy.write_bytes(damaged)
        assert found_in(copy, tmp_path / f"bad{count}") in (good, "backup_changed", "backup_unreadable"), index
    for length in range(0, len(data), len(data) // 20):
        copy.write_bytes(data[:length])
        with pytest.raises(ToolRefusal):
            read_out(copy, tmp_path / f"cut{length}")


def found_in(copy, folder):
    try:
        return read_out(copy, folder)
    except ToolRefusal as refusal:
        return refusal.code


def read_out(copy, folder):
    folder.mkdir()
    archive.unpack(copy, folder / "db", {"parts": folder / "parts", "workspace": folder / "workspace"})
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def forged(copy, alter):
    """Write a backup anew, with a fitting manifest."""
    with zipfile.ZipFile(copy) as held:
        files = {name: held.read(name) for name in held.namelist()}
    told = json.loads(files.pop("manifest.json"))
    alter(files, told)
    del told["digest"]
    told["files"] = {name: digest_bytes(content) for name, content in files.items()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in {**files, "manifest.json": canonical({**told, "digest": digest(told)})}.items():
            made.writestr(name, content)
    copy.write_bytes(buffer.getvalue())


@pytest.mark.parametrize("name", ["../up", "/etc/x", "parts/../../up", "parts//x", "elsewhere/x", "parts", "parts/a\0b"])
def test_a_file_that_would_lie_elsewhere_is_refused(store, copy, holdings, data_dir, name):
    forged(copy, lambda files, _told: files.update({name: b"x"}))
    before = sorted(path.name for path in data_dir.parent.rglob("*"))
    with pytest.raises(ToolRefusal, match="backup_changed"):
        restore(store, copy, holdings)
    assert sorted(path.name for path in data_dir.parent.rglob("*") if path.suffix != ".lock") == [
        name for name in before if not name.endswith(".lock")
    ]


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("whole", [True, False])
def test_tables_other_than_ours_are_refused_and_nothing_is_changed(store, copy, holdings, tmp_path, what, whole):
    bad = tmp_path / "bad.db"
    with opened(copy) as connection:
        connection.executescript(STRANGE[what])
        connection.commit()
        data = connection.serialize()
    bad.write_bytes(data)
    if whole:
        forged(copy, lambda files, _told: files.update({"steadyhand.db": data}))
        bad = copy
    before = store.file.read_bytes()
    with pytest.raises(ToolRefusal, match=r"backup_(strange|other)"):
        restore(store, bad, holdings, bare=True)
    assert store.file.read_bytes() == before
    assert listed(store.file.parent) == ["parts", "steadyhand.db", "workspace"]


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "link to a device"])
def test_what_is_no_plain_file_is_refused_at_once(store, tmp_path, kind):
    file = tmp_path / "odd"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "link to a device":
        file.symlink_to("/dev/zero")
    else:
        file = file.parent / "zero"
        file.symlink_to("/dev/null")
    with pytest.raises(ToolRefusal, match="backup_unreadable"):
        restore(store, file, bare=True)


@pytest.mark.crash
@pytest.mark.parametrize("point", ["restoring.noted", "restoring.moved", "restore.switched"])
def test_killed_between_folders_and_database_no_command_opens_the_data_and_the_next_restore_mends_it(data_dir, tmp_path, point):
    first = make(data_dir / "steadyhand.db", "old")
    write(data_dir / "workspace", notes="old")
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere" / "workspace", notes="new")
    other = Holding("workspace", tmp_path / "elsewhere" / "workspace")
    back_up(make(tmp_path / "elsewhere" / "steadyhand.db", "new"), tmp_path / "copy.db", [other])
    killed_at(point, first.file, tmp_path / "copy.db")
    again = Store(f"sqlite:///{first.file}")
    with pytest.raises(StoreUnavailable, match="restore_between"):
        schema.ensure(again)
    restore(again, tmp_path / "copy.db", [Holding("workspace", data_dir / "workspace")])
    schema.ensure(again)
    assert (name_in(first.file), read(data_dir / "workspace")) == ("new", {"notes": "new"})
    kept = [read(path) for path in data_dir.glob("workspace.before-restore-*")]
    assert {"notes": "old"} in kept
    assert not list(data_dir.glob("*restoring*"))
    again.close()


def test_a_restore_that_fails_at_the_database_brings_the_folders_back(store, copy, holdings, data_dir, monkeypatch):
    write(data_dir / "workspace", notes="now")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(restoring, "_switch", full)
    with pytest.raises(StoreUnavailable, match="store_full"):
        restore(store, copy, holdings)
    assert read(data_dir / "workspace")["notes"] == "now"
    assert listed(data_dir) == ["parts", "steadyhand.db", "workspace"]
    schema.ensure(store)


def test_a_database_that_was_emptied_is_named_and_not_begun_anew(data_dir):
    file = data_dir / "steadyhand.db"
    file.touch()
    store = Store(f"sqlite:///{file}")
    with pytest.raises(StoreUnavailable, match="store_empty"):
        schema.ensure(store)
    assert file.stat().st_size == 0
    file.unlink()
    schema.ensure(store)
    store.write_now(lambda tx: people.add_user(tx, person(ME, "anew")))
    store.close()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM users").fetchone() == ("anew",)
    assert file.stat().st_mode & 0o777 == 0o600
