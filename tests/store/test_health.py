"""A look at the installation finds what is wrong, says how bad it is, changes nothing, and never breaks off with an error."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from steadyhand.store import Store
from steadyhand.store.database import lock_probe
from steadyhand.store.database.lock_probe import Problem, probe
from steadyhand.store.people import people
from steadyhand.store.upkeep import health, schema
from steadyhand.store.upkeep.health import Finding, safely
from store.ground import ME, person
from store.test_backup import leave_a_log, make


def levels(look):
    return {finding.code: finding.level for finding in safely("topic", look)}


# ---- the folder ------------------------------------------------------------------------------------------------------


def test_a_folder_in_order_is_in_order(data_dir):
    data_dir.chmod(0o700)
    assert levels(lambda: health.folder(data_dir)) == {"folder_there": "ok", "rights": "ok", "space": "ok"}


def test_a_folder_that_is_not_there_yet_is_no_fault(tmp_path):
    assert levels(lambda: health.folder(tmp_path / "a" / "b")) == {"folder_absent": "ok"}
    assert not (tmp_path / "a").exists()


def test_a_folder_that_cannot_be_made_or_is_none_fails(tmp_path):
    (tmp_path / "file").touch()
    assert levels(lambda: health.folder(tmp_path / "file")) == {"folder_is_none": "fail"}
    assert levels(lambda: health.folder(tmp_path / "file" / "below")) == {"folder_cannot_be_made": "fail"}


def test_a_folder_open_to_others_is_named_with_what_to_do(data_dir):
    data_dir.chmod(0o755)
    (found,) = (one for one in health.folder(data_dir) if one.code == "rights_wide")
    assert (found.level, found.values["mode"], found.values["wanted"]) == ("warn", "0755", "0700")


@pytest.mark.parametrize(("mib", "level"), [(1000, "ok"), (100, "warn"), (1, "fail")])
def test_little_space_is_told(data_dir, monkeypatch, mib, level):
    usage = SimpleNamespace(free=mib * 1024 * 1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    assert levels(lambda: health.folder(data_dir))["space" if level == "ok" else "space_low"] == level


# ---- the file system -------------------------------------------------------------------------------------------------

MOUNTS = r"""/dev/sda1 / ext4 rw 0 0
server:/home /srv/far nfs4 rw 0 0
tmpfs /srv/far/near tmpfs rw 0 0
//box/share /srv/my\040share cifs rw 0 0
me@box: /srv/ssh fuse.sshfs rw 0 0
host /srv/shared 9p rw 0 0
server:/home /srv/twice ext4 rw 0 0
server:/home /srv/twice nfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind", "far"),
    [
        ("/etc", "ext4", False),
        ("/srv/far/data", "nfs4", True),
        ("/srv/far/near", "tmpfs", False),
        ("/srv/farther", "ext4", False),
        ("/srv/my share/data", "cifs", True),
        ("/srv/ssh/data", "fuse.sshfs", True),
        ("/srv/shared", "9p", True),
        ("/srv/twice/data", "nfs", True),
    ],
)
def test_the_nearest_mount_tells_whether_a_network_is_below(path, kind, far):
    found = health.kind_of(Path(path), MOUNTS)
    assert found == kind
    assert health.is_network(kind) is far


def test_without_a_table_of_mounts_nothing_is_claimed(tmp_path):
    assert health.kind_of(tmp_path, "") is None


def test_a_folder_on_this_machine_passes_and_is_left_as_it_was(data_dir):
    found = levels(lambda: health.file_system(data_dir))
    assert found == {"file_system": "ok", "locks_hold": "ok"}
    assert list(data_dir.iterdir()) == []


def test_a_network_file_system_is_warned_of(data_dir, monkeypatch):
    monkeypatch.setattr(health, "_read", lambda _path: "box:/ / nfs rw 0 0\n")
    assert levels(lambda: health.file_system(data_dir))["file_system_network"] == "warn"


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (["free 0"], Problem("locks_let_in", "free 0")),
        ([""], Problem("locks_let_in", "")),
        (["busy", "free 0"], Problem("locks_blind", "free 0")),
        (["busy", "busy"], Problem("locks_blind", "busy")),
    ],
)
def test_locks_that_do_not_hold_are_found(data_dir, monkeypatch, answers, problem):
    waiting = iter(answers)
    monkeypatch.setattr(lock_probe, "_other", lambda _file: next(waiting))
    assert probe(data_dir) == problem
    assert list(data_dir.iterdir()) == []


def test_locks_that_do_not_hold_fail_the_file_system(data_dir, monkeypatch):
    monkeypatch.setattr(health, "probe", lambda _folder: Problem("locks_no_wal", "delete"))
    assert levels(lambda: health.file_system(data_dir))["locks_no_wal"] == "fail"


def test_a_folder_that_cannot_be_probed_is_told(tmp_path):
    assert probe(tmp_path / "none").code == "locks_not_tried"


# ---- the database ----------------------------------------------------------------------------------------------------


@pytest.fixture
def file(data_dir):
    path = data_dir / "steadyhand.db"
    make(path, "Ada")
    return path


def look(path):
    store = Store(f"sqlite:///{path}")
    try:
        return levels(lambda: health.database(store))
    finally:
        store.close()


SOUND = {"db_opens": "ok", "db_whole": "ok", "db_version": "ok", "db_wal": "ok", "rights": "ok", "db_durable": "ok"}


def test_a_database_in_order_is_in_order_and_left_so(file):
    before = file.read_bytes()
    assert look(file) == SOUND
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir() if path.suffix != ".lock") == ["steadyhand.db"]


@pytest.mark.parametrize("present", [True, False])
def test_no_database_yet_is_no_fault_an_emptied_one_is_and_none_is_made(data_dir, present):
    path = data_dir / "steadyhand.db"
    if present:
        path.touch()
    assert look(path) == ({"store_empty": "fail"} if present else {"db_absent": "ok"})
    assert path.exists() == present


def test_a_trigger_that_nobody_made_is_named(file):
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TRIGGER harmless AFTER UPDATE ON changes BEGIN DELETE FROM decisions; END")
    assert look(file)["db_strange"] == "fail"


def test_links_that_lead_nowhere_are_told(tmp_path):
    assert levels(lambda: health.links(tmp_path)) == {}
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    assert levels(lambda: health.links(tmp_path)) == {"links_lost": "warn"}


def test_a_database_that_somebody_is_writing_to_is_looked_at(file):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE users SET name = 'half'")
        assert look(file) == SOUND


def test_a_database_whose_last_writer_died_is_looked_at(file):
    leave_a_log(file)
    assert look(file) == SOUND


def test_a_database_that_is_locked_whole_fails_without_an_error(file):
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        assert look(file) == {"store_busy": "fail"}


def test_a_file_that_is_no_database_fails_without_an_error(file):
    file.write_bytes(b"no database at all" * 1000)
    assert look(file) == {"store_damaged": "fail"}


def test_a_database_damaged_inside_fails_without_an_error(file):
    content = bytearray(file.read_bytes())
    content[4096 * 10 : 4096 * 40] = os.urandom(4096 * 30)
    file.write_bytes(content)
    assert look(file)["store_damaged"] == "fail"


def test_a_newer_database_fails(file):
    set_version(file, "9999")
    assert look(file)["schema_newer"] == "fail"


def test_an_older_database_will_be_migrated(file):
    set_version(file, "0000")
    assert look(file)["db_older"] == "warn"


def set_version(path, found):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (found,))


def test_a_log_that_was_turned_off_is_told(file):
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    assert look(file)["db_no_wal"] == "warn"


def test_a_file_open_to_others_is_told(file):
    file.chmod(0o644)
    assert look(file)["rights_wide"] == "warn"


def test_a_restore_that_was_broken_off_is_told(file):
    file.with_name("steadyhand.db.kept").hardlink_to(file)
    assert look(file)["restore_unfinished"] == "warn"


def test_a_server_is_looked_at(postgres_url):
    store = Store(postgres_url)
    assert levels(lambda: health.database(store))["schema_behind"] == "fail"
    schema.migrate(store)
    store.write_now(lambda tx: people.add_user(tx, person(ME)))
    found = levels(lambda: health.database(store))
    assert (found["server_answers"], found["db_version"]) == ("ok", "ok")
    store.close()


def test_a_server_that_may_lose_what_it_acknowledged_is_told(postgres_url):
    store = Store(postgres_url)
    schema.migrate(store)
    for setting, code in (("off", "server_not_durable"), ("on", "server_durable")):
        change = text(f"ALTER DATABASE {store.url.database} SET synchronous_commit = '{setting}'")
        store.write_now(lambda tx, change=change: tx.execute(change))
        store.close()
        assert code in levels(lambda: health.database(store))
    store.close()


def test_a_server_that_does_not_answer_fails_without_an_error():
    store = Store("postgresql+psycopg://someone@127.0.0.1:1/none")
    assert levels(lambda: health.database(store)) == {"store_unreachable": "fail"}


def test_what_breaks_a_look_is_told_after_what_it_had_found():
    def broken():
        yield Finding("topic", "ok", "first")
        raise KeyError("second")

    first, second = safely("topic", broken)
    assert (first.code, second.code, second.level, second.values["kind"]) == ("first", "look_broke", "fail", "KeyError")


# ---- who has it open -------------------------------------------------------------------------------------------------

LOCKS = """1: POSIX  ADVISORY  READ 11 fe:00:5 128 128
2: FLOCK  ADVISORY  READ 11 fe:00:7 0 EOF
3: FLOCK  ADVISORY  READ 12 fe:00:7 0 EOF
3: -> FLOCK  ADVISORY  WRITE 13 fe:00:7 0 EOF
4: POSIX  ADVISORY  WRITE 12 fe:00:5 120 120
5: POSIX  ADVISORY  WRITE 14 fe:00:5 124 127
"""


def test_holders_of_a_lock_are_read_from_the_kernels_table():
    assert health.pids_on("fe:00:7", LOCKS) == {11, 12}
    assert health.pids_on("fe:00:5", LOCKS, byte=120) == {12}
    assert health.pids_on("", LOCKS) == health.pids_on("fe:00:9", LOCKS) == set()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who holds a lock")
def test_another_process_that_has_the_database_open_is_found(file):
    story = (
        "import sys; from sqlalchemy import text; from steadyhand.store import Store; store = Store(sys.argv[1])\n"
        "def work(tx):\n    print('open', flush=True); sys.stdin.read()\n"
        "store.write_now(work)"
    )
    command = [sys.executable, "-c", story, f"sqlite:///{file}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "open\n"
        assert health.open_in(file) == [health.Opener(other.pid, writing=True)]
        other.stdin.close()
        other.wait(timeout=30)
    assert health.open_in(file) == []
