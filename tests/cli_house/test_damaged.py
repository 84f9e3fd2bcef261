"""Over a damaged database every command ends in words and writes nothing, and the doctor names what is damaged."""

import json
import sqlite3
from contextlib import closing

import pytest

from steadyhand.core.language import LANGUAGES

DAMAGE = {
    "text that is none": "UPDATE changes SET request = CAST(x'ff41' AS TEXT)",
    "broken JSON": "UPDATE changes SET observation = '{broken'",
    "a time that is none": "UPDATE changes SET expires_at = 'never'",
}


@pytest.fixture
def file(steady, data_dir):
    """The database of a person with one change that was carried out."""
    assert steady("schedule", "term", "2026-09-07").code == 0
    assert steady("change", "list", "--all", "--json").data["changes"]
    return data_dir / "steadyhand.db"


def alter(file, statement):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(statement)
        connection.commit()


def looks(steady):
    return {one["code"]: one for one in steady("doctor", "--json").data["looks"]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", DAMAGE)
def test_a_value_that_cannot_be_read_is_told_with_its_row(steady, file, what, language):
    alter(file, DAMAGE[what])
    before = file.read_bytes()
    for words in (["change", "list", "--all"], ["change", "show", "C-1"]):
        done = steady("--lang", language, *words, "--json")
        assert done.code == 1
        assert json.loads(done.out)["error"]["code"] in ("rows_damaged", "store_damaged", "record_altered")
        assert "Traceback" not in done.out + done.err
    assert file.read_bytes() == before
    found = looks(steady)["rows_damaged"]
    assert found["level"] == "fail"
    assert "changes chg_" in found["values"]["which"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edited_program_is_told_and_neither_shown_nor_exported(steady, file, tmp_path, language):
    alter(file, "UPDATE changes SET program = replace(program, 'text', 'txet')")
    for words in (["change", "show", "C-1"], ["change", "list", "--all"]):
        done = steady("--lang", language, *words, "--json")
        assert (done.code, json.loads(done.out)["error"]["code"]) == (1, "record_altered")
    done = steady("change", "export", "C-1", "--out", tmp_path / "out.zip", "--json")
    assert json.loads(done.out)["error"]["code"] == "record_differs"
    assert not (tmp_path / "out.zip").exists()
    assert looks(steady)["changes_altered"]["level"] == "fail"


@pytest.mark.parametrize("words", [["user", "show"], ["change", "list"], ["migrate"], ["backup", "copy.db"], ["doctor"]])
def test_an_emptied_database_is_refused_by_every_command_and_left_as_it_is(steady, file, words):
    file.write_bytes(b"")
    done = steady(*words)
    assert done.code == 1
    assert file.name in done.out + done.err
    assert file.stat().st_size == 0
