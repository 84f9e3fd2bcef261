"""Decides where an event of a server-sent stream begins and ends; it must not read what an event says, nor pass over a line that it does not know."""

from collections.abc import Iterator
from dataclasses import dataclass

from steadyhand.llm.provider import ProviderError

BOM = b"\xef\xbb\xbf"
FIELDS = frozenset({b"data", b"event", b"id", b"retry"})
LOST = (b"ata:", b"vent:")
"""How a comment looks that is a field whose first letter was lost on the way; one that holds JSON is none either."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: what kind it says it is, and its data. A ``bare`` one is a line of JSON without a field, as some failures come."""

    kind: str
    data: bytes


class EventReader:
    """Turns bytes, cut anywhere, into events; takes time in proportion to their number.

    The standard passes over fields that it does not know. Here they end the stream: a damaged ``data`` would else be an event
    that silently went missing.
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._after_cr = False
        self._first = True
        self._kind = b""
        self._data: list[bytes] = []
        self._has_data = False

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Take the next bytes; yield the events that they complete, each before the lines behind it are looked at."""
        for line in self._lines(chunk):
            event = self._line(line)
            if event is not None:
                yield event

    def rest(self) -> Event | None:
        """Return the event that the end of the stream left open, if it has data."""
        line = b"".join(self._partial)
        self._partial = []
        found = self._line(line) if line else None
        return found or self._dispatch()

    def _lines(self, chunk: bytes) -> list[bytes]:
        """Return the lines that *chunk* completes; they end in LF, CR or CRLF, and a CRLF may be cut in two."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if not chunk:
            return []
        if b"\n" not in chunk and b"\r" not in chunk:
            self._partial.append(chunk)
            return []
        self._after_cr = chunk.endswith(b"\r")
        lines = b"".join((*self._partial, chunk)).splitlines()
        self._partial = []
        if not chunk.endswith((b"\n", b"\r")):
            self._partial.append(lines.pop())
        return lines

    def _line(self, line: bytes) -> Event | None:
        if self._first:
            line = line.removeprefix(BOM)
            self._first = False
        if not line:
            return self._dispatch()
        name, colon, value = line.partition(b":")
        if not name and colon:
            if value.startswith(LOST) or b'{"' in value:
                raise ProviderError("protocol", "not_an_event")
            return None
        if name == b"error" or line.startswith(b"{"):
            return Event("error" if name == b"error" else "bare", value if name == b"error" else line)
        if name not in FIELDS:
            raise ProviderError("protocol", "not_an_event")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._has_data = True
        elif name == b"event":
            self._kind = value
        return None

    def _dispatch(self) -> Event | None:
        told = self._has_data or self._kind == b"error"
        event = Event(self._kind.decode("utf-8", "replace"), b"\n".join(self._data)) if told else None
        self._kind, self._data, self._has_data = b"", [], False
        return event
