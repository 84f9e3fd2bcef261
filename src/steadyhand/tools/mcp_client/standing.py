"""Decides what is remembered of each tool server between commands: whether it answered, when it is tried again, whether that was told.

It must not reach one, and what cannot be read or written is only not remembered.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from steadyhand.core.canonical import digest
from steadyhand.core.clock import Clock, from_text, to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.mcp_settings import McpServer

FIRST_REST = timedelta(minutes=1)
LONGEST_REST = timedelta(minutes=15)
MOST_BYTES = 256_000


@dataclass(frozen=True, slots=True)
class Standing:
    """How a server stood when it was last asked: *failures* in a row, of which the person has *told* heard, and when.

    *code* and *params* are why; *means* is the digest of its settings, so that a server that was set anew is begun anew with.
    """

    means: str
    at: str
    failures: int = 0
    told: bool = False
    code: str = ""
    params: Mapping[str, str] | None = None
    tools: int = 0

    @property
    def answers(self) -> bool:
        return self.failures == 0

    def refusal(self) -> ToolRefusal:
        """Return why it did not answer, as it was told then."""
        return ToolRefusal(self.code, **(self.params or {}))

    def rests_until(self) -> datetime:
        """Return when it is tried again: after a minute, then later and later."""
        return from_text(self.at) + min(FIRST_REST * 2 ** min(self.failures - 1, 10), LONGEST_REST)


class Standings:
    """What is remembered, in a *file* of the data folder."""

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._known: dict[str, Standing] = self._read()

    def of(self, name: str, server: McpServer) -> Standing | None:
        """Return how *server* stood; None when it was never asked as it is set now."""
        found = self._known.get(name)
        return found if found is not None and found.means == meaning(server) else None

    def rests(self, name: str, server: McpServer) -> Standing | None:
        """Return how *server* stood where it is not worth asking yet; None when it is to be asked."""
        found = self.of(name, server)
        return found if found is not None and not found.answers and self._clock.now() < found.rests_until() else None

    def answered(self, name: str, server: McpServer, tools: int) -> None:
        """Note that *server* has answered; that is written only where it is news."""
        before = self.of(name, server)
        self._known[name] = Standing(meaning(server), to_text(self._clock.now()), tools=tools)
        if before is None or not before.answers or before.tools != tools:
            self._write()

    def failed(self, name: str, server: McpServer, code: str, params: Mapping[str, Any]) -> None:
        """Note that *server* could not be reached."""
        before = self.of(name, server)
        again = before is not None and not before.answers
        kept = {key: str(value) for key, value in params.items()}
        told = again and before is not None and before.told
        failures = 1 + (before.failures if before is not None else 0)
        self._known[name] = Standing(meaning(server), to_text(self._clock.now()), failures, told, code, kept)
        self._write()

    def to_tell(self, servers: Mapping[str, McpServer]) -> dict[str, Standing]:
        """Return the servers that do not answer and of which the person has not heard yet; from now on they have."""
        found = {
            name: one for name, server in servers.items() if (one := self.of(name, server)) and not one.answers and not one.told
        }
        for name, one in found.items():
            self._known[name] = replace(one, told=True)
        if found:
            self._write()
        return found

    def _read(self) -> dict[str, Standing]:
        if self._file is None:
            return {}
        try:
            with self._file.open("rb") as stream:
                entries = cast("Mapping[str, Any]", json.loads(stream.read(MOST_BYTES)))
            found = {str(name): Standing(**entry) for name, entry in entries.items()}
            for one in found.values():
                from_text(one.at)
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}
        return found

    def _write(self) -> None:
        if self._file is None:
            return
        beside = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            beside.write_text(json.dumps({name: asdict(one) for name, one in self._known.items()}), encoding="utf-8")
            beside.replace(self._file)


def meaning(server: McpServer) -> str:
    """Return the digest of a server's settings."""
    return digest(server.model_dump(mode="json"))
