"""Complaints 23 and 27 (nanobot#979, openclaw#69573): `rm` was blocked and the model deleted with Python; a no was read as "find another way"."""

import asyncio
import json
import os
import subprocess

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES, say
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.builtin.machine import builtin_tools
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner

WAYS_TO_DELETE = [
    "rm -rf notes",
    "r''m -rf notes",
    "python3 -c 'import shutil; shutil.rmtree(\"notes\")'",
    "find notes -delete",
    "sh -c 'rm -r notes'",
    "mv notes /dev/null",
    ": > notes/a.md",
    "echo nothing bad at all",
]

ARGUMENTS = {
    "message": {"text": "hello"},
    "ask_user": {"question": "Which?"},
    "read_file": {"path": "notes/a.md"},
    "list_dir": {},
    "write_file": {"path": "notes/b.md", "content": "x"},
    "append_file": {"path": "notes/b.md", "content": "x"},
    "edit_file": {"path": "notes/b.md", "old": "x", "new": "y"},
    "shell": {"command": "rm -rf notes"},
}


@pytest.fixture
def workspace(tmp_path):
    found = Workspace(tmp_path / "workspace")
    (found.ready() / "notes").mkdir()
    (found.root / "notes" / "a.md").write_text("kept", encoding="utf-8")
    return found


def call(workspace, name, arguments, *, policy=ToolPolicy(), language="en"):  # noqa: B008  # a policy does not change
    runner = Runner(Registry(builtin_tools(workspace)), policy)
    context = ToolContext(UserId("person"), SessionId("desk"), FakeClock(), language)
    return asyncio.run(runner.run(context, ToolCall("call_1", name, json.dumps(arguments))))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", WAYS_TO_DELETE)
def test_no_wording_of_a_command_gets_past_a_denial_and_the_denial_is_final(workspace, command, language):
    result = call(workspace, "shell", {"command": command}, language=language)
    assert (result.is_error, result.code) == (True, "denied")
    assert say(language, "tools.denied_is_denied") in result.for_llm
    assert (workspace.root / "notes" / "a.md").read_text(encoding="utf-8") == "kept"


def test_where_running_programs_is_denied_no_tool_starts_one_or_takes_a_file_away(workspace, monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **_more: started.append(args))
    for name in ("system", "fork", "execve", "posix_spawn"):
        monkeypatch.setattr(os, name, lambda *args, **_more: started.append(args))
    everything_else = ToolPolicy((Rule("deny", effect="exec"),))
    assert set(ARGUMENTS) == {tool.name for tool in builtin_tools(workspace)}
    for name, arguments in ARGUMENTS.items():
        call(workspace, name, arguments, policy=everything_else)
    assert started == []
    assert (workspace.root / "notes" / "a.md").read_text(encoding="utf-8") == "kept"
