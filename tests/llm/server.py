"""A server on this machine for tests of the adapter: it answers as its script says and keeps what it was sent."""

import asyncio
import json
from dataclasses import dataclass, field

OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(delta, finish=None, **more):
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
HELLO = [event({"content": "hel"}), event({"content": "lo"}), event({}, "stop"), DONE]


def refusal(status, body=b"{}", **headers):
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).replace("_", "-").encode() + b"\r\n\r\n" + body


@dataclass
class Sent:
    """One request as it came."""

    head: bytes
    body: dict

    @property
    def headers(self):
        lines = self.head.decode().split("\r\n")[1:]
        return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}


@dataclass
class Server:
    """Plays one line of its *script* per request: bytes as they are, a list as a stream of chunks, None to hang up, or a coroutine."""

    script: list
    sent: list = field(default_factory=list)
    connections: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self._tasks = set()
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/v1"

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side is done, or the test is
        finally:
            writer.close()

    async def _one(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        self.sent.append(Sent(head, json.loads(await reader.readexactly(length))))
        line = self.script.pop(0)
        if line is None:
            return False
        if isinstance(line, bytes):
            writer.write(line)
        elif isinstance(line, list):
            writer.write(OK + b"".join(chunk(part) for part in line) + chunk(b""))
        else:
            await line(self, reader, writer)
            return False
        await writer.drain()
        return True


async def never(server, reader, writer):
    """Say nothing; note when the other side hangs up."""
    await reader.read()
    server.gone.set()


def after(*parts):
    """Send some chunks, then nothing more; note when the other side hangs up."""

    async def line(server, reader, writer):
        writer.write(OK + b"".join(chunk(part) for part in parts))
        await writer.drain()
        await never(server, reader, writer)

    return line


def broken(*parts):
    """Send some chunks, then hang up without an end."""

    async def line(_server, _reader, writer):
        writer.write(OK + b"".join(chunk(part) for part in parts))
        await writer.drain()

    return line
