"""Inside the fence a command sees the system's programs and the workspace, can write that alone, and has no network."""

import os
import shutil
import subprocess

import pytest

from steadyhand.core.clock import SystemClock
from steadyhand.jobs.here import Limits
from steadyhand.tools.builtin.fence import bare, fenced
from steadyhand.tools.builtin.shell import shell_tool
from tools.builtin.conftest import desk_of

BWRAP = shutil.which("bwrap")


def works():
    if BWRAP is None:
        return False
    done = subprocess.run([*fenced(BWRAP, "/var", "exit 0")], capture_output=True, check=False)
    return done.returncode == 0


needs_fence = pytest.mark.skipif(not works(), reason="bwrap is not installed or not allowed to work here")


def test_the_command_line_of_the_fence_gives_away_nothing_but_programs_and_the_workspace():
    argv = list(fenced("/usr/bin/bwrap", "/data/workspace", "rm -r /; --bind / /"))
    options, _, command = argv[1:-4], argv[-5], argv[-4:]
    assert command == ["/bin/sh", "-c", "--", "rm -r /; --bind / /"]
    assert argv[-5] == "--"
    assert {"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop"} <= set(options)
    assert "--share-net" not in options
    writable = [options[at + 1] for at, word in enumerate(options) if word in {"--bind", "--dev-bind", "--bind-try"}]
    assert writable == ["/data/workspace"]
    seen = [options[at + 1] for at, word in enumerate(options) if word.startswith("--ro-bind")]
    assert not {"/", "/etc", "/home", "/root", "/var", "/tmp", "/proc", "/sys", "/run"} & set(seen)
    assert options[-2:] == ["--chdir", "/data/workspace"] or "/data/workspace" in options[options.index("--chdir") + 1]


def test_without_a_fence_the_command_is_one_string_of_the_shell():
    assert list(bare("-x; y")) == ["/bin/sh", "-c", "--", "-x; y"]


def broken(tmp_path, program="#!/bin/sh\necho no >&2; exit 1\n"):
    fake = tmp_path / "bwrap"
    fake.write_text(program.replace("echo no", f"echo tried >> {tmp_path}/tries; echo no"), encoding="utf-8")
    fake.chmod(0o755)
    return str(fake)


@pytest.mark.parametrize("program", ["#!/bin/sh\necho no >&2; exit 1\n", "#!/no/such/interpreter\n"])
def test_a_fence_that_does_not_work_is_told_and_tried_once(workspace, tmp_path, program):
    desk = desk_of([shell_tool(workspace, Limits(), bwrap=broken(tmp_path, program), rule="when_possible")])
    for _ in range(2):
        result = desk.call("shell", command="echo hi")
        assert (result.for_user, result.data["fence"]) == ("hi", "fence_broken")
        assert "does not let it work" in result.for_llm
    tries = tmp_path / "tries"
    assert not tries.exists() or tries.read_text(encoding="utf-8") == "tried\n"


@pytest.mark.parametrize("rule", ["when_installed", "required"])
def test_a_fence_that_does_not_work_denies_unless_somebody_chose_otherwise(workspace, tmp_path, root, rule):
    desk = desk_of([shell_tool(workspace, Limits(), bwrap=broken(tmp_path), rule=rule)])
    result = desk.call("shell", command="echo hi > made.txt")
    assert (result.code, result.is_error) == ("fence_broken", True)
    assert "not run" in result.for_llm
    assert "shell_fence" in result.for_llm
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(("rule", "runs"), [("required", False), ("when_installed", True), ("when_possible", True)])
def test_where_no_fence_is_installed_the_rule_decides(workspace, root, monkeypatch, rule, runs):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    desk = desk_of([shell_tool(workspace, Limits(), rule=rule)])
    result = desk.call("shell", command="echo hi > made.txt")
    assert (root / "made.txt").exists() is runs
    assert (result.code == "fence_missing") is not runs
    if runs:
        assert result.data["fence"] == "open"


@pytest.fixture
def desk(workspace):
    return desk_of([shell_tool(workspace, Limits(), clock=SystemClock())])


@needs_fence
def test_a_fenced_command_says_so_and_writes_in_the_workspace(desk, root):
    result = desk.call("shell", command="echo hi > a.txt; cat a.txt")
    assert (result.for_user, result.data["fence"]) == ("hi", "fenced")
    assert "Ran inside a fence" in result.for_llm
    assert (root / "a.txt").read_text(encoding="utf-8") == "hi\n"


@needs_fence
def test_a_fenced_command_reaches_nothing_else(desk, outside, root):
    (root / "link").symlink_to(outside)
    attempts = [
        f"cat {outside}/secret.txt",
        f"echo x > {outside}/secret.txt",
        "cat link/secret.txt",
        f"ln {outside}/secret.txt stolen",
        "touch /usr/steady",
        "cat /etc/shadow",
        "mount -o remount,rw /usr",
    ]
    for attempt in attempts:
        result = desk.call("shell", command=attempt)
        assert (result.is_error, "the secret" in result.for_llm) == (True, False), attempt
    assert (outside / "secret.txt").read_text(encoding="utf-8") == "the secret"
    assert desk.call("shell", command="ls -A ..; ls /home /root 2>/dev/null || true").for_user == "workspace"


@needs_fence
def test_a_fenced_command_has_no_network_and_sees_no_other_process(desk):
    assert desk.call("shell", command="tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").for_user == "lo"
    seen = desk.call("shell", command="for f in /proc/[0-9]*; do cat $f/comm; done").for_user.split()
    assert len(seen) <= 4
    assert not [name for name in seen if "python" in name or "pytest" in name]


@needs_fence
def test_a_fenced_command_is_ended_with_all_it_started(desk, root):
    os.mkfifo(root / "held")
    reading = os.open(root / "held", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    try:
        result = desk.call("shell", command="exec 9>held; echo x >&9; setsid sleep 600 & sleep 600", seconds=1)
        while os.read(reading, 100):
            pass
    finally:
        os.close(reading)
    assert result.code == "command_timed_out"
    assert desk.call("shell", command="setsid sleep 600 & echo done").for_user == "done"
