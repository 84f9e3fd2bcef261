"""Decides how a person is kept company while something takes long, and what Ctrl-C does then; it must not know what it waits for."""

import asyncio
import shutil
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from steadyhand.cli.terminal.frame import Frame
from steadyhand.cli.terminal.printing import overwrite

T = TypeVar("T")
PATIENCE = 1.0
"""What is done by then is not spoken of; afterwards the line tells so often how long it has taken."""


def waited(frame: Frame, text: str, work: Coroutine[Any, Any, T]) -> T:
    """Run *work*. At a terminal *text* stands on standard error meanwhile, with the seconds; the first Ctrl-C asks *work* to stop.

    What must be finished goes on then, and the line says so; a second Ctrl-C ends this process, and the next command settles the rest.
    """
    return frame.run(_together(_Line(frame, text), work))


async def _together(line: "_Line", work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            try:
                await asyncio.wait([task], timeout=PATIENCE)
            except asyncio.CancelledError:
                line.stopping = True
                task.cancel()
            if not task.done():
                line.tell()
    finally:
        line.wipe()
    if task.cancelled():
        raise asyncio.CancelledError
    return task.result()


class _Line:
    """One line at a terminal's standard error."""

    def __init__(self, frame: Frame, text: str) -> None:
        self.stopping = False
        self._frame = frame
        self._text = text
        self._clock = frame.app.store.clock
        self._begun = self._clock.monotonic()
        self._on = sys.stderr.isatty() and not frame.as_json
        self._width = 0

    def tell(self) -> None:
        """Say what goes on and for how many seconds."""
        if not self._on:
            return
        message = "waiting.stopping" if self.stopping else "waiting.going"
        text = self._frame.say(message, text=self._text, seconds=round(self._clock.monotonic() - self._begun))
        overwrite(text)
        self._width = max(self._width, 2 * len(text))

    def wipe(self) -> None:
        """Leave no trace."""
        if self._width:
            overwrite(" " * min(self._width, shutil.get_terminal_size().columns - 1), wipe=True)
