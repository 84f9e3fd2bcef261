"""Killed in the middle of a turn and started again, the chat tells what became of it, once."""

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from command_line.ground import child_environment, in_child
from steadyhand.core.language import say

CHILD = str(Path(__file__).with_name("child.py"))
HELP = "\n".join(say("en", key) for key in ("session.command.help", "schedule.help", "cae.help"))
ASKED = "which changes are there"
NONE = say("en", "session.command.no_changes")


def killed(data_dir: Path, script: str, at: str) -> None:
    """Ask a model that follows *script*, and kill the process by ``kill -9`` when it has told an event of the kind *at*."""
    process = subprocess.Popen(
        [sys.executable, "-P", CHILD, script, "--json", "--lang", "en", "chat", "--once", ASKED],
        env=child_environment(data_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as lines:
        assert any(json.loads(line)["type"] == at for line in lines)
        process.kill()
    assert process.wait(60) == -signal.SIGKILL


def started_again(data_dir: Path) -> str:
    """Return what the next chat shows before it answers the message that it is given."""
    done = in_child(data_dir, "--lang", "en", "chat", "--once", "/help")
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert done.stdout.endswith(f"{HELP}\n")
    again = in_child(data_dir, "--lang", "en", "chat", "--once", "/help")
    assert again.stdout == f"{HELP}\n", "nothing is told twice"
    return done.stdout.removesuffix(f"{HELP}\n")


def column(data_dir: Path, query: str) -> list[str]:
    connection = sqlite3.connect(data_dir / "steadyhand.db")
    try:
        return [row[0] for row in connection.execute(query)]
    finally:
        connection.close()


def test_killed_before_any_call_the_turn_runs_again_and_its_answer_is_shown(data_dir: Path) -> None:
    killed(data_dir, "waits", "delta")
    shown = started_again(data_dir)
    assert shown.strip()
    assert "Let me see" not in shown
    assert column(data_dir, "SELECT state FROM turns ORDER BY started_at") == ["interrupted", "done"]


def test_killed_after_a_call_the_person_is_told_what_had_begun(data_dir: Path) -> None:
    killed(data_dir, "looks", "result")
    assert "list_changes" in started_again(data_dir)
    assert column(data_dir, "SELECT state FROM turns") == ["interrupted"]


@pytest.mark.crash
@pytest.mark.parametrize("point", ["turn.begun", "turn.calls_begun", "turn.before_settle", "outbox.sending"])
def test_killed_at_any_point_of_a_turn_what_became_of_it_is_shown_once(data_dir: Path, point: str) -> None:
    in_child(data_dir, "user", "show")
    died = in_child(data_dir, "--lang", "en", "chat", "--once", ASKED, STEADYHAND_FAULT=point)
    assert died.returncode == -signal.SIGKILL
    assert died.stdout == ""
    shown = started_again(data_dir)
    assert ("list_changes" in shown) == (point in ("turn.calls_begun", "turn.before_settle"))
    assert shown.strip()
    assert set(column(data_dir, "SELECT state FROM inbox")) == {"settled"}
    assert set(column(data_dir, "SELECT state FROM outbox")) == {"sent"}
    assert "running" not in column(data_dir, "SELECT state FROM turns")
