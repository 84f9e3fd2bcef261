"""Every tool of this machine keeps the contract, and the texts that the reference gives stay to the character."""

from pathlib import Path

import pytest

from steadyhand.core.language import LANGUAGES
from steadyhand.jobs.here import Limits
from steadyhand.tools.builtin import shell
from steadyhand.tools.builtin.machine import builtin_tools
from steadyhand.tools.registry import Registry
from tools.builtin.conftest import desk_of
from tools.walking import faults

GOLDEN = Path(__file__).parents[2] / "golden" / "tools"

EFFECTS = {
    "message": "say",
    "ask_user": "say",
    "read_file": "read",
    "list_dir": "read",
    "write_file": "workspace",
    "append_file": "workspace",
    "edit_file": "workspace",
    "shell": "exec",
}


def test_the_tools_and_their_effects(workspace):
    assert {tool.name: tool.effect for tool in builtin_tools(workspace, Limits())} == EFFECTS


def test_every_tool_keeps_the_contract(workspace):
    assert faults(builtin_tools(workspace)) == []


def test_nothing_is_made_on_the_disk_before_a_tool_is_called(workspace):
    Registry(builtin_tools(workspace)).specs("en")
    assert not workspace.root.exists()


def test_every_argument_is_told_to_the_model_and_no_other_is_taken(workspace):
    for language in LANGUAGES:
        for spec in Registry(builtin_tools(workspace)).specs(language):
            assert spec.parameters["additionalProperties"] is False
            assert spec.description


def scenes(desk, language):
    """Call every tool in ways that everybody meets, and yield what model and person read."""

    def scene(title, name, **arguments):
        result = desk.call(name, language, **arguments)
        silent = " silent" if result.silent else ""
        error = " error" if result.is_error else ""
        return f"== {title}: {result.code}{silent}{error}\n-- model\n{result.for_llm}\n-- person\n{result.for_user}\n"

    yield scene("message", "message", text="hello")
    yield scene("question", "ask_user", question="Which?", options=["A", "B"])
    yield scene("list empty", "list_dir")
    yield scene("write", "write_file", path="notes/a.md", content="one\ntwo\n")
    yield scene("write again", "write_file", path="notes/a.md", content="one\ntwo\nthree\n")
    yield scene("append", "append_file", path="notes/a.md", content="four\n")
    yield scene("read", "read_file", path="notes/a.md")
    yield scene("read on", "read_file", path="notes/a.md", offset=2, lines=2)
    yield scene("edit", "edit_file", path="notes/a.md", old="three", new="3")
    yield scene("edit nowhere", "edit_file", path="notes/a.md", old="three", new="3")
    yield scene("edit several", "edit_file", path="notes/a.md", old="o", new="0")
    yield scene("list", "list_dir", path="notes")
    yield scene("outside", "read_file", path="../a.md")
    yield scene("shell", "shell", command="echo hello")
    yield scene("shell fails", "shell", command="echo no; exit 2")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_model_and_person_read_is_as_written_down(workspace, language, monkeypatch):
    monkeypatch.setattr(shell.shutil, "which", lambda _name: None)
    told = "\n".join(scenes(desk_of(builtin_tools(workspace)), language))
    assert told == (GOLDEN / f"machine.{language}.txt").read_text(encoding="utf-8")


def test_the_literals_of_the_reference_stand_in_the_golden_file():
    english = (GOLDEN / "machine.en.txt").read_text(encoding="utf-8")
    for literal in ("Message sent to desk\n", "File updated: notes/a.md\n", "File edited: notes/a.md\n"):
        assert f"-- model\n{literal}" in english
