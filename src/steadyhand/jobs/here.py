"""Decides how a body is run in a child of this process and how it is ended; it must not keep anything after the run.

`run_here` blocks; `run_aside` is the same for asyncio. On every way out (result, limit, stop, Ctrl-C, an exception in the
caller's own callback) the child's whole process group is killed and the child is reaped.
"""

import asyncio
import contextlib
import json
import os
import select
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import IO, Any, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock, SystemClock
from steadyhand.jobs.bodies import Arguments, require_address
from steadyhand.jobs.outcomes import (
    OUT_OF_MEMORY_EXIT,
    Cancelled,
    Done,
    Failed,
    Killed,
    Outcome,
    OutOfMemory,
    TimedOut,
    TooMuchOutput,
)

Progress: TypeAlias = Callable[[int, int, str], None]
Stop: TypeAlias = Callable[[], bool]

CHILD_COMMAND: tuple[str, ...] = (sys.executable, "-I", "-X", "utf8", "-m", "steadyhand.jobs.child")
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
_TICK_SECONDS = 0.05
_GRACE_TICKS = 20
_CHUNK = 1 << 16
_SAID_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use: address space, wall-clock time, and bytes that it may write (answer, progress and noise)."""

    memory_mib: int = 768
    seconds: float = 300.0
    output_bytes: int = 64 * 1024 * 1024


@dataclass(slots=True)
class _Run:
    """One run under way: the child, its pipes, and what came out of them so far."""

    child: "subprocess.Popen[bytes]"
    answers: int
    limits: Limits
    progress: Progress | None
    pending: memoryview
    read: int = 0
    buffer: bytearray = field(default_factory=bytearray)
    said: bytearray = field(default_factory=bytearray)
    outcome: Outcome | None = None

    def take(self, source: str, chunk: bytes) -> None:
        """Account for *chunk*; noise only keeps its end, the answer channel is cut into lines."""
        if self.outcome is not None:
            return
        self.read += len(chunk)
        if self.read > self.limits.output_bytes:
            self.outcome = TooMuchOutput(self.limits.output_bytes)
        elif source == "noise":
            self.said = (self.said + chunk)[-_SAID_BYTES:]
        else:
            self.buffer += chunk
            if b"\n" in chunk:
                *lines, rest = bytes(self.buffer).split(b"\n")
                self.buffer = bytearray(rest)
                for line in lines:
                    self._understand(cast("dict[str, Any]", json.loads(line)))

    def _understand(self, message: dict[str, Any]) -> None:
        if "progress" in message:
            if self.progress is not None:
                self.progress(*cast("tuple[int, int, str]", message["progress"]))
        elif "done" in message:
            self.outcome = Done(cast("Json", message["done"]))
        elif "failed" in message:
            self.outcome = Failed(**message["failed"])
        else:
            self.outcome = OutOfMemory(self.limits.memory_mib)


def run_here(
    body: str,
    arguments: Arguments,
    payload: bytes = b"",
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    clock: Clock | None = None,
) -> Outcome:
    """Run the body at address *body* in a child process and return how it ended.

    *stop* is asked about twenty times a second (``threading.Event().is_set`` fits); once true, the child is ended.
    """
    require_address(body)
    limits, clock = limits or Limits(), clock or SystemClock()
    head = {"body": body, "arguments": arguments, "memory_mib": limits.memory_mib}
    job = memoryview(json.dumps(head, allow_nan=False).encode("ascii") + b"\n" + payload)
    answers, child_end = os.pipe()
    child: subprocess.Popen[bytes] | None = None
    try:
        try:
            child = _start(child_end)
        finally:
            os.close(child_end)
        run = _Run(child, answers, limits, progress, job)
        deadline = clock.monotonic() + limits.seconds
        _converse(run, lambda: _overdue(stop, clock, deadline, limits))
        return _settle(run)
    finally:
        if child is not None:
            _end(child)
            for stream in (child.stdin, child.stdout):
                cast("IO[bytes]", stream).close()
        os.close(answers)


async def run_aside(
    body: str,
    arguments: Arguments,
    payload: bytes = b"",
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Outcome:
    """Do `run_here` without blocking the event loop; cancelling this task ends the child before the cancellation goes on.

    *progress* is called in the event loop; *stop* in a thread.
    """
    loop, given_up = asyncio.get_running_loop(), threading.Event()

    def tell(done: int, total: int, note: str) -> None:
        if progress is not None:
            loop.call_soon_threadsafe(progress, done, total, note)

    def stopped() -> bool:
        return given_up.is_set() or (stop is not None and stop())

    work = asyncio.ensure_future(
        asyncio.to_thread(run_here, body, arguments, payload, limits=limits, progress=tell, stop=stopped)
    )
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        given_up.set()
        await asyncio.wait([work])
        raise


def _start(child_end: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module; nothing of the job is in the command
        [*CHILD_COMMAND, str(child_end), str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(child_end,),
        start_new_session=True,
        env=_ENVIRONMENT,
        cwd="/",
        umask=0o077,
        bufsize=0,
    )


def _overdue(stop: Stop | None, clock: Clock, deadline: float, limits: Limits) -> Outcome | None:
    if stop is not None and stop():
        return Cancelled()
    return TimedOut(limits.seconds) if clock.monotonic() >= deadline else None


def _converse(run: _Run, overdue: Callable[[], Outcome | None]) -> None:
    """Feed the child and listen to it until there is an outcome or it has closed its end."""
    feed = cast("IO[bytes]", run.child.stdin)
    with selectors.DefaultSelector() as selector:
        os.set_blocking(feed.fileno(), False)
        selector.register(feed, selectors.EVENT_WRITE, "feed")
        selector.register(cast("IO[bytes]", run.child.stdout), selectors.EVENT_READ, "noise")
        selector.register(run.answers, selectors.EVENT_READ, "answer")
        while run.outcome is None:
            run.outcome = overdue()
            for key, _ in selector.select(_TICK_SECONDS) if run.outcome is None else ():
                if key.data == "feed":
                    if not _feed(run, feed):
                        selector.unregister(feed)
                        feed.close()
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                    if key.data == "answer":
                        return
                run.take(cast("str", key.data), chunk)


def _feed(run: _Run, feed: IO[bytes]) -> bool:
    """Write a part of the job; False when nothing is left or the child does not listen any more."""
    try:
        run.pending = run.pending[os.write(feed.fileno(), run.pending[:_CHUNK]) :]
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False
    return len(run.pending) > 0


def _settle(run: _Run) -> Outcome:
    """End the child and turn what is known into the outcome."""
    if isinstance(run.outcome, (Cancelled, TimedOut)):
        _ask_to_end(run)
    code = _end(run.child)
    said = (bytes(run.said) + _left_over(run.child))[-_SAID_BYTES:].decode("utf-8", "replace")
    if run.outcome is not None:
        return replace(run.outcome, said=said)
    if code == OUT_OF_MEMORY_EXIT:
        return OutOfMemory(run.limits.memory_mib, said)
    return Killed(signal=max(-code, 0), exit_code=max(code, 0), said=said)


def _ask_to_end(run: _Run) -> None:
    """Send SIGTERM and give the child a short while to close its end; one that goes on writing shortens its own grace."""
    _signal(run.child.pid, signal.SIGTERM)
    for _ in range(_GRACE_TICKS):
        if select.select([run.answers], [], [], _TICK_SECONDS)[0] and not os.read(run.answers, _CHUNK):
            return


def _left_over(child: "subprocess.Popen[bytes]") -> bytes:
    """Return what the dead child had printed and nobody has read yet; a pipe that somebody else holds open is not waited for."""
    stream = cast("IO[bytes]", child.stdout)
    os.set_blocking(stream.fileno(), False)
    try:
        return os.read(stream.fileno(), _CHUNK)
    except BlockingIOError:
        return b""


def _end(child: "subprocess.Popen[bytes]") -> int:
    """Kill the child's group, reap the child and return its exit code; a second call does nothing more.

    The group is killed before the child is waited for: until then its number cannot belong to anybody else.
    """
    if child.returncode is None:
        _signal(child.pid, signal.SIGKILL)
    return child.wait()


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
