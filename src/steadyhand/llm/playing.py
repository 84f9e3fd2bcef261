"""Decides how recorded responses go over the wire of this machine: status, headers, chunk by chunk, closed as they were; it must not look into them."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Self

PAUSE_SECONDS = 0.001
"""Between two chunks, so that they arrive as two."""
FRAMING = frozenset({"transfer-encoding", "content-length", "connection"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """One response; *clean* tells whether its end was sent."""

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: tuple[bytes, ...]
    clean: bool = True


class Player:
    """A server on the loopback address that answers requests below ``/N/`` with the N-th recorded response."""

    def __init__(self, recorded: Sequence[Recorded]) -> None:
        self._recorded = recorded
        self._server: asyncio.Server | None = None
        self._port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def address(self, number: int) -> str:
        """Return the base address under which the recorded response *number* is played."""
        return f"http://127.0.0.1:{self._port}/{number}/v1"

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_body_length(head))
            await _play(self._recorded[int(head.split(b"/", 2)[1])], writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the reader went away, as an adapter does that has read enough
        finally:
            writer.close()


def _body_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return 0


async def _play(recorded: Recorded, writer: StreamWriter) -> None:
    phrase = HTTPStatus(recorded.status).phrase if recorded.status in HTTPStatus._value2member_map_ else "Recorded"
    lines = [f"HTTP/1.1 {recorded.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in recorded.headers if name.lower() not in FRAMING]
    lines += ["transfer-encoding: chunked", "connection: close", "", ""]
    writer.write("\r\n".join(lines).encode("utf-8", "replace"))
    await writer.drain()
    for chunk in recorded.chunks:
        if chunk:  # an empty one would be the end
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
            await asyncio.sleep(PAUSE_SECONDS)
    if recorded.clean:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
