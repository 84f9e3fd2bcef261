"""`steady doctor` tells in both languages what it found, exits 1 when something fails, and works on whatever is broken."""

import contextlib
import os
import re
import sqlite3

import pytest

from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.database.lock_probe import Problem
from steadyhand.store.upkeep import health
from store.ground import change_row


def levels(done):
    return {look["code"]: look["level"] for look in done.data["looks"]}


@pytest.fixture
def file(steady, data_dir):
    """The database after a first command."""
    assert steady("user", "show").code == 0
    return data_dir / "steadyhand.db"


def test_an_empty_folder_is_in_order_and_left_empty(steady, data_dir):
    done = steady("doctor")
    assert done.code == 0
    assert "Everything is in order." in done.out
    assert "no host is running" in done.out
    assert list(data_dir.iterdir()) == []


def test_after_a_first_command_everything_is_in_order(steady, file):
    done = steady("doctor", "--json")
    assert done.code == 0
    assert done.data["ok"]
    assert set(levels(done).values()) == {"ok"}
    assert {"db_whole", "db_wal", "db_durable", "db_version", "locks_hold", "changes_open", "person", "zones", "no_host"} <= set(
        levels(done)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_begins_with_how_it_stands_in_words(steady, file, language):
    words = [catalogue(language)[f"cli.doctor.level.{level}"] for level in ("ok", "warn", "fail")]
    lines = steady("--lang", language, "doctor").out.split("\n\n")[0].splitlines()
    assert len(lines) > 12
    assert all(line.startswith(tuple(words)) for line in lines)


def test_it_speaks_the_stored_persons_language(steady, file):
    steady("user", "set", "--language", "zh-CN")
    assert "一切正常" in steady("doctor").out
    assert "in order" in steady("--lang", "en", "doctor").out


def test_it_tells_versions(steady):
    out = steady("doctor").out
    assert re.search(r"SQLite \d+\.\d+", out)
    assert re.search(r"Python \d+\.\d+\.\d+", out)
    assert "sqlalchemy" in out


# ---- settings --------------------------------------------------------------------------------------------------------


def test_settings_in_force_are_told_with_their_place(steady, data_dir, monkeypatch):
    (data_dir / "steadyhand.toml").write_text("max_operations = 7\n", encoding="utf-8")
    monkeypatch.setenv("STEADYHAND_ZONE", "Asia/Shanghai")
    settings = steady("doctor", "--json").data["settings"]
    assert settings["max_operations"] == {"value": "7", "place": "file"}
    assert settings["zone"] == {"value": "Asia/Shanghai", "place": "environment"}
    assert settings["lease_seconds"] == {"value": "30.0", "place": "default"}
    assert "zone = Asia/Shanghai (environment)" in steady("doctor").out


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://me:hush@127.0.0.1:1/db", "postgresql://127.0.0.1:1/db?user=me&password=hush"]
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_passwords_are_never_shown(steady, monkeypatch, url, form):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", url)
    done = steady("doctor", *form)
    assert done.code == 1
    assert "hush" not in done.out + done.err
    assert "[hidden]" in done.out


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://adm@srv:s3cr3tPW@127.0.0.1:1/x", "postgresql://[hidden]@127.0.0.1:1/x"),
        ("postgresql://u:a b s3cr3tPW@127.0.0.1:1/x", "postgresql://[hidden]@127.0.0.1:1/x"),
        ("postgresql://127.0.0.1:1/x?passwrd=s3cr3tPW", "postgresql://127.0.0.1:1/x?[hidden]"),
        ("postgresql://127.0.0.1:1/x?options=-c%20role%3Ds3cr3tPW", "postgresql://127.0.0.1:1/x?[hidden]"),
        ("postgresql://127.0.0.1:1/x?sslmode=s3cr3tPW", "postgresql://127.0.0.1:1/x?[hidden]"),
        ("postgresql://127.0.0.1:1/x?connect_timeout=s3cr3tPW", "postgresql://127.0.0.1:1/x?[hidden]"),
        ("postgresql://127.0.0.1:s3cr3tPW/x", "postgresql://…"),
        ("postgresql://u:p@s3cr3tPW@127.0.0.1:1/x", "postgresql://…"),
        ("postgresql://[::1]:1/x", "postgresql://[::1]:1/x"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_database_url_is_shown_without_what_signs_in(steady, monkeypatch, url, shown, form):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", url)
    done = steady("doctor", *form)
    assert done.code == 1
    assert "s3cr3tPW" not in done.out + done.err
    assert shown in done.out


def test_another_command_does_not_repeat_what_signs_in_either(steady, monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", "postgresql://127.0.0.1:1/x?sslmode=s3cr3tPW")
    done = steady("schedule", "show")
    assert done.code != 0
    assert "s3cr3tPW" not in done.out + done.err


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("STEADYHAND_LANGUAGE", "fr", "setting_bad_value"),
        ("STEADYHAND_LANGUAG", "en", "setting_unknown"),
        ("STEADYHAND_CONFIG", "none.toml", "settings_file_missing"),
    ],
)
def test_unusable_settings_are_one_failing_line_among_others(steady, monkeypatch, name, value, code):
    monkeypatch.setenv(name, value)
    done = steady("doctor", "--json")
    assert done.code == 1
    assert levels(done)[code] == "fail"
    assert levels(done)["sqlite"] == "ok"
    assert done.data["settings"] == {}


def test_a_settings_file_that_is_no_toml_is_told(steady, data_dir):
    (data_dir / "steadyhand.toml").write_text("language = en", encoding="utf-8")
    done = steady("doctor")
    assert done.code == 1
    assert "steadyhand.toml" in done.out


# ---- what may be broken ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "code"),
    [("garbage", "store_damaged"), ("newer", "schema_newer"), ("locked", "store_busy"), ("a folder", "store_cannot_open")],
)
def test_a_database_that_cannot_be_used_fails_in_words(steady, file, state, code):
    with contextlib.ExitStack() as open_while_looking:
        if state == "garbage":
            file.write_bytes(b"no database at all" * 1000)
        elif state == "a folder":
            file.unlink()
            (file / "something").mkdir(parents=True)
        else:
            other = open_while_looking.enter_context(contextlib.closing(sqlite3.connect(file, isolation_level=None)))
            other.execute("UPDATE alembic_version SET version_num = '9999'")
            if state == "locked":
                other.execute("PRAGMA journal_mode = DELETE")
                other.execute("BEGIN EXCLUSIVE")
        done = steady("doctor", "--json")
        told = steady("doctor")
    assert (done.code, told.code) == (1, 1)
    assert levels(done)[code] == "fail"
    assert "Traceback" not in done.err + told.err
    assert catalogue("en")["cli.doctor.level.fail"] in told.out


def test_a_data_folder_that_is_a_file_fails_in_words(steady, tmp_path, monkeypatch):
    (tmp_path / "taken").touch()
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(tmp_path / "taken"))
    done = steady("doctor", "--json")
    assert done.code == 1
    assert levels(done)["folder_is_none"] == "fail"


def test_locks_that_do_not_hold_fail(steady, file, monkeypatch):
    monkeypatch.setattr(health, "probe", lambda _folder: Problem("locks_let_in", "free 0"))
    done = steady("doctor")
    assert done.code == 1
    assert "STEADYHAND_DATA_DIR" in done.out


def test_what_breaks_one_look_does_not_hide_the_others(steady, file, monkeypatch):
    def broken(_path):
        raise RuntimeError("boom")
        yield

    monkeypatch.setattr(health, "folder", broken)
    done = steady("doctor", "--json")
    assert done.code == 1
    assert levels(done)["look_broke"] == "fail"
    assert levels(done)["db_whole"] == "ok"


def test_a_missing_driver_is_told_with_how_to_get_it(steady, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    monkeypatch.setattr("steadyhand.cli.house.doctor._installed", lambda name: "" if name == "psycopg" else "1")
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", "postgresql+psycopg://me@127.0.0.1:1/db")
    done = steady("doctor")
    assert done.code == 1
    assert "steadyhand[postgres]" in done.out


def test_what_is_not_needed_is_not_asked_for(steady, file, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _name: None)
    assert "bwrap" not in steady("doctor").out
    monkeypatch.setenv("STEADYHAND_POLICY_EXEC", "ask")
    done = steady("doctor")
    assert done.code == 0
    assert "bubblewrap" in done.out


# ---- changes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_open_unknown_and_ownerless_changes_are_counted_and_named(steady, file, language):
    store = Store(f"sqlite:///{file}")
    for number, state in enumerate(["sealed", "unknown", "submitting", "verified"], 1):
        row = change_row(LOCAL_USER, number, state=state, id=f"c{number}", target_key=f"t{number}")
        store.write_now(lambda tx, row=row: changes.insert_change(tx, row))
    store.close()
    done = steady("doctor", "--json")
    assert done.code == 0
    values = {look["code"]: look["values"] for look in done.data["looks"]}
    assert values["changes_open"] == {"count": 2}
    assert values["changes_unknown"]["names"] == "C-2"
    assert values["changes_orphaned"]["names"] == "C-3"
    assert "steady change recheck C-2" in steady("--lang", language, "doctor").out


def test_doctor_only_looks(steady, file):
    store = Store(f"sqlite:///{file}")
    row = change_row(LOCAL_USER, 1, state="submitting")
    store.write_now(lambda tx: changes.insert_change(tx, row))
    store.close()
    before = file.read_bytes()
    steady("doctor")
    assert file.read_bytes() == before


def test_a_server_is_looked_at(steady, postgres_url, monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", postgres_url)
    assert levels(steady("doctor", "--json"))["schema_behind"] == "fail"
    assert steady("migrate").code == 0
    found = levels(steady("doctor", "--json"))
    assert (found["server_answers"], found["db_version"], found["changes_open"]) == ("ok", "ok", "ok")
    assert os.environ["STEADYHAND_DATABASE_URL"] == postgres_url
