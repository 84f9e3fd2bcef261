"""Decides who may reach the MCP server over HTTP, and where it listens: this machine, with the token, by a name that is its own.

A page in a browser can reach any address of its machine, by a name that it makes lead there: so the names that requests are
addressed to, and the pages that they come from, are checked before anything else. It must not show the token.
"""

import hmac
import ipaddress
import os
import socket
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from steadyhand.core.errors import SettingsInvalid, ToolRefusal
from steadyhand.core.http_patience import Patience, patient
from steadyhand.core.ids import new_id, new_secret
from steadyhand.server.mcp_parts import Parts
from steadyhand.server.mcp_server import serving

PATH = "/mcp"
MAX_BODY_BYTES = 1_200_000
"""A little more than the arguments of one call may have."""
MAX_SESSIONS = 100
MAX_CONNECTIONS = 200
MIN_TOKEN, MAX_TOKEN = 24, 512
SECONDS_TO_CLOSE = 2
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen: an address or a name, and a port (0: any that is free)."""

    host: str
    port: int

    @property
    def is_here(self) -> bool:
        """Whether this machine alone can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for every address of this machine."""
        return self.host in {"0.0.0.0", "::"}  # noqa: S104  # compared, not bound

    @property
    def written(self) -> str:
        """The host as it stands in an address."""
        return f"[{self.host}]" if ":" in self.host else self.host


def place_of(text: str) -> Place:
    """Read ``HOST:PORT``, ``[::1]:PORT`` or ``:PORT`` (this machine)."""
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    unusable = not colon or not (port.isascii() and port.isdigit()) or int(port) > 65_535 or (":" in host and "[" not in text)
    if unusable or any(mark.isspace() or mark in "/@?#" for mark in host):
        raise ToolRefusal("mcp_bad_place", place=text[:100])
    return Place(host or "127.0.0.1", int(port))


def listen(place: Place) -> socket.socket:
    """Return a socket that listens at *place* already: who connects before the server runs is served then."""
    host = "127.0.0.1" if place.host == "localhost" else place.host
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()
    except OSError as error:
        raise ToolRefusal("mcp_cannot_listen", place=f"{place.written}:{place.port}", reason=error.strerror or "") from None
    return bound


def names_of(place: Place, port: int, allowed: Sequence[str]) -> frozenset[str]:
    """Return the names, with their port, that a request may be addressed to."""
    own = LOOPBACK_NAMES if place.is_here else () if place.is_everywhere else (place.written,)
    names = {name.lower() for name in (*own, *allowed)}
    return frozenset({*(f"{name}:{port}" for name in names), *(names if port == 80 else ()), *(name.lower() for name in allowed)})


class Guard:
    """Lets through what is addressed to us by our own name, comes from no foreign page, and brings the token."""

    def __init__(self, app: ASGIApp, token: str, names: frozenset[str]) -> None:
        self._app = app
        self._credentials = f"Bearer {token}".encode()
        self._names = names
        self._origins = frozenset(f"{scheme}://{name}" for scheme in ("http", "https") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refused = self._refused(Headers(scope=scope))
        if refused is None:
            await self._app(scope, receive, send)
            return
        status, reason = refused
        headers = {"Connection": "close", **({"WWW-Authenticate": "Bearer"} if status == 401 else {})}
        await JSONResponse({"error": reason}, status, headers)(scope, receive, send)

    def _refused(self, headers: Headers) -> tuple[int, str] | None:
        hosts, origins, credentials = (headers.getlist(name) for name in ("host", "origin", "authorization"))
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return 421, "host_refused"
        if any(origin.lower() not in self._origins for origin in origins):
            return 403, "origin_refused"
        if len(credentials) != 1 or not hmac.compare_digest(credentials[0].encode(), self._credentials):
            return 401, "token_refused"
        return None


def guarded_app(parts: Parts, token: str, names: frozenset[str]) -> ASGIApp:
    """Return the server as a web application behind the guard."""
    checked = TransportSecuritySettings(
        enable_dns_rebinding_protection=False
    )  # by the guard, which knows small and large letters
    app = serving(parts).streamable_http_app(
        streamable_http_path=PATH,
        transport_security=checked,
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS,
    )
    return Guard(app, token, names)


async def serve_http(parts: Parts, bound: socket.socket, token: str, names: frozenset[str]) -> None:
    """Serve clients over HTTP on *bound* until the process is told to end."""
    config = uvicorn.Config(
        guarded_app(parts, token, names),
        http=patient(Patience()),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_CLOSE,
        lifespan="on",
    )
    await uvicorn.Server(config).serve(sockets=[bound])


def token_of(file: Path) -> tuple[str, bool]:
    """Return the token that *file* holds, and whether it was made just now; a file that others can read is refused."""
    made = not file.exists() and _make(file)
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise SettingsInvalid("mcp_token_unreadable", file=str(file), reason=error.strerror or "") from None
    with os.fdopen(handle, "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise SettingsInvalid("mcp_token_open", file=str(file))
        text = opened.read(MAX_TOKEN + 2).decode("utf-8", "replace").strip()
    if not MIN_TOKEN <= len(text) <= MAX_TOKEN or not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsInvalid("mcp_token_unusable", file=str(file), least=MIN_TOKEN, most=MAX_TOKEN)
    return text, made


def _make(file: Path) -> bool:
    """Write a new token, whole or not at all; tell whether it was us, and not another process at the same moment."""
    beside = file.with_name(f"{file.name}.{new_id('new')}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as stream:
            stream.write(f"{new_secret()}\n")
        os.link(beside, file)
    except FileExistsError:
        return False
    except OSError as error:
        raise SettingsInvalid("mcp_token_unreadable", file=str(file), reason=error.strerror or "") from None
    finally:
        beside.unlink(missing_ok=True)
    return True
