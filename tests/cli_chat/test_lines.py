"""Through pipes, once and for programs: each line is a message, the messages that count are printed, JSON is one object a line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from command_line.ground import Answer, in_child, in_here
from steadyhand.cli.chat.json import print_line
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import say
from steadyhand.store import Store
from steadyhand.store.sessions import conversations

HELP = "\n".join(say("en", key) for key in ("session.command.help", "schedule.help", "cae.help"))


@pytest.fixture
def chat(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*words: str, typed: str = "") -> Answer:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return in_here(data_dir, "--lang", "en", "chat", *words)

    return run


def objects(answer: Answer) -> list[Any]:
    return [json.loads(line) for line in answer.out.splitlines()]


def test_once_takes_one_message_and_prints_only_what_counts(chat: Any) -> None:
    answer = chat("--once", "/help")
    assert (answer.code, answer.out, answer.err) == (0, f"{HELP}\n", "")


def test_once_fails_where_the_message_came_to_nothing(chat: Any) -> None:
    answer = chat("--once", "/approve C-9")
    assert answer.code == 1
    assert answer.out.strip()


def test_without_a_model_it_answers_at_once_and_offline(chat: Any) -> None:
    answer = chat("--once", "hello")
    assert answer.code == 0
    assert answer.out.strip()


def test_each_line_is_a_message_and_empty_ones_are_none(chat: Any) -> None:
    answer = chat(typed="/changes\n\n   \n/help\r\n")
    assert answer.code == 0
    assert answer.out == f"{say('en', 'session.command.no_changes')}\n{HELP}\n"
    assert chat(typed="/nonsense\n/help\n").code == 1


def test_json_gives_an_object_for_each_event_each_message_and_each_end(chat: Any) -> None:
    told = objects(chat("--json", typed="which changes are there\n/help\n"))
    first, second = told[: [one["type"] for one in told].index("end") + 1], told[-2:]
    assert [one["type"] for one in first if one["type"] != "delta"] == ["call", "result", "message", "end"]
    call, result = (next(one for one in first if one["type"] == kind) for kind in ("call", "result"))
    assert (call["tool"], call["arguments"], call["id"]) == ("list_changes", {}, result["id"])
    assert (result["ok"], result["code"]) == (True, "ok")
    assert first[-1] == {**first[-1], "ok": True, "state": "done", "end": "answered", "error": ""}
    assert [(one["type"], one.get("text")) for one in second] == [("message", HELP), ("end", None)]
    assert second[1]["state"] == "settled"


def test_json_tells_a_failure_on_one_line_too(chat: Any) -> None:
    answer = chat("--json", "--session", "x" * 100, "--once", "/help")
    (told,) = objects(answer)
    assert answer.code == 1
    assert (told["type"], told["code"]) == ("error", "session_name_unusable")


def test_a_mark_that_a_terminal_would_obey_is_written_out_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    text = "a\x1b\x9b\u202e\U000e0001高"
    print_line("message", text=text)
    out = capsys.readouterr().out
    assert all(mark.isprintable() for mark in out.rstrip("\n"))
    assert "高" in out
    assert json.loads(out)["text"] == text


def test_a_session_is_made_by_name_found_by_name_or_id_and_made_anew(chat: Any, data_dir: Path) -> None:
    chat("--once", "/help", "--session", "Trip")
    chat("--once", "/help", "--session", "trip")
    chat("--once", "/help")
    made = sessions(data_dir)
    assert sorted((row.name, row.said) for row in made) == [("", 2), ("Trip", 4)]
    (trip,) = [row for row in made if row.name]
    chat("--once", "/help", "--session", trip.id)
    assert {row.name: row.said for row in sessions(data_dir)} == {"": 2, "Trip": 6}
    chat("--once", "/help", "--new")
    assert len(sessions(data_dir)) == 3
    chat("--once", "/help", "--new", "--session", "Trip")
    ambiguous = chat("--once", "/help", "--session", "Trip")
    assert ambiguous.code == 2
    assert trip.id in ambiguous.err


def sessions(data_dir: Path) -> Any:
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    try:
        return store.read_now(lambda tx: conversations.sessions_of(tx, LOCAL_USER))
    finally:
        store.close()


def test_in_a_process_of_its_own_with_no_terminal_it_answers_and_leaves(data_dir: Path) -> None:
    done = in_child(data_dir, "--lang", "en", "chat", "--once", "/help")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{HELP}\n", "")
    assert not (data_dir / "chat_history").exists()
    assert in_child(data_dir, "--lang", "en", "chat").returncode == 0
