"""`steady session` lists, shows, names, writes out and deletes the local person's sessions, and deletes only what is named again."""

import json
import stat

import pytest

from steadyhand.core.clock import SystemClock
from steadyhand.core.ids import LOCAL_USER, SessionId, UserId
from steadyhand.core.language import LANGUAGES
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.conversations import Said
from store.ground import change_row, person

OTHER = UserId("another")


@pytest.fixture
def talks(steady, data_dir):
    """Two sessions of the local person, the second with a long history, and one of somebody else."""
    steady("user", "show")
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}", SystemClock())

    def work(tx):
        people.add_user(tx, person(OTHER))
        for user, session, count in ((LOCAL_USER, "roof", 2), (LOCAL_USER, "desk", 25), (OTHER, "secret", 1)):
            people.ensure_session(tx, user, SessionId(session), "terminal")
            said = [Said(f"{session}{number}", "user", f"{session} says {number}!", "person") for number in range(count)]
            conversations.add(tx, user, SessionId(session), said)

    store.write_now(work)
    store.close()
    return steady


def listed(steady):
    return [(row["id"], row["name"], row["messages"]) for row in steady("session", "list", "--json").data["sessions"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_sessions_it_says_so(steady, language):
    done = steady("--lang", language, "session", "list")
    assert done.code == 0
    assert done.out.strip()
    assert steady("session", "list", "--json").data == {"sessions": []}


def test_sessions_are_listed_the_last_used_first_with_numbers(talks):
    lines = talks("session", "list").out.splitlines()
    assert [line.split(" ·")[0] for line in lines] == ["1. desk", "2. roof"]
    assert "25" in lines[0]
    assert [row["number"] for row in talks("session", "list", "--json").data["sessions"]] == [1, 2]


def test_the_last_entries_are_shown_or_all(talks):
    done = talks("session", "show", "1")
    assert "desk says 24!" in done.out
    assert "desk says 4!" not in done.out
    assert "5 earlier entries" in done.out
    assert "desk says 0!" in talks("session", "show", "desk", "--all").out
    data = talks("session", "show", "roof", "--json").data
    assert [entry["content"] for entry in data["entries"]] == ["roof says 0!", "roof says 1!"]


def test_a_session_is_named_and_found_by_its_name(talks):
    assert talks("session", "rename", "2", "期末复习").code == 0
    assert listed(talks)[1] == ("roof", "期末复习", 2)
    assert talks("session", "show", "期末复习", "--json").data["session"]["id"] == "roof"
    done = talks("session", "rename", "roof", "x" * 61)
    assert done.code == 2
    assert listed(talks)[1][1] == "期末复习"


def test_a_name_of_two_is_no_choice(talks):
    for session in ("desk", "roof"):
        talks("session", "rename", session, "Trip")
    done = talks("session", "show", "trip")
    assert done.code == 2
    assert "desk" in done.err
    assert "roof" in done.err


# --- export -----------------------------------------------------------------------------------------------------------


def test_an_export_has_the_whole_history_on_the_terminal_or_in_a_file_of_its_owner_alone(talks, tmp_path):
    file = tmp_path / "desk.md"
    done = talks("session", "export", "desk", "--out", file)
    assert done.code == 0
    assert str(file) in done.out
    text = file.read_text(encoding="utf-8")
    assert all(f"> desk says {number}!" in text for number in range(25))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert talks("session", "export", "desk").out == text
    assert talks("session", "export", "roof", "--out", file).code == 2
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("words", [["--format", "json"], ["--json"]])
def test_an_export_can_be_json(talks, words):
    found = json.loads(talks("session", "export", "desk", *words).out)
    assert len(found["entries"]) == 25


def test_a_json_export_into_a_file_says_what_was_written(talks, tmp_path):
    file = tmp_path / "desk.json"
    data = talks("session", "export", "desk", "--format", "json", "--out", file, "--json").data
    assert data == {"file": str(file), "entries": 25, "bytes": file.stat().st_size}
    assert len(json.loads(file.read_text(encoding="utf-8"))["entries"]) == 25


# --- delete -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_nobody_can_be_asked_nothing_is_deleted_without_yes(talks, language):
    done = talks("--lang", language, "session", "delete", "desk")
    assert done.code == 2
    assert "--yes" in done.err
    assert len(listed(talks)) == 2


def test_with_yes_it_is_deleted_and_what_went_is_told(talks):
    data = talks("session", "delete", "1", "--yes", "--json").data
    assert data["session"]["id"] == "desk"
    assert data["removed"] == {"said": 25, "waiting": 0, "owed": 0}
    assert (data["withdrawn"], data["changes_kept"]) == ([], 0)
    assert listed(talks) == [("roof", "", 2)]


@pytest.mark.parametrize(
    ("answer", "gone"), [("desk", True), (" Trip ", True), ("yes", False), ("", False), ("1", False), ("roof", False)]
)
def test_a_person_types_the_id_or_the_name_again(talks, at_terminal, answer, gone):
    talks("session", "rename", "desk", "Trip")
    at_terminal(answer)
    done = talks("session", "delete", "1")
    assert "25" in done.out
    assert done.code == (0 if gone else 1)
    assert ("Nothing was deleted" in done.out) == (not gone)
    assert len(listed(talks)) == (1 if gone else 2)


def test_changes_that_nobody_has_submitted_are_named_and_withdrawn_first_and_stay_on_record(steady, data_dir, at_terminal):
    steady("user", "show")
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}", SystemClock())

    def work(tx):
        people.ensure_session(tx, LOCAL_USER, SessionId("desk"), "terminal")
        late = "9999-01-01T00:00:00.000000Z"
        changes.insert_change(tx, change_row(LOCAL_USER, 7, state="sealed", expires_at=late))
        changes.insert_change(tx, change_row(LOCAL_USER, 8, state="verified", target_key="other"))

    store.write_now(work)
    at_terminal("desk")
    done = steady("session", "delete", "desk")
    assert done.code == 0
    assert "C-7" in done.out
    assert "C-8" not in done.out
    assert "2 changes" in done.out
    states = {row.number: row.state for row in store.read_now(lambda tx: changes.of_user(tx, LOCAL_USER))}
    assert states == {7: "withdrawn", 8: "verified"}
    store.close()


# --- other people -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [["show"], ["rename", "mine"], ["delete", "--yes"], ["export"], ["export", "--format", "json"], ["show", "--all"]]
)
def test_a_session_of_somebody_else_cannot_be_reached(talks, data_dir, words):
    command, *rest = words
    done = talks("session", command, "secret", *rest)
    assert done.code == 2
    assert "secret says" not in done.out + done.err
    assert "secret" not in [row[0] for row in listed(talks)]
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    (row,) = store.read_now(lambda tx: conversations.sessions_of(tx, OTHER))
    assert (row.id, row.name, row.said) == ("secret", "", 1)
    store.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", [[], ["list"], ["show"], ["rename"], ["delete"], ["export"]])
def test_every_command_is_explained_in_both_languages(steady, data_dir, language, command):
    done = steady("--lang", language, "session", *command, "--help")
    assert done.code == 0
    assert ("用法：" in done.out) == (language == "zh-CN")
    assert not (data_dir / "steadyhand.db").exists()
