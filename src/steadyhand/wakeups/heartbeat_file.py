"""Decides what the heartbeat's list asks for and how its log is written, both files of the workspace. It must not act on a line.

The list is ``HEARTBEAT.md``: what stands below its marker, a task on each line. The log is ``memory/heartbeat.log``.
"""

import contextlib
import fcntl
import os
import re
from typing import Literal

from steadyhand.core.canonical import legible
from steadyhand.core.clock import Clock, to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.tools.builtin.replacing import rewrite
from steadyhand.tools.builtin.workspace import Workspace, open_file

LIST = "HEARTBEAT.md"
MARKER = "Add your heartbeat tasks below this line:"
NOTHING = "heartbeatok"
"""``HEARTBEAT_OK``, as `says_nothing` compares it."""

FOLDER, LOG = "memory", "heartbeat.log"
MOST_BYTES = 65_536
MOST_TASKS = 50
LONGEST_LINE = 2_000
LOG_BYTES = 256 * 1024
KEPT_LOGS = 2
"""So many older logs stay beside the one that is written."""

_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(?:\[(?P<mark>[ xX])\]\s*)?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC

Level = Literal["INFO", "WARN", "ERROR"]

log = get_logger(__name__)


def tasks_in(text: str) -> list[str]:
    """Return the tasks below the marker; headings, comments and boxes that are ticked are none."""
    _, found, below = text.partition(MARKER)
    if not found:
        return []
    tasks: list[str] = []
    for line in _COMMENT.sub("", below).splitlines():
        words = legible(line).strip()
        bullet = _BULLET.match(words)
        if bullet is not None:
            words = words[bullet.end() :].strip()
        ticked = bullet is not None and (bullet["mark"] or " ") != " "
        if words.strip("-*_=# \t") and not words.startswith("#") and not ticked:
            tasks.append(words[:LONGEST_LINE])
    return tasks[:MOST_TASKS]


def says_nothing(text: str) -> bool:
    """Tell whether an answer says that there is nothing to report: ``HEARTBEAT_OK`` in any case and with any punctuation, or no word."""
    return re.sub(r"[\W_]+", "", text).casefold() in ("", NOTHING)


class HeartbeatFiles:
    """The list and the log in one workspace."""

    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self._workspace = workspace
        self._clock = clock

    def tasks(self) -> list[str]:
        """Return the tasks of the list; none when it is not there or cannot be read."""
        try:
            with self._workspace.folder(()) as folder:
                file = open_file(folder, LIST, LIST)
            if file is None:
                return []
            with os.fdopen(file, "rb") as stream:
                return tasks_in(stream.read(MOST_BYTES).decode("utf-8", "replace"))
        except (ToolRefusal, OSError) as error:
            self.write("ERROR", f"{LIST}: {error}")
            return []

    def begin(self, language: Language) -> None:
        """Lay an empty list, unless there is something under its name."""
        text = say(language, "wakeups.heartbeat.list", marker=MARKER)
        try:
            rewrite(self._workspace, LIST, lambda there: text.encode() if there is None else there)
        except ToolRefusal as error:
            log.warning("heartbeat_list_not_made", code=error.code)

    def write(self, level: Level, text: str) -> None:
        """Add one line to the log; where that cannot be done, the program's own log says so."""
        line = f"{to_text(self._clock.now())} {level} {' '.join(legible(text).split())[:LONGEST_LINE]}\n"
        try:
            with self._workspace.folder((FOLDER,), make=True) as folder:
                fcntl.flock(folder, fcntl.LOCK_EX)
                _rotate(folder, len(line.encode()))
                file = os.open(LOG, _APPEND, 0o600, dir_fd=folder)
                with os.fdopen(file, "wb") as stream:
                    stream.write(line.encode())
        except (ToolRefusal, OSError) as error:
            log.warning("heartbeat_not_logged", reason=str(error))


def _rotate(folder: int, more: int) -> None:
    """Put the log away when *more* bytes would make it too long."""
    with contextlib.suppress(FileNotFoundError):
        if os.stat(LOG, dir_fd=folder, follow_symlinks=False).st_size + more <= LOG_BYTES:
            return
    names = [LOG, *(f"{LOG}.{number}" for number in range(1, KEPT_LOGS + 1))]
    for older, newer in zip(reversed(names[1:]), reversed(names[:-1]), strict=True):
        with contextlib.suppress(FileNotFoundError):
            os.replace(newer, older, src_dir_fd=folder, dst_dir_fd=folder)
