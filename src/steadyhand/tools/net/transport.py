"""Decides how a request of the guarded client travels: by addresses that the guard has passed, and to exactly those.

It must not take a proxy, a cookie, a password or a setting from the environment, and never follows a redirect by itself.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from functools import cache
from ssl import SSLContext
from typing import Any, TypeAlias, cast

import httpcore
import httpx

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.net.guarding import Guard

Dial: TypeAlias = Callable[[str, int, "float | None"], Awaitable[httpcore.AsyncNetworkStream]]
"""Opens a connection to an address (never a name) and a port within seconds."""

MAX_TRIED = 4


async def dial(address: str, port: int, timeout: float | None) -> httpcore.AsyncNetworkStream:  # noqa: ASYNC109  # the library's own form
    """Connect to *address*."""
    backend = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())  # a library that is absent hides its type
    return await backend.connect_tcp(address, port, timeout=timeout)


@cache
def _tls() -> SSLContext:
    return httpx.create_ssl_context()


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Looks a name up once, has every address passed by the guard, and connects to one of those addresses."""

    def __init__(self, guard: Guard, dial: Dial) -> None:
        self._guard = guard
        self._dial = dial

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the library's own form
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        del local_address, socket_options
        *others, last = (await self._guard.addresses(host, port))[:MAX_TRIED]
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._dial(str(address), port, timeout)
        return await self._dial(str(last), port, timeout)

    async def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> Any:  # noqa: ASYNC109  # the library's own form
        del timeout, socket_options
        raise ToolRefusal("web_host_refused") from OSError(path)


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class GuardedTransport(httpx.AsyncBaseTransport):
    """The transport of the guarded client; the name that was asked for stays in the Host line and in the TLS greeting."""

    def __init__(self, guard: Guard, *, dial: Dial = dial, tls: SSLContext | None = None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or _tls(),
            max_connections=4,
            max_keepalive_connections=0,
            retries=0,
            network_backend=GuardedNetwork(guard, dial),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        asked = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            extensions=request.extensions,
        )
        response = await self._pool.handle_async_request(asked)
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response))

    async def aclose(self) -> None:
        await self._pool.aclose()
