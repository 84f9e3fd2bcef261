"""Decides how a request is sent to a compatible server and its answer read off the wire; it must not judge the answer (`assemble` does).

A provider is bound to the event loop in which it is first used; `aclose` lets go of its connections. Whoever stops reading a stream
early closes it (``contextlib.aclosing``): that closes the connection, so that the server stops too.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING

from steadyhand import __version__
from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.wire import Request
from steadyhand.llm.assemble import Assembler
from steadyhand.llm.body import body
from steadyhand.llm.endpoint import Endpoint, Secret
from steadyhand.llm.failures import refused
from steadyhand.llm.provider import Kind, ProviderError, ProviderEvent
from steadyhand.llm.retrying import Retries, retrying

if TYPE_CHECKING:
    import httpx

Pause = Callable[[float], Awaitable[None]]
MAX_ERROR_BYTES = 64_000
GRACE_SECONDS = 0.5
"""How long, after the end mark, the connection may stay open: some servers never close it, others say something more."""


class OpenAICompat:
    """A provider that speaks to the chat-completions door of a server. *transport* is httpx's, for tests."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        clock: Clock,
        pause: Pause = asyncio.sleep,
        transport: "httpx.AsyncBaseTransport | None" = None,
        retries: Retries | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self._pause = pause
        self._transport = transport
        self._retries = retries or Retries(endpoint.attempts)
        self._client: httpx.AsyncClient | None = None
        self._may_be_stale = False

    async def aclose(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Yield pieces of text, then one completion; see `Provider`. Raises `SettingsInvalid` when the key is not to be had."""
        sent = json.dumps(self.body(request), ensure_ascii=False).encode("utf-8", "replace")
        secret = self.endpoint.key.read()
        async with aclosing(retrying(lambda: self._once(request, sent, secret), self._retries, self._pause)) as events:
            async for event in events:
                yield event

    def body(self, request: Request) -> Mapping[str, Json]:
        """Return the body that is sent for *request*."""
        endpoint = self.endpoint
        sent: dict[str, Json] = {**endpoint.extra, "model": endpoint.model, "stream": True}
        sent |= body(request, reasoning_back=endpoint.reasoning_back)
        if endpoint.stream_usage:
            sent["stream_options"] = {"include_usage": True}
        if endpoint.max_tokens is not None:
            sent["max_tokens"] = endpoint.max_tokens
        if endpoint.temperature is not None:
            sent["temperature"] = endpoint.temperature
        if request.tools and endpoint.tool_choice is not None:
            sent["tool_choice"] = endpoint.tool_choice
        return sent

    async def _once(self, request: Request, sent: bytes, secret: Secret | None) -> AsyncGenerator[ProviderEvent, None]:
        """Make the request once. Whatever the server says in a failure, the key is not in what is raised."""
        deadline = self._clock.monotonic() + self.endpoint.limits.total
        try:
            response = await self._sent(sent, secret, deadline)
            try:
                if not response.is_success:
                    told = await self._told(response, deadline)
                    raise refused(response.status_code, _lower(response.headers), told, self._clock.now())
                async with aclosing(self._answer(response, Assembler(request.tools), deadline)) as events:
                    async for event in events:
                        yield event
            finally:
                await response.aclose()
        except ProviderError as error:
            if secret is not None and secret.hidden_in(error.about) != error.about:
                error = _with_about(error, secret.hidden_in(error.about))  # what is raised from here on holds no key
            raise self._named(error) from None

    def _named(self, error: ProviderError) -> ProviderError:
        key = self.endpoint.key
        return error.at(address=self.endpoint.base_url, model=self.endpoint.model, place=key.env or str(key.file or ""))

    async def _sent(self, sent: bytes, secret: Secret | None, deadline: float) -> "httpx.Response":
        import httpx  # noqa: PLC0415  # slow, and nobody without a server needs it

        client = self._open()
        headers = {} if secret is None else {"authorization": f"Bearer {secret.reveal()}"}
        posted = client.build_request("POST", self.endpoint.url, content=sent, headers=headers)
        try:
            async with asyncio.timeout(self._left(self.endpoint.limits.first_byte, deadline)):
                return await self._posted(client, posted)
        except TimeoutError:
            raise ProviderError("provider", "silent", about=self.endpoint.host) from None
        except httpx.TransportError as error:  # nothing was answered, so that asking again takes nothing twice
            about = f"{self.endpoint.host}: {str(error) or type(error).__name__}"
            raise ProviderError("provider", "unreachable", about=about, retryable=True) from None

    async def _posted(self, client: "httpx.AsyncClient", posted: "httpx.Request") -> "httpx.Response":
        """Send; when a connection kept from an earlier answer turns out to be closed (llama.cpp's is), send once more at once."""
        import httpx  # noqa: PLC0415  # see above

        stale, self._may_be_stale = self._may_be_stale, False
        try:
            response = await client.send(posted, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError):
            if not stale:
                raise
            response = await client.send(posted, stream=True)
        self._may_be_stale = True
        return response

    async def _answer(
        self, response: "httpx.Response", assembler: Assembler, deadline: float
    ) -> AsyncGenerator[ProviderEvent, None]:
        import httpx  # noqa: PLC0415  # see above

        chunks = response.aiter_bytes().__aiter__()
        broken = False
        wait = self.endpoint.limits.first_byte
        while True:
            try:
                async with asyncio.timeout(self._left(GRACE_SECONDS if assembler.done else wait, deadline)):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                break
            except TimeoutError:
                if not assembler.done:
                    raise ProviderError("truncated", "silent", about=self.endpoint.host, retryable=True) from None
                break
            except httpx.DecodingError:
                raise ProviderError("protocol", "not_utf8") from None
            except httpx.TransportError:
                broken = True
                break
            wait = self.endpoint.limits.between
            for delta in assembler.feed(chunk):
                yield delta
        yield assembler.end(broken=broken)

    async def _told(self, response: "httpx.Response", deadline: float) -> bytes:
        """Return the beginning of what a failure says; that it is slow or broken hides nothing of the failure itself."""
        import httpx  # noqa: PLC0415  # see above

        told = b""
        try:
            async with asyncio.timeout(self._left(self.endpoint.limits.between, deadline)):
                async for chunk in response.aiter_bytes():
                    told += chunk
                    if len(told) > MAX_ERROR_BYTES:
                        break
        except (TimeoutError, httpx.HTTPError):
            pass
        return told[:MAX_ERROR_BYTES]

    def _left(self, wait: float, deadline: float) -> float:
        return max(min(wait, deadline - self._clock.monotonic()), 0.0)

    def _open(self) -> "httpx.AsyncClient":
        if self._client is not None:
            return self._client
        import httpx  # noqa: PLC0415  # see above

        endpoint = self.endpoint
        headers = {
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": f"steadyhand/{__version__}",
        }
        try:
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(None, connect=endpoint.limits.connect),
                trust_env=not endpoint.is_near,
                verify=endpoint.url.startswith("https:"),
                transport=self._transport,
            )
        except (ImportError, ValueError):  # a proxy of the environment that cannot be used; its address may hold a password
            raise ProviderError("provider", "proxy_unusable") from None
        return self._client


def _lower(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _with_about(error: ProviderError, about: str) -> ProviderError:
    kind: Kind = error.kind
    return ProviderError(
        kind,
        error.reason,
        about=about,
        retryable=error.retryable,
        retry_after=error.retry_after,
        status=error.status,
        answer=error.answer,
    )
