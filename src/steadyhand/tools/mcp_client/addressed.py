"""Decides how a server at an address is spoken to: streamable HTTP, with the headers that the settings name and nothing of the environment.

It must not follow a redirect elsewhere or read an answer without end.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.mcp_settings import McpServer

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

MAX_ANSWER = 8_000_000
CONNECT_SECONDS = 10.0
STREAM_SECONDS = 300.0
"""A server may hold the stream of its own messages open for so long without a word."""


class TooLong(httpx2.StreamError):
    """The answer has no end that we would read."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ANSWER
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                raise TooLong("the answer is too long")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Reads answers up to a bound, and unpacked ones only: a small packed answer may be a large one."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise TooLong("the answer is packed")
        if request.method == "POST":
            response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))
        return response


@asynccontextmanager
async def reached(name: str, server: McpServer, environment: Mapping[str, str]) -> AsyncGenerator["TransportStreams"]:
    """Yield the streams of messages to and from the address of *server*."""
    missing = next((variable for variable in server.headers.values() if not environment.get(variable)), None)
    if missing is not None:
        raise ToolRefusal("mcp_variable_missing", server=name, variable=missing)
    headers = {header: environment[variable] for header, variable in server.headers.items()}
    limits = httpx2.Timeout(server.seconds, connect=CONNECT_SECONDS, read=STREAM_SECONDS)
    transport = BoundedTransport(trust_env=False)
    async with (
        httpx2.AsyncClient(transport=transport, trust_env=False, headers=headers, timeout=limits) as client,
        streamable_http_client(server.url, http_client=client) as streams,
    ):
        yield streams
