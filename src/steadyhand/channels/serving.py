"""Decides where the channels listen, by which names they may be asked for, and how much one connection may take. It must not let anybody in."""

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Generator, Sequence

import uvicorn
from starlette.types import ASGIApp

from steadyhand.channels.onebot.endpoint import MOST_CHARACTERS
from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.http_patience import Patience, patient

MOST_FRAME_BYTES = 4 * MOST_CHARACTERS
MOST_CONNECTIONS = 200
SECONDS_TO_CLOSE = 5
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at the place; port 0 takes any that is free."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            "127.0.0.1" if host == "localhost" else host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind)
    except OSError as error:
        raise _cannot(host, port, error) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()
    except OSError as error:
        bound.close()
        raise _cannot(host, port, error) from None
    return bound


def _cannot(host: str, port: int, error: OSError) -> OperatorRepairs:
    return OperatorRepairs("channel_cannot_listen", place=f"{host}:{port}", reason=error.strerror or type(error).__name__)


def names_of(host: str, port: int, allowed: Sequence[str]) -> frozenset[str]:
    """Return the names, with their port, by which requests may ask for us: *allowed* ones, and our own address."""
    if host in {"0.0.0.0", "::"} and not allowed:  # noqa: S104  # compared, not bound
        raise OperatorRepairs("channel_names_missing", host=host)
    own = LOOPBACK_NAMES if _is_loopback(host) else () if host in {"0.0.0.0", "::"} else (_written(host),)  # noqa: S104  # as above
    names = {name.lower() for name in (*own, *allowed)}
    return frozenset({*(f"{name}:{port}" for name in names), *(name.lower() for name in allowed), *(names if port == 80 else ())})


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Server(uvicorn.Server):
    """A server whose end is its caller's business, signals included."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def serve(app: ASGIApp, bound: socket.socket, stop: asyncio.Event) -> None:
    """Serve *app* on *bound* until *stop* is set, then let go of it."""
    config = uvicorn.Config(
        app,
        http=patient(Patience()),
        ws="websockets-sansio",
        ws_max_size=MOST_FRAME_BYTES,
        ws_ping_interval=20.0,
        ws_ping_timeout=30.0,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_CLOSE,
        lifespan="on",
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        stopping.cancel()
        await asyncio.shield(serving)
