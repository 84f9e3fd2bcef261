"""Decides when each line that comes through a pipe began to come, which its reader cannot tell when it is taken up. It must not read what it means."""

import os
import queue
import threading
from collections.abc import Iterator
from datetime import datetime
from typing import TextIO

from steadyhand.core.clock import Clock

AT_ONCE = 65_536
MOST_AHEAD = 1_000
"""So many lines are read ahead of what is taken up."""

Stamped = tuple[bytes, datetime]


def piped(source: TextIO, clock: Clock) -> Iterator[tuple[str, datetime]]:
    """Yield each line of *source* with the moment at which its first byte was there."""
    try:
        descriptor = source.fileno()
    except (OSError, ValueError):  # no pipe at all: everything is there already
        now = clock.now()
        yield from ((line, now) for line in source)
        return
    lines: queue.Queue[Stamped | None] = queue.Queue(MOST_AHEAD)
    threading.Thread(target=_read, args=(descriptor, lines, clock), daemon=True).start()
    while (found := lines.get()) is not None:
        yield found[0].decode(source.encoding, errors="replace"), found[1]


def _read(descriptor: int, lines: "queue.Queue[Stamped | None]", clock: Clock) -> None:
    """Read until the end, ahead of whoever takes the lines up: what is there before they have answered was not said to the answer."""
    rest, begun, since = b"", clock.now(), None
    while chunk := os.read(descriptor, AT_ONCE):
        now = since or clock.now()  # after a wait for room, what comes next may have been there since then
        full = False
        *whole, rest_now = chunk.split(b"\n")
        for line in whole:
            full = full or lines.full()
            lines.put((rest + line, begun if rest else now))
            rest = b""
        since = now if full else None
        if rest_now:
            begun, rest = (begun if rest else now), rest + rest_now
    if rest:
        lines.put((rest, begun))
    lines.put(None)
