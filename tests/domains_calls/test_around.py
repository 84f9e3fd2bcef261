"""A held command is bound to what lies around it: the fence and the files that it names are shown, and changed ones end it untouched."""

import asyncio
import json
import shutil

import pytest

from steadyhand.core.clock import SystemClock
from steadyhand.core.wire import ToolCall
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.jobs.here import Limits
from steadyhand.tools.builtin.shell import shell_tool
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.tools.policy import Rule
from steadyhand.tools.registry import Registry


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def with_shell(desk, root, **options):
    desk.rules[:] = [Rule("ask", tool="shell")]
    desk.registry = Registry([shell_tool(Workspace(root), Limits(), clock=SystemClock(), **options)])
    desk.wire()


def held(desk, command):
    return asyncio.run(desk.held(json.dumps({"command": command}), tool="shell"))


def approved(desk, row):
    return asyncio.run(desk.approve(row))


CHANGES = {
    "changed": lambda root: (root / "run.sh").write_text("echo CHANGED > ran.txt\n", encoding="utf-8"),
    "gone": lambda root: (root / "run.sh").unlink(),
    "what it calls": lambda root: (root / "inner.sh").write_text("echo CHANGED\n", encoding="utf-8"),
    "a name that was none": lambda root: (root / "later.sh").write_text("echo NEW > ran.txt\n", encoding="utf-8"),
    "a link to another": lambda root: ((root / "run.sh").unlink(), (root / "run.sh").symlink_to("other.sh")),
}


@pytest.fixture
def script(root):
    (root / "run.sh").write_text("echo harmless > ran.txt\n. ./inner.sh\n", encoding="utf-8")
    (root / "inner.sh").write_text("true\n", encoding="utf-8")
    (root / "other.sh").write_text("echo OTHER > ran.txt\n", encoding="utf-8")
    return "sh run.sh; sh later.sh 2>/dev/null || true"


@pytest.mark.parametrize("change", CHANGES)
def test_a_script_that_changed_after_the_review_is_not_run_and_that_is_told(desk, root, script, change):
    with_shell(desk, root)
    row = held(desk, script)
    CHANGES[change](root)
    done = approved(desk, row)
    assert done.state == State.STALE
    assert not (root / "ran.txt").exists()
    for language, told in (("en", "Changed since it was shown: file:"), ("zh-CN", "给你看过之后有改动：file:")):
        assert told in line(done, language)


def test_a_script_that_stayed_as_it_was_shown_runs_once(desk, root, script):
    with_shell(desk, root)
    row = held(desk, script)
    (root / "unnamed.txt").write_text("an edit elsewhere\n", encoding="utf-8")
    assert approved(desk, row).state == State.VERIFIED
    assert (root / "ran.txt").read_text(encoding="utf-8") == "harmless\n"


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_review_names_the_fence_and_each_file_with_its_digest(desk, root, script, language):
    with_shell(desk, root)
    view = desk.controller.view(held(desk, script), language)
    for name in ("run.sh", "inner.sh", "later.sh"):
        assert name in view.text
    around = view.payload["around"]
    assert around["file:run.sh"]["sha256"][:12] in view.text
    assert around["file:later.sh"] == {"absent": True}
    assert around["fence"]["network"] is (around["fence"]["state"] != "fenced")
    lines = view.text.splitlines()
    assert any(("fence" in one or "隔离" in one) for one in lines)


def test_a_fence_that_is_gone_by_the_yes_ends_the_call_untouched(desk, root, tmp_path, monkeypatch):
    gone = tmp_path / "bwrap"
    gone.write_text('#!/bin/sh\nfor last; do :; done\nexec /bin/sh -c "$last"\n', encoding="utf-8")
    gone.chmod(0o755)
    with_shell(desk, root, bwrap=str(gone))
    row = held(desk, "echo hi > ran.txt")
    assert desk.controller.view(row, "en").payload["around"]["fence"]["state"] == "fenced"
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with_shell(desk, root)  # another process, in which no fence is installed any more
    done = approved(desk, row)
    assert done.state == State.STALE
    assert not (root / "ran.txt").exists()
    assert "fence" in line(done, "en")


def test_a_broken_fence_is_told_instead_of_asking_for_a_yes(desk, root, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    with_shell(desk, root, bwrap=str(fake))
    call = ToolCall("call_1", "shell", json.dumps({"command": "echo hi > ran.txt"}))
    result = asyncio.run(desk.runner.run(desk.context(), call))
    assert result.is_error
    assert "shell_fence" in result.for_llm
    assert desk.row(result.data["change"]).state == State.INVALID
    assert not (root / "ran.txt").exists()
