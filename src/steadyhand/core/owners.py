"""Decides which process owns a piece of work and whether it still lives. It must not take anything over."""

import contextlib
import os
import socket
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import cast

import psutil

from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text

_AT_WORK: set[str] = set()
"""Tokens of the work that this process is doing right now."""


@contextlib.contextmanager
def at_work(token: str) -> Generator[None]:
    """Mark that this process works under *token* until the block ends."""
    _AT_WORK.add(token)
    try:
        yield
    finally:
        _AT_WORK.discard(token)


@cache
def _host() -> str:
    """Name this machine, this boot of it and this process namespace: ids of processes mean something only within all three."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def myself() -> Json:
    """Return this process: host, process id, and when it started (a reused id has started at another moment)."""
    return {"host": _host(), "pid": os.getpid(), "started": _started(os.getpid())}


def _started(pid: int) -> int | None:
    """Return a number that only this life of *pid* has: ticks since boot, which no setting of the clock moves."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
    try:
        return int(psutil.Process(pid).create_time() * 100)
    except psutil.Error:
        return None


@dataclass(frozen=True, slots=True)
class Claim:
    """Who has a piece of work: the process as `myself` gave it, the token that it works under, and until when its lease runs."""

    owner: Json
    token: str | None
    lease_until: str | None


def is_suspended(pid: int) -> bool:
    """Tell whether a process of this machine is there and stopped: it does nothing, and may go on at any moment."""
    try:
        return psutil.Process(pid).status() in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)
    except (psutil.Error, ValueError):
        return False


def is_gone(claim: Claim, now: datetime) -> bool:
    """Tell whether the owner of a claimed piece of work is gone.

    On this host the process table answers. A process of another host, or one that cannot be looked at, is gone when its
    lease has run out; so is work that this very process has given up, an error having broken it off.
    """
    owner = cast("Mapping[str, Json] | None", claim.owner)
    if owner is None:
        return True
    lapsed = claim.lease_until is None or from_text(claim.lease_until) < now
    if owner["host"] != _host():
        return lapsed
    pid = cast("int", owner["pid"])
    try:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return lapsed
    if _started(pid) != owner["started"]:
        return True
    return pid == os.getpid() and claim.token not in _AT_WORK and lapsed
