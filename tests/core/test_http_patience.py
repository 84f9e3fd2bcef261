"""A connection that says nothing, or takes for ever to say it, is closed and keeps nobody out. Real sockets, a real server on loopback."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvicorn

from steadyhand.core.http_patience import Patience, patient

ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENT = 30.0


async def app(scope, receive, send):
    assert scope["type"] == "http"
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def serving(patience):
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=patient(patience), log_config=None, lifespan="off", limit_concurrency=40)
    server = uvicorn.Server(config)
    server.capture_signals = lambda: __import__("contextlib").nullcontext()
    task = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def opened(port, words=b""):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(words)
    await writer.drain()
    return reader, writer


async def ended(reader):
    """Whatever comes, until the other side closes."""
    async with asyncio.timeout(PATIENT):
        return await reader.read()


async def answered(port):
    reader, writer = await opened(port, ASK)
    async with asyncio.timeout(PATIENT):
        head = await reader.readuntil(b"ok")
    writer.close()
    return head.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "words", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_request_that_is_never_said_whole_ends_the_connection(words):
    async def scene():
        async with serving(Patience(head=0.2, body=0.2)) as port:
            reader, writer = await opened(port, words)
            assert b"200" not in await ended(reader)
            writer.close()

    asyncio.run(scene())


def test_the_second_request_of_a_connection_has_no_more_time_than_the_first():
    async def scene():
        async with serving(Patience(head=0.2)) as port:
            reader, writer = await opened(port, ASK)
            async with asyncio.timeout(PATIENT):
                await reader.readuntil(b"ok")
            writer.write(b"GET / HT")
            assert await ended(reader) == b""
            writer.close()

    asyncio.run(scene())


def test_a_byte_now_and_then_buys_no_time():
    async def scene():
        async with serving(Patience(head=0.3)) as port:
            reader, writer = await opened(port, b"G")
            end = asyncio.ensure_future(ended(reader))
            while not end.done():
                writer.write(b"E")
                await asyncio.wait([end], timeout=0.05)
            assert b"200" not in end.result()
            writer.close()

    asyncio.run(scene())


@pytest.mark.parametrize("words", [b"GET / HTTP/1.1\r\n", ASK])
def test_hundreds_that_only_wait_keep_nobody_out(words):
    """Half-open ones, and ones that were answered and stay: the oldest gives way, and a request is answered at once."""

    async def scene():
        async with serving(Patience(head=600, waiting=16)) as port:
            waiting = [await opened(port, words) for _ in range(250)]
            assert all([await answered(port) for _ in range(5)])
            for reader, _ in waiting[:200]:
                await ended(reader)
            for _, writer in waiting:
                writer.close()

    asyncio.run(scene())


def test_whoever_is_being_answered_keeps_the_place():
    async def scene():
        async with serving(Patience(head=600, body=600, waiting=8)) as port:
            reader, writer = await opened(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
            crowd = [await opened(port) for _ in range(50)]
            writer.write(b"bc")
            async with asyncio.timeout(PATIENT):
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
            for _, other in [*crowd, (reader, writer)]:
                other.close()

    asyncio.run(scene())
