"""A command runs only where the rules allow it, in the workspace, bounded, and leaves no process behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest

from steadyhand.core.clock import FakeClock, SystemClock
from steadyhand.jobs.here import Limits
from steadyhand.tools.builtin import running, shell
from steadyhand.tools.builtin.fence import bare
from steadyhand.tools.builtin.machine import builtin_tools
from steadyhand.tools.builtin.running import KEPT_BYTES, Command, Output, run_command
from steadyhand.tools.builtin.shell import shell_tool
from steadyhand.tools.policy import Rule
from tools.builtin.conftest import desk_of


@pytest.fixture(autouse=True)
def no_fence(monkeypatch):
    """What stands here holds without a fence; tests/tools/builtin/test_fence.py has the rest."""
    monkeypatch.setattr(shell.shutil, "which", lambda _name: None)


@pytest.fixture
def desk(workspace, no_fence):
    return desk_of([shell_tool(workspace, Limits())])


def run_bare(command, tmp_path, *, limits=None, stop=lambda: False, clock=None):
    return run_command(
        Command(bare(command), str(tmp_path), {"PATH": "/usr/bin:/bin"}), limits or Limits(), stop, clock or SystemClock()
    )


# --- rights -----------------------------------------------------------------------------------------------------------


def test_by_default_no_command_runs_and_the_model_is_told_to_leave_it(workspace):
    result = desk_of(builtin_tools(workspace), rules=()).call("shell", command="touch ran")
    assert (result.is_error, result.code) == (True, "denied")
    assert "do not try another tool or another way" in result.for_llm
    assert not (workspace.root / "ran").exists()


def test_the_policys_answer_is_for_the_effect_and_not_for_words_of_a_command(workspace):
    denied = desk_of(builtin_tools(workspace), rules=[Rule("deny", effect="exec")])
    for command in ("rm -r x", "python3 -c 'import shutil'", "echo harmless"):
        assert denied.call("shell", command=command).code == "denied"


# --- what is told -----------------------------------------------------------------------------------------------------


def test_the_model_gets_the_output_and_the_exit_code_and_the_person_the_output(desk):
    result = desk.call("shell", command="echo out; echo err >&2")
    assert result.for_llm.splitlines() == [
        "Exit code 0",
        "Ran without a fence, with the person's own rights (bwrap is not installed)",
        "",
        "out",
        "err",
    ]
    assert (result.for_user, result.silent, result.is_error) == ("out\nerr", False, False)
    assert result.data == {"exit_code": 0, "how": "exited", "fence": "open", "bytes": 8, "left": 0}


def test_a_failing_command_is_an_error_for_both(desk):
    result = desk.call("shell", command="echo no; exit 3")
    assert (result.is_error, result.code, result.data["exit_code"]) == (True, "command_failed", 3)
    assert result.for_user == "Exit code 3\nno"
    assert result.for_llm.startswith("Exit code 3\n")


@pytest.mark.parametrize(("language", "nothing"), [("en", "(no output)"), ("zh-CN", "（没有输出）")])
def test_a_command_that_prints_nothing_says_so(desk, language, nothing):
    result = desk.call("shell", language, command="true")
    assert (result.for_llm.splitlines()[-1], result.for_user) == (nothing, nothing)


def test_a_command_that_a_signal_ended_is_told_apart(desk):
    result = desk.call("shell", command="kill -TERM $$")
    assert (result.data["exit_code"], result.for_user) == (-signal.SIGTERM, "Ended by signal 15")


def test_marks_that_a_terminal_obeys_are_written_out(desk):
    result = desk.call("shell", command=r"printf 'a\033[2J\000b\377\r\n字　x'")
    assert result.for_user == "a\\u001b[2J\\u0000b\ufffd\n字　x"


def test_a_long_output_is_cut_in_the_middle_and_the_cut_is_said(desk):
    result = desk.call("shell", command="seq 1 40000")
    assert "\n1\n2\n3\n" in result.for_llm
    assert result.for_llm.endswith("\n39999\n40000")
    assert len(result.for_llm) < 2 * KEPT_BYTES + 500
    cut = result.data["bytes"] - 2 * KEPT_BYTES
    assert f"[{cut} of {result.data['bytes']} bytes are left out here]" in result.for_llm
    assert result.for_user.startswith("1\n2\n")
    assert result.for_user.endswith("40000")
    assert "characters are left out here]" in result.for_user
    assert len(result.for_user) < shell.SHOWN_CHARACTERS + 100


def test_what_is_kept_of_an_output_is_its_beginning_and_its_end():
    output = Output()
    for number in range(3000):
        output.take(b"%07d\n" % number * 10)
    assert output.total == 240_000
    assert (len(output.head), len(output.tail), output.left_out) == (KEPT_BYTES, KEPT_BYTES, 240_000 - 2 * KEPT_BYTES)
    assert (output.head[:8], output.tail[-8:]) == (b"0000000\n", b"0002999\n")


@pytest.mark.parametrize("command", ["echo a\0b", ""])
def test_what_is_no_command_is_not_run(desk, command):
    assert desk.call("shell", command=command).is_error


def test_a_command_that_looks_like_an_option_is_a_command(desk):
    assert desk.call("shell", command="-c 'touch ran'").data["exit_code"] == 127


# --- what a command starts from ---------------------------------------------------------------------------------------


def test_a_command_starts_in_the_workspace_with_a_clean_environment_and_no_input(desk, workspace, monkeypatch):
    monkeypatch.setenv("STEADYHAND_SECRET", "sk-1")
    result = desk.call("shell", command="pwd; env; cat; ls /proc/self/fd | wc -l; umask")
    assert "sk-1" not in result.for_llm
    lines = result.for_user.splitlines()
    assert lines[0] == str(workspace.root)
    names = {line.split("=")[0] for line in lines if "=" in line}
    assert {"PATH", "LANG", "HOME"} <= names <= {"PATH", "LANG", "HOME", "PWD", "OLDPWD", "SHLVL", "_"}
    assert f"HOME={workspace.root}" in lines
    assert lines[-1] == "0077"


def test_a_command_inherits_no_open_file_and_its_own_group(desk, tmp_path):
    with (tmp_path / "secret").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        seen = desk.call("shell", command="ls -l /proc/self/fd; ps -o pgid= -p $$ 2>/dev/null || true")
    assert "secret" not in seen.for_user
    assert str(os.getpgrp()) not in seen.for_user.split()


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are read where Linux shows them")
def test_a_command_is_bounded(desk):
    limits = desk.call("shell", command="cat /proc/self/limits", seconds=7).for_user
    found = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()[1:]}
    assert found["Max cpu time"] == ["8", "8"]
    assert found["Max address space"] == [str(768 << 20)] * 2
    assert found["Max file size"] == [str(running.FILE_MIB << 20)] * 2
    assert found["Max core file size"] == ["0", "0"]
    assert int(found["Max processes"][1]) >= running.PROCESSES


def test_a_command_that_writes_without_end_meets_the_limit_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "FILE_MIB", 1)
    ended = run_bare("head -c 3000000 /dev/zero > big", tmp_path)
    assert (ended.code != 0, (tmp_path / "big").stat().st_size) == (True, 1 << 20)


def test_a_pipe_that_nobody_reads_ends_its_writer(tmp_path):
    ended = run_bare("seq 1 1000000 | head -1", tmp_path)
    assert (ended.code, bytes(ended.output.head)) == (0, b"1\n")


def test_a_program_that_cannot_be_started_says_why(tmp_path):
    ended = run_command(Command(["/no/such/program"], str(tmp_path), {}), Limits(), lambda: False, SystemClock())
    assert (ended.how, ended.code, b"No such file" in ended.output.head) == ("exited", 127, True)


# --- how it ends ------------------------------------------------------------------------------------------------------
# A named pipe tells when the last process that holds it has gone: reading it ends then, and hangs otherwise.


@pytest.fixture
def pipe(root):
    """A named pipe in the workspace, opened for reading before anybody writes."""
    os.mkfifo(root / "held")
    reading = os.open(root / "held", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reading, True)
    yield reading
    os.close(reading)


def all_gone(reading):
    while os.read(reading, 100):
        pass
    return True


HOLD = "exec 9>held; echo held >&9; "


def test_what_a_command_leaves_running_is_ended_and_counted(desk, pipe):
    result = desk.call(
        "shell", command=HOLD + "sleep 600 & setsid sleep 600 & (setsid sh -c 'sleep 600 & sleep 600' &) ; echo done"
    )
    assert all_gone(pipe)
    assert (result.for_user, result.is_error) == ("done", False)
    assert result.data["left"] >= 3
    assert "were ended" in result.for_llm


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(desk, pipe):
    result = desk.call("shell", command=HOLD + "trap '' TERM INT; setsid sleep 600 & echo begun; sleep 600", seconds=1)
    assert all_gone(pipe)
    assert (result.is_error, result.code) == (True, "command_timed_out")
    assert "longer than 1 s" in result.for_user
    assert result.for_user.endswith("begun")


def test_the_installations_limit_holds_over_the_argument(workspace):
    result = desk_of([shell_tool(workspace, Limits(seconds=1.0))]).call("shell", command="sleep 600", seconds=600)
    assert "longer than 1 s" in result.for_llm


def test_a_command_that_floods_its_output_is_ended(desk, pipe):
    result = desk.call("shell", command=HOLD + "yes")
    assert all_gone(pipe)
    assert (result.is_error, result.code) == (True, "command_too_much_output")


def test_a_cancelled_turn_ends_its_command_first(desk, pipe):
    async def scene():
        task = asyncio.create_task(desk.acall("shell", command=HOLD + "setsid sleep 600 & sleep 600"))
        await asyncio.to_thread(os.read, pipe, 100)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())
    assert all_gone(pipe)


def test_a_stopped_command_is_told_as_stopped(tmp_path):
    stop = threading.Event()
    stop.set()
    assert run_bare("sleep 600", tmp_path, stop=stop.is_set).how == "stopped"


def test_a_command_that_ends_its_watcher_is_not_told_as_done(desk, pipe):
    result = desk.call("shell", command=HOLD + "sleep 600 & kill -9 $PPID; sleep 600")
    assert all_gone(pipe)
    assert (result.is_error, result.code) == (True, "command_vanished")


def test_a_command_without_an_output_is_waited_for(tmp_path):
    ended = run_bare("exec >&- 2>&-; sleep 0.1; exit 4", tmp_path)
    assert (ended.how, ended.code) == ("exited", 4)


def test_an_error_of_the_callers_own_ends_the_command(root, pipe):
    def broken():
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError):
        run_bare(HOLD + "sleep 600", root, stop=broken)
    assert all_gone(pipe)


def test_a_watcher_that_does_not_listen_is_ended_itself(tmp_path, monkeypatch):
    deaf = tmp_path / "deaf.py"
    deaf.write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    monkeypatch.setattr(running, "_CHILD", deaf)
    monkeypatch.setattr(running, "_GRACE_SECONDS", 0.1)
    ended = run_bare("true", tmp_path, limits=Limits(seconds=0.1))
    assert (ended.how, ended.code) == ("timed_out", -signal.SIGKILL)


def test_a_parent_that_is_killed_takes_the_command_along(root, pipe):
    code = (
        "import sys; from steadyhand.tools.builtin.running import *; from steadyhand.core.clock import SystemClock\n"
        "run_command(Command(('/bin/sh', '-c', sys.argv[1]), sys.argv[2], {}), Limits(), lambda: False, SystemClock())"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, HOLD + "PATH=/usr/bin:/bin; setsid sleep 600 & sleep 600", str(root)])
    os.read(pipe, 100)
    parent.kill()
    parent.wait()
    assert all_gone(pipe)


def test_time_is_the_clocks(tmp_path):
    clock = FakeClock()
    ended = run_bare("echo x", tmp_path, limits=Limits(seconds=0.001), clock=clock)
    assert (ended.how, ended.code) == ("exited", 0)
