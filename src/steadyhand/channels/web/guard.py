"""Decides what is let in: addressed to us by our own name, from no foreign page, with the token, and not too large. It must not read what it is.

A page in a browser can reach any address of its machine, by a name that it makes lead there: so names and pages are checked first.
"""

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steadyhand.channels.web.refusing import refusal
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language

MOST_BYTES = 256_000
OPEN = ("/healthz", "/readyz")
"""Whoever asks for these learns nothing but whether we are well."""
PROTOCOL = "steadyhand"
"""What a page names as its WebSocket's protocol, beside ``bearer.TOKEN``: it cannot send headers of its own there."""


class Guard:
    """Stands before the whole application; *elsewhere* are paths whose own door asks for its own token."""

    def __init__(
        self, app: ASGIApp, token: str, names: Collection[str], language: Language, elsewhere: Collection[str] = ()
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._names = frozenset(name.lower() for name in names)
        self._origins = frozenset(f"{scheme}://{name}" for scheme in ("http", "https") for name in self._names)
        self._language: Language = language
        self._elsewhere = frozenset(elsewhere)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (scope["type"] == "websocket" and scope["path"] in self._elsewhere):
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope, Headers(scope=scope))
        if refused is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif refused is not None:
            status, reason = refused
            await refusal(ToolRefusal("web_refused", reason=reason), self._language, status)(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._bounded(scope, receive, send)

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return 421, "host_refused"
        if any(origin.lower() not in self._origins for origin in headers.getlist("origin")):
            return 403, "origin_refused"
        if scope["type"] == "http" and scope["path"] in OPEN:
            return None
        given = [value.removeprefix("Bearer ") for value in headers.getlist("authorization") if value.startswith("Bearer ")]
        given += [name.removeprefix("bearer.") for name in scope.get("subprotocols", ()) if name.startswith("bearer.")]
        if len(given) != 1 or not hmac.compare_digest(given[0].encode("utf-8", "replace"), self._token):
            return 401, "token_refused"
        return None

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the whole body first, as far as it may go."""
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MOST_BYTES:
                await refusal(ToolRefusal("web_too_large", most=MOST_BYTES), self._language)(scope, receive, send)
                return
        handed = False

        async def whole() -> Message:
            nonlocal handed
            if handed:
                return await receive()
            handed = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self._app(scope, whole, send)
