"""Decides how a command is run beside this process, what of its output is kept and when it is ended; it must not judge it.

The command's parent is `shell_child`, which ends it with all that it started as soon as the socket to it closes. However this
process ends, so does the socket.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, TypeAlias, cast

from steadyhand.core.clock import Clock
from steadyhand.jobs.here import Limits

FILE_MIB = 256
PROCESSES = 256
KEPT_BYTES = 24 * 1024
"""So much of the output's beginning is kept, and as much of its end."""

_CHILD = Path(__file__).with_name("shell_child.py")
_TICK_SECONDS = 0.05
_GRACE_SECONDS = 5.0
_CHUNK = 1 << 16
_LAST_READS = 64

How: TypeAlias = Literal["exited", "timed_out", "too_much_output", "stopped", "vanished"]


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, where, and with which environment."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]


@dataclass(slots=True)
class Output:
    """What a command printed: its beginning and its end, and how many bytes there were."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def take(self, chunk: bytes) -> None:
        """Keep what there is room for."""
        self.total += len(chunk)
        room = KEPT_BYTES - len(self.head)
        self.head += chunk[:room]
        self.tail = (self.tail + chunk[room:])[-KEPT_BYTES:]

    @property
    def left_out(self) -> int:
        """How many bytes between beginning and end were not kept."""
        return self.total - len(self.head) - len(self.tail)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. *code* is its exit code or the negative signal; *left* counts processes that it had left running."""

    how: How
    code: int
    left: int
    output: Output


@dataclass(slots=True)
class _Run:
    """A command under way; what its parent says of it is in *said*."""

    child: "subprocess.Popen[bytes]"
    control: socket.socket
    output: Output = field(default_factory=Output)
    told: bytearray = field(default_factory=bytearray)
    how: How = "exited"

    @property
    def said(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for line in bytes(self.told).split(b"\n")[:-1]:
            found |= cast("dict[str, int]", json.loads(line))
        return found

    def give_up(self, how: How) -> None:
        """Tell the command's parent to end it; what it still prints is read, and not waited for long."""
        self.how = how
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)


def run_command(command: Command, limits: Limits, stop: Callable[[], bool], clock: Clock) -> Ended:
    """Run *command* to its end or its limit. *stop* is asked about twenty times a second; once true, the command is ended."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            run = _Run(_start(theirs.fileno()), ours)
        try:
            ours.sendall(_spec(command, limits))
            _listen(run, limits, stop, clock)
        finally:
            _end(run)
    said = run.said
    how: How = "vanished" if run.how == "exited" and "exit" not in said else run.how
    return Ended(how, said.get("exit", -signal.SIGKILL), said.get("left", 0), run.output)


def _start(control: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603  # our own interpreter and file; the command comes by the socket
        [sys.executable, "-I", "-S", str(_CHILD), str(control)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(control,),
        start_new_session=True,
        env={},
        cwd="/",
        bufsize=0,
    )


def _spec(command: Command, limits: Limits) -> bytes:
    spec = {
        "argv": list(command.argv),
        "cwd": command.cwd,
        "env": dict(command.env),
        "seconds": limits.seconds,
        "memory_mib": limits.memory_mib,
        "file_mib": FILE_MIB,
        "processes": PROCESSES,
    }
    return json.dumps(spec).encode("ascii") + b"\n"


def _listen(run: _Run, limits: Limits, stop: Callable[[], bool], clock: Clock) -> None:
    """Read what the command prints until its parent is gone, giving up at a limit and, a little later, for good."""
    printed = cast("IO[bytes]", run.child.stdout)
    deadline = clock.monotonic() + limits.seconds
    with selectors.DefaultSelector() as selector:
        selector.register(printed, selectors.EVENT_READ)
        selector.register(run.control, selectors.EVENT_READ)
        while clock.monotonic() < deadline or run.how == "exited":
            for key, _ in selector.select(_TICK_SECONDS):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                    if key.fileobj is run.control:
                        _drain(run, printed)
                        return
                elif key.fileobj is run.control:
                    run.told += chunk
                else:
                    run.output.take(chunk)
            if run.how == "exited" and (reason := _reason_to_stop(run, limits, stop, clock.monotonic() >= deadline)):
                run.give_up(reason)
                deadline = clock.monotonic() + _GRACE_SECONDS


def _reason_to_stop(run: _Run, limits: Limits, stop: Callable[[], bool], overdue: bool) -> How | None:
    if stop():
        return "stopped"
    if run.output.total > limits.output_bytes:
        return "too_much_output"
    return "timed_out" if overdue else None


def _drain(run: _Run, printed: IO[bytes]) -> None:
    """Read what is in the pipe by now; one that somebody still holds open is not waited for."""
    os.set_blocking(printed.fileno(), False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(_LAST_READS):  # more than a pipe holds: one who goes on writing is not heard for ever
            run.output.take(os.read(printed.fileno(), _CHUNK))


def _end(run: _Run) -> None:
    """Make sure that nothing of the run is left: its parent, and the command's group when that parent did not get to it."""
    run.give_up(run.how)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.child.wait(_GRACE_SECONDS)
    if "exit" not in run.said:
        for group in (run.child.pid, run.said.get("group", 0)):
            if group > 1:
                with contextlib.suppress(OSError):
                    os.killpg(group, signal.SIGKILL)
    run.child.wait()
    cast("IO[bytes]", run.child.stdout).close()
