"""`steady backup`, `restore` and `migrate` say what they did, ask before they replace, and are refused in words."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from steadyhand.core.language import LANGUAGES
from steadyhand.store.upkeep import schema
from store.ground import LATER, NEWEST


@pytest.fixture
def copy(steady, tmp_path):
    """A backup taken when the person was called Ada; since then they are called Bea."""
    file = tmp_path / "copy.db"
    steady("user", "set", "--name", "Ada")
    assert steady("backup", file).code == 0
    steady("user", "set", "--name", "Bea")
    return file


def name(steady):
    return steady("user", "show", "--json").data["name"]


def test_a_backup_is_written_and_its_size_told(steady, tmp_path):
    steady("user", "show")
    done = steady("backup", tmp_path / "copy.db", "--json")
    data = done.data
    assert len(data.pop("digest")) == 64
    assert data == {
        "file": str(tmp_path / "copy.db"),
        "bytes": (tmp_path / "copy.db").stat().st_size,
        "version": schema.HEAD,
        "parts": 0,
        "workspace": 0,
        "left_out": [],
    }
    told = steady("backup", tmp_path / "other.db")
    assert told.code == 0
    assert "MiB" in told.out


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_backup_that_would_replace_a_file_is_refused(steady, copy, language):
    before = copy.read_bytes()
    done = steady("--lang", language, "backup", copy)
    assert (done.code, done.out) == (2, "")
    assert str(copy) in done.err
    assert copy.read_bytes() == before


def test_without_a_database_there_is_nothing_to_back_up(steady, tmp_path, data_dir):
    done = steady("backup", tmp_path / "copy.db")
    assert done.code == 1
    assert not (tmp_path / "copy.db").exists()
    assert not (data_dir / "steadyhand.db").exists()


def test_with_yes_a_restore_is_made_and_says_where_the_old_database_is(steady, copy, data_dir):
    done = steady("restore", copy, "--yes")
    assert done.code == 0
    (kept,) = data_dir.glob("steadyhand.db.before-restore-*")
    assert kept.name in done.out
    assert name(steady) == "Ada"


def test_as_json_a_restore_names_what_it_kept(steady, copy, data_dir):
    done = steady("restore", copy, "--yes", "--json")
    (kept,) = data_dir.glob("steadyhand.db.before-restore-*")
    assert done.data == {
        "file": str(copy),
        "version": schema.HEAD,
        "kept": str(kept),
        "folders_kept": {},
        "holds": ["cae", "workspace"],
        "waiting": 0,
    }


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("language", LANGUAGES)
def test_with_nobody_to_ask_a_restore_is_refused(steady, copy, form, language):
    done = steady("--lang", language, "restore", copy, *form)
    assert done.code == 2
    assert "--yes" in done.out + done.err
    assert name(steady) == "Bea"


@pytest.mark.parametrize(
    ("word", "code", "after"), [("y", 0, "Ada"), ("是", 0, "Ada"), ("n", 1, "Bea"), ("", 1, "Bea"), ("maybe", 1, "Bea")]
)
def test_at_a_terminal_a_restore_is_asked_for(steady, copy, at_terminal, word, code, after):
    at_terminal(word)
    done = steady("restore", copy)
    assert done.code == code
    assert str(copy) in done.out
    assert name(steady) == after


def test_what_is_no_backup_is_refused_before_anybody_is_asked(steady, copy, at_terminal, tmp_path):
    at_terminal("y")
    (tmp_path / "notes.txt").write_text("no database" * 100, encoding="utf-8")
    done = steady("restore", tmp_path / "notes.txt")
    assert (done.code, done.out) == (2, "")
    assert name(steady) == "Bea"


def test_while_another_command_runs_nothing_is_restored(steady, copy, data_dir):
    with closing(sqlite3.connect(data_dir / "steadyhand.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert steady("restore", copy, "--yes").code == 1
    assert name(steady) == "Bea"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("words", [["backup", "copy.db"], ["restore", "copy.db"], ["restore", "copy.db", "--yes"]])
def test_for_a_server_its_own_tools_are_named(steady, monkeypatch, language, words):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", "postgresql+psycopg://someone@127.0.0.1:1/none")
    done = steady("--lang", language, *words)
    assert done.code == 1
    assert "pg_dump" in done.err


def test_the_workspace_comes_back_and_secrets_and_logs_are_named_as_left_out(steady, tmp_path, data_dir):
    steady("user", "show")
    (data_dir / "workspace").mkdir(exist_ok=True)
    (data_dir / "workspace" / "notes.md").write_text("mine", encoding="utf-8")
    (data_dir / "chat.log").write_text("line", encoding="utf-8")
    done = steady("backup", tmp_path / "all.db")
    assert "chat.log" in done.out
    (data_dir / "workspace" / "notes.md").write_text("altered", encoding="utf-8")
    told = steady("restore", tmp_path / "all.db", "--yes")
    assert (data_dir / "workspace" / "notes.md").read_text(encoding="utf-8") == "mine"
    (kept,) = data_dir.glob("workspace.before-restore-*")
    assert str(kept) in told.out
    assert (kept / "notes.md").read_text(encoding="utf-8") == "altered"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_backup_without_the_workspace_says_so_and_leaves_it_alone(steady, tmp_path, data_dir, language):
    steady("user", "show")
    (data_dir / "workspace").mkdir(exist_ok=True)
    (data_dir / "workspace" / "notes.md").write_text("mine", encoding="utf-8")
    done = steady("--lang", language, "backup", tmp_path / "less.db", "--without-workspace")
    assert "workspace" in done.out
    told = steady("--lang", language, "restore", tmp_path / "less.db", "--yes", "--json").data
    assert told["holds"] == ["cae"]
    assert (data_dir / "workspace" / "notes.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bare_database_is_taken_only_when_that_is_said(steady, copy, data_dir, tmp_path, language):
    assert steady("restore", copy, "--yes").code == 0
    (kept,) = data_dir.glob("steadyhand.db.before-restore-*")
    refused = steady("--lang", language, "restore", kept, "--yes")
    assert refused.code == 2
    assert "--without-digests" in refused.err
    assert name(steady) == "Ada"
    assert steady("restore", kept, "--yes", "--without-digests").code == 0
    assert name(steady) == "Bea"


@pytest.fixture
def reminded(steady, tmp_path):
    """A backup with a reminder in it."""
    soon = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%dT08:00}"
    assert steady("followup", "add-text", soon, "drink water").code == 0
    file = tmp_path / "reminded.db"
    assert steady("backup", file).code == 0
    return file


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_came_with_a_backup_waits_until_a_person_says_that_it_rings_here(steady, reminded, language):
    told = steady("--lang", language, "restore", reminded, "--yes")
    assert "steady restore --ring" in told.out
    assert "steady restore --ring" in steady("--lang", language, "user", "show").err
    looked = {one["code"]: one["level"] for one in steady("doctor", "--json").data["looks"]}
    assert looked["came_with_a_backup"] == "warn"
    assert steady("restore", "--hold", "--json").data == {"waiting": 1}
    assert steady("restore", "--ring").code == 0
    assert "--ring" not in steady("user", "show").err
    assert steady("restore", "--ring", "--json").data == {"waiting": 0}


@pytest.mark.parametrize(("answers", "waits"), [(["y", "y"], 0), (["y", ""], 1)])
def test_at_a_terminal_it_is_asked_what_rings(steady, reminded, at_terminal, answers, waits):
    at_terminal(*answers)
    assert steady("restore", reminded).code == 0
    assert steady("restore", "--hold", "--json").data == {"waiting": waits}


def test_with_the_flag_it_rings_at_once(steady, reminded):
    assert steady("restore", reminded, "--yes", "--ring", "--json").data["waiting"] == 0


def test_without_a_file_and_without_a_word_a_restore_is_refused(steady):
    assert steady("restore").code == 2


# ---- migrate ---------------------------------------------------------------------------------------------------------


def test_migrate_makes_the_tables_and_then_has_nothing_to_do(steady, data_dir):
    assert steady("migrate", "--json").data == {"before": None, "version": schema.HEAD, "copy": None}
    assert (data_dir / "steadyhand.db").stat().st_mode & 0o777 == 0o600
    again = steady("migrate")
    assert again.code == 0
    assert "nothing was done" in again.out


def test_migrate_names_the_copy_that_it_made(steady, data_dir, monkeypatch, later):
    steady("user", "set", "--name", "Ada")
    later()
    done = steady("migrate")
    assert done.code == 0
    (copy,) = data_dir.glob(f"*.before-{LATER}-from-{NEWEST}")
    assert str(copy) in done.out
    assert NEWEST in done.out


def test_a_newer_database_is_not_migrated(steady, data_dir):
    steady("migrate")
    with closing(sqlite3.connect(data_dir / "steadyhand.db", isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    done = steady("migrate")
    assert done.code == 1
    assert "9999" in done.err


def test_on_a_server_only_migrate_makes_the_tables(steady, postgres_url, monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", postgres_url)
    refused = steady("user", "show")
    assert refused.code == 1
    assert "steady migrate" in refused.err
    assert steady("migrate", "--json").data["before"] is None
    assert steady("user", "show").code == 0
    assert steady("migrate", "--json").data["before"] == schema.HEAD
