"""Decides where a person spoke last, as a file of the workspace says it; whole at every moment, never older than it was. It must not send.

The file is ``state/state.json``: ``{last_channel, last_chat_id, updated_at}``. A chat is named by its session.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock, to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION, SessionId, UserId
from steadyhand.store import Tx
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.tools.builtin.replacing import rewrite
from steadyhand.tools.builtin.workspace import Workspace, open_file

FOLDER, NAME = "state", "state.json"
PLACE = f"{FOLDER}/{NAME}"
MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class LastChannel:
    """Where a person spoke last, and when."""

    channel: str
    chat_id: str
    updated_at: str


class StateFile:
    """The file; any number of processes may write it."""

    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self._workspace = workspace
        self._clock = clock

    def record_last_channel(self, channel: str, chat_id: str) -> LastChannel:
        """Store that a person spoke there now; return what the file says then.

        It is one step: under a lock that all processes heed the moment is read, a new file is written beside the old one and
        takes its name. A clock that was set back does not make the moment older than the one that is stored.
        """
        made: list[LastChannel] = []

        def change(content: bytes | None) -> bytes:
            before = _read(content)
            now = to_text(self._clock.now())
            last = LastChannel(channel, chat_id, now if before is None else max(now, before.updated_at))
            made.append(last)
            return _written(last)

        rewrite(self._workspace, PLACE, change, make=True)
        return made[-1]

    def last(self) -> LastChannel | None:
        """Return where a person spoke last; None when nobody has, or when the file cannot be read as one of ours."""
        try:
            with self._workspace.folder((FOLDER,)) as folder:
                file = open_file(folder, NAME, PLACE)
        except ToolRefusal:
            return None
        if file is None:
            return None
        with os.fdopen(file, "rb") as stream:
            return _read(stream.read(MOST_BYTES))


def session_of(tx: Tx, user: UserId, last: LastChannel | None) -> SessionId:
    """Return the session for what belongs to none: where the person spoke last, else the terminal's own."""
    if last is not None and conversations.find_session(tx, user, SessionId(last.chat_id)) is not None:
        return SessionId(last.chat_id)
    people.ensure_session(tx, user, LOCAL_SESSION, "terminal")
    return LOCAL_SESSION


def _read(content: bytes | None) -> LastChannel | None:
    try:
        found: object = json.loads(content or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    entry = cast("Mapping[str, Any]", found)
    values = [entry.get(name) for name in ("last_channel", "last_chat_id", "updated_at")]
    return LastChannel(*cast("list[str]", values)) if all(isinstance(value, str) for value in values) else None


def _written(last: LastChannel) -> bytes:
    entry: Json = {"last_channel": last.channel, "last_chat_id": last.chat_id, "updated_at": last.updated_at}
    return (json.dumps(entry, ensure_ascii=False) + "\n").encode()
