"""Decides how a test sits at a terminal: a real child behind a pseudo-terminal, words typed when their question stands there."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from command_line import ground
from command_line.ground import child_environment

PATIENCE = 60.0
SETTLED = 0.5


class Terminal:
    """One command running at a terminal of 80 columns: the command line's, or that of another *program*."""

    def __init__(self, data_dir: Path, *words: str, program: Sequence[str] = (), **more: str) -> None:
        self._ours, theirs = pty.openpty()
        self._child = subprocess.Popen(
            [sys.executable, "-P", *(program or ground.PROGRAM), *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=child_environment(data_dir, COLUMNS="80", LINES="40", **more),
            start_new_session=True,
            preexec_fn=None,
        )
        os.close(theirs)
        self._raw = b""

    @property
    def shown(self) -> str:
        """All that the terminal has shown so far."""
        return self._raw.decode("utf-8", "replace").replace("\r\n", "\n")

    def expect(self, text: str) -> None:
        """Wait until *text* stands at the terminal."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} never came:\n{self.shown}"
            if not self._read(deadline):
                assert text in self.shown, f"ended without {text!r}:\n{self.shown}"

    def expect_again(self, text: str, times: int) -> None:
        """Wait until *text* stands at the terminal so many times."""
        deadline = time.monotonic() + PATIENCE
        while self.shown.count(text) < times:
            assert self._read(deadline), f"{text!r} did not come {times} times:\n{self.shown}"

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C as a person does, a moment after the question stands there: the whole session gets the signal.

        Between the question and the read that waits for the answer, Python itself misses a signal until the next key.
        """
        while select.select([self._ours], [], [], SETTLED)[0] and self._read(time.monotonic() + PATIENCE):
            pass
        os.killpg(self._child.pid, signal.SIGINT)

    def end(self) -> int:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        code = self._child.wait(PATIENCE)
        os.close(self._ours)
        return code

    def _read(self, deadline: float) -> bool:
        if not select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
            self._child.kill()
            self._child.wait()  # nobody else does: a child that is left over would fail other tests
            raise AssertionError(f"nothing more came:\n{self.shown}")
        with contextlib.suppress(OSError):
            chunk = os.read(self._ours, 65536)
            self._raw += chunk
            return bool(chunk)
        return False


def at_terminal(data_dir: Path, *words: str, answer: str | None = None, question: str = "", **more: str) -> tuple[int, str]:
    """Run one command at a terminal, answering its question; return the exit code and all that was shown."""
    terminal = Terminal(data_dir, *words, **more)
    if answer is not None:
        terminal.expect(question)
        terminal.type(answer)
    code = terminal.end()
    return code, terminal.shown
