"""Decides what the child process does: bind itself to its parent and its limits, run one body, answer. It must not outlive its parent.

The parent writes one line of JSON to standard input, then the payload's bytes, and reads lines of JSON from the descriptor
that the first argument names: ``{"progress": [done, total, note]}`` any number of times, then one line that ends the run.
"""

import contextlib
import ctypes
import json
import math
import os
import signal
import sys
import threading
import traceback
from typing import BinaryIO, cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import SteadyhandError
from steadyhand.jobs import bodies
from steadyhand.jobs.outcomes import FAMILIES, OUT_OF_MEMORY_EXIT

_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.5
_TRACEBACK_CHARS = 8_000


def die_with(parent: int) -> None:
    """Make the end of *parent* the end of this process, however the parent ends."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it died before the kernel was asked to tell
        os._exit(1)


def _watch(parent: int) -> None:
    """Notice by looking, for systems without a death signal, and end the whole group, which that signal does not reach."""
    while os.getppid() == parent:
        threading.Event().wait(_POLL_SECONDS)
    os.killpg(0, signal.SIGKILL)


def limit_memory(memory_mib: int) -> None:
    """Bound the address space where the system can; elsewhere the wall clock and the caller's caps are what holds."""
    import resource  # noqa: PLC0415  # absent outside POSIX, and needed once

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        size = memory_mib * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


class _Line:
    """The way back to the parent: one JSON value per line, whole lines only."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, value: object) -> None:
        data = json.dumps(value, allow_nan=False).encode("ascii") + b"\n"
        with self._lock:
            self._stream.write(data)
            self._stream.flush()

    def progress(self, done: int, total: int, note: str = "") -> None:
        self.send({"progress": [int(done), int(total), str(note)]})


def _failure(error: BaseException) -> dict[str, object]:
    detail = f"{type(error).__name__}: {error}"
    trace = "".join(traceback.format_exception(error))[-_TRACEBACK_CHARS:]
    entry: dict[str, object] = {"code": "job_failed", "params": {"kind": type(error).__name__}, "family": "Bug"}
    if isinstance(error, SteadyhandError):
        family = next((kind.__name__ for kind in FAMILIES if isinstance(error, kind)), "Bug")
        entry = {"code": error.code, "params": _finite(error.params), "family": family}
    return {"failed": {**entry, "detail": detail, "traceback": trace}}


def _finite(params: object) -> dict[str, object]:
    items = cast("dict[str, object]", params).items()
    return {name: str(value) if isinstance(value, float) and not math.isfinite(value) else value for name, value in items}


def _run(line: _Line, address: str, arguments: bodies.Arguments, payload: bytes) -> None:
    try:
        result = bodies.find(address)(arguments, payload, line.progress)
        line.send({"done": result})
    except MemoryError:
        line.send({"out_of_memory": True})
    except BaseException as error:  # noqa: BLE001  # whatever a body raises, sys.exit included, is its answer
        line.send(_failure(error))


def main() -> None:
    """Run the one job that standard input describes, then end without clean-up that could hang."""
    line = _Line(os.fdopen(int(sys.argv[1]), "wb"))
    os.set_inheritable(int(sys.argv[1]), False)
    die_with(int(sys.argv[2]))
    head = cast("dict[str, Json]", json.loads(sys.stdin.buffer.readline()))
    payload = sys.stdin.buffer.read()
    limit_memory(cast("int", head["memory_mib"]))
    try:
        _run(line, cast("str", head["body"]), cast("bodies.Arguments", head["arguments"]), payload)
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
