"""At a terminal: what waits is told at the start, Ctrl-C stops what runs and then leaves, sessions are gone between."""

import stat
from pathlib import Path

import pytest

from command_line.ground import TERM_FILE, in_child, states
from command_line.terminal import Terminal
from steadyhand.core.language import say

CHILD = (str(Path(__file__).with_name("child.py")),)
WITHDRAWN = say("en", "cli.chat.withdrawn")


def chat(data_dir: Path, *words: str, script: str | None = None) -> Terminal:
    program = {} if script is None else {"program": (*CHILD, script)}
    more = {"PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1"}
    return Terminal(data_dir, "--lang", "en", "chat", *words, **program, **more)


def texts(message: str) -> str:
    return say("en", f"cli.chat.{message}")


def test_it_greets_says_where_help_is_and_leaves_on_ctrl_d(data_dir: Path) -> None:
    terminal = chat(data_dir)
    terminal.expect(texts("where_help"))
    terminal.expect(">")
    terminal.press("\x04")
    assert terminal.end() == 0
    assert "Session terminal." in terminal.shown
    assert {stat.S_IMODE((data_dir / name).stat().st_mode) for name in ("chat_history", "chat.log")} == {0o600}


def test_ctrl_c_stops_the_running_turn_which_says_so_and_once_more_leaves(data_dir: Path) -> None:
    terminal = chat(data_dir, script="waits")
    terminal.expect(">")
    terminal.type("plan my life")
    terminal.expect("Let me see")
    terminal.interrupt()
    terminal.expect(texts("stopping"))
    terminal.expect(say("en", "agent.end.stopped", ran=say("en", "agent.end.nothing_ran")).strip())
    terminal.interrupt()
    assert terminal.end() == 0
    assert in_child(data_dir, "--lang", "en", "chat", "--once", "/changes").stdout == (
        say("en", "session.command.no_changes") + "\n"
    )


def test_stop_typed_while_a_turn_runs_stops_it_and_what_was_begun_stands_in_the_next_line(data_dir: Path) -> None:
    terminal = chat(data_dir, script="waits")
    terminal.expect(">")
    terminal.type("plan my life")
    terminal.expect("Let me see")
    terminal.press("/stopp\x7f\r/chan")
    terminal.expect(say("en", "agent.end.stopped", ran=say("en", "agent.end.nothing_ran")).strip())
    terminal.press("ges\r")
    terminal.expect(say("en", "session.command.no_changes"))
    terminal.press("\x04")
    assert terminal.end() == 0


def test_ctrl_c_at_the_line_asks_for_another_and_typing_forgets_it(data_dir: Path) -> None:
    terminal = chat(data_dir)
    terminal.expect(">")
    terminal.press("half a word")
    terminal.interrupt()
    terminal.interrupt()
    terminal.expect(texts("once_more"))
    terminal.type("/changes")
    terminal.expect(say("en", "session.command.no_changes"))
    terminal.interrupt()
    terminal.expect_again(texts("once_more"), 2)
    terminal.interrupt()
    assert terminal.end() == 0


def test_streamed_text_that_counts_is_shown_once_and_tools_are_told(data_dir: Path) -> None:
    terminal = chat(data_dir, "--once", "Is there room?", script="speaks")
    assert terminal.end() == 0
    assert terminal.shown.count("There is room on Monday.") == 1
    assert WITHDRAWN not in terminal.shown
    terminal = chat(data_dir, "--once", "which changes are there")
    assert terminal.end() == 0
    assert "· list_changes …  ok" in terminal.shown


def test_at_the_start_what_is_owed_and_what_waits_is_told(data_dir: Path) -> None:
    in_child(data_dir, "--lang", "en", "schedule", "import", TERM_FILE)
    died = in_child(data_dir, "--lang", "en", "chat", "--once", "/help", STEADYHAND_FAULT="outbox.sending")
    assert died.stdout == ""
    terminal = chat(data_dir)
    terminal.expect(texts("where_help"))
    shown = terminal.shown
    terminal.press("\x04")
    assert terminal.end() == 0
    help_text = say("en", "session.command.help").splitlines()[0]
    assert 0 < shown.index(help_text) < shown.index("C-1: ready") < shown.index(texts("where_help"))
    assert states(data_dir / "steadyhand.db") == [(1, "sealed")]


def test_what_is_typed_while_a_turn_runs_is_the_next_message(data_dir: Path) -> None:
    terminal = chat(data_dir, script="waits")
    terminal.type("plan my life")
    terminal.expect("Let me see")
    terminal.press("/changes\n\x04")
    terminal.interrupt()
    assert terminal.end() == 0
    assert say("en", "session.command.no_changes") in terminal.shown


def test_a_person_goes_to_other_sessions_and_back(data_dir: Path) -> None:
    terminal = chat(data_dir)
    terminal.expect(">")
    terminal.type("/session Trip")
    terminal.expect("Session Trip.")
    terminal.expect("Trip>")
    terminal.type("/help")
    terminal.expect(texts("local_help").splitlines()[0])
    terminal.type("/new")
    terminal.expect("Session session_")
    terminal.type("/session")
    terminal.expect_again("Session terminal.", 2)
    terminal.type("/quit")
    assert terminal.end() == 0
    listed = in_child(data_dir, "--lang", "en", "session", "list").stdout
    assert "Trip" in listed


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_it_speaks_the_language_that_is_asked_for(data_dir: Path, language: str) -> None:
    terminal = Terminal(data_dir, "--lang", language, "chat", PROMPT_TOOLKIT_NO_CPR="1")
    terminal.expect(say(language, "cli.chat.where_help"))
    terminal.press("\x04")
    assert terminal.end() == 0
