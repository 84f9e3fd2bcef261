"""Decides how one command is bounded, watched and ended with everything that it started; it must not outlive its parent.

A program of its own that imports nothing of this package. Its first argument is the descriptor of a socket to its parent. It reads
one line of JSON (``argv``, ``cwd``, ``env``, ``seconds``, ``memory_mib``, ``file_mib``, ``processes``), writes ``{"group": N}`` and, at the
end, ``{"exit": CODE, "left": N}``: the exit code or the negative signal, and how many processes had been left running.
The end of the socket is the order to stop: it comes when the parent gives up, and when it dies.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
from typing import Any, cast

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_NOT_STARTED = 127
_SWEEPS = 1_000


def main() -> None:
    """Run the one command that the socket describes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    with control.makefile("rb") as lines:
        spec = cast("dict[str, Any]", json.loads(lines.readline()))
    woken = _wake_on_child()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    tasks = _tasks_of_this_user()
    child = os.fork()
    if child == 0:
        _become(spec, tasks)
    with contextlib.suppress(OSError):  # the child did it first
        os.setpgid(child, child)
    _tell(control, {"group": child})
    status = _wait(child, control, woken)
    left = _end_everything(child, ended=status is not None)
    _tell(control, {"exit": -signal.SIGKILL if status is None else status, "left": left})


def _become(spec: dict[str, Any], tasks: int) -> None:
    """Turn this process, the forked one, into the command."""
    try:
        os.setpgid(0, 0)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and so would the command
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o077)
        os.chdir(spec["cwd"])
        bind(spec, tasks)
        os.execve(spec["argv"][0], spec["argv"], spec["env"])  # noqa: S606  # the command is the point of this program
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    finally:
        os._exit(_NOT_STARTED)


def bind(spec: dict[str, Any], tasks: int) -> None:
    """Set the limits of this process and all that it starts; *tasks* are those that its user runs already."""
    seconds = int(spec["seconds"]) + 1
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: int(spec["file_mib"]) << 20,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = int(spec["memory_mib"]) << 20
        limits[resource.RLIMIT_NPROC] = tasks + int(spec["processes"])
    for limit, most in limits.items():
        hard = resource.getrlimit(limit)[1]
        most_now = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most_now, most_now))


def _tasks_of_this_user() -> int:
    """Count the threads of this user: the limit on processes counts them all, whoever started them."""
    count = 0
    for pid in _processes():
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
            count += sum(task.stat().st_uid == os.getuid() for task in tasks)
    return count


def _processes() -> list[int]:
    with contextlib.suppress(OSError), os.scandir("/proc") as entries:
        return [int(entry.name) for entry in entries if entry.name.isdecimal()]
    return []


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value)


def _wake_on_child() -> int:
    """Return a descriptor that can be read when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _wait(child: int, control: socket.socket, woken: int) -> int | None:
    """Return the exit code (or negative signal) of *child*; None when the order to stop came first."""
    while True:
        ready = select.select([control, woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            status = _reap(child)
            if status is not None:
                return status
        if control in ready:
            return None


def _reap(child: int) -> int | None:
    """Take in every process that has ended; return the code of *child* when it is one of them."""
    found: int | None = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                found = os.waitstatus_to_exitcode(status)
    return found


def _end_everything(child: int, *, ended: bool) -> int:
    """Kill the command's group, then whatever has come under this process because its own parent ended; return how many there were."""
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    left = -1 if not ended else 0  # the command itself is none of those that it left
    for _ in range(_SWEEPS):
        for pid in _children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
        left += 1
    return max(left, 0)


def _children() -> list[int]:
    """Return the direct children of this process; those of a child that ends become ours."""
    found: list[int] = []
    for pid in _processes():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123  # a path object would be one import more
            if int(stat.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(pid)
    return found


def _tell(control: socket.socket, message: dict[str, int]) -> None:
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
