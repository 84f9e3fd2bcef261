"""Decides how one text is fetched from the web: hop by hop through the guard, within limits of time, size and redirects.

It must not send a credential, keep a cookie, or read a body that is no text.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyhand import __version__
from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.net.guarding import Guard
from steadyhand.tools.net.places import Place, next_place, place_of
from steadyhand.tools.net.unpacking import ACCEPTED, Unpacker

if TYPE_CHECKING:
    import httpx

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
AGENT = f"steadyhand/{__version__}"
_MEDIA = re.compile(r"[a-z0-9]{1,30}/[a-z0-9.+-]{1,60}")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one fetch may take: bytes (packed and unpacked), seconds in all, seconds to connect, redirects."""

    max_bytes: int
    seconds: float
    connect_seconds: float = 10.0
    redirects: int = MAX_REDIRECTS


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body as it came: where it was found in the end, its type, and whether it was longer than what was read."""

    url: str
    media: str
    charset: str
    body: bytes
    cut: bool


MakeTransport = Callable[[Guard], "httpx.AsyncBaseTransport"]


def guarded(guard: Guard) -> "httpx.AsyncBaseTransport":
    """Return the transport that connects where *guard* lets it."""
    from steadyhand.tools.net.transport import GuardedTransport  # noqa: PLC0415  # slow to import, and few commands fetch

    return GuardedTransport(guard)


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches through *guard*; *transport* is exchanged in tests alone."""

    guard: Guard
    limits: Limits
    transport: MakeTransport = guarded

    async def fetch(self, url: str, takes: Callable[[str], bool], accept: str) -> Fetched:
        """Return the body at *url* whose media type *takes* accepts; every other outcome raises `ToolRefusal`."""
        import httpcore  # noqa: PLC0415  # slow to import, and few commands fetch
        import httpx  # noqa: PLC0415  # as above

        place = place_of(url)
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._hops(place, takes, accept)
        except (TimeoutError, httpcore.TimeoutException):
            raise ToolRefusal("web_timed_out", host=place.host, seconds=self.limits.seconds) from None
        except (OSError, httpcore.ConnectError):
            raise ToolRefusal("web_unreachable", host=place.host) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, httpx.InvalidURL):
            raise ToolRefusal("web_answer_broken", host=place.host) from None

    async def _hops(self, place: Place, takes: Callable[[str], bool], accept: str) -> Fetched:
        for _ in range(self.limits.redirects + 1):
            self.guard.check(place)
            async with self._asked(place, accept) as response:
                location = response.headers.get("location", "")
                if response.status_code not in REDIRECTS or not location:
                    return await self._read(place, response, takes)
            place = next_place(place, location)
        raise ToolRefusal("web_redirected_too_often", count=self.limits.redirects)

    @asynccontextmanager
    async def _asked(self, place: Place, accept: str) -> AsyncGenerator["httpx.Response"]:
        """Ask for *place* with a client of its own, so that nothing is carried from one hop to the next."""
        import httpx  # noqa: PLC0415  # as above

        limits = httpx.Timeout(self.limits.seconds, connect=self.limits.connect_seconds)
        headers = {"User-Agent": AGENT, "Accept": accept, "Accept-Encoding": ACCEPTED}
        async with (
            httpx.AsyncClient(transport=self.transport(self.guard), trust_env=False, timeout=limits, headers=headers) as client,
            client.stream("GET", place.url, follow_redirects=False) as response,
        ):
            yield response

    async def _read(self, place: Place, response: "httpx.Response", takes: Callable[[str], bool]) -> Fetched:
        if not response.is_success:
            raise ToolRefusal("web_status", host=place.host, status=response.status_code)
        media, charset = media_of(response.headers)
        if not takes(media):
            size = response.headers.get("content-length", "")
            known = size if size.isascii() and size.isdigit() and len(size) < 16 else "?"
            raise ToolRefusal("web_no_text", media=media or "?", size=known)
        unpacker, raw = Unpacker(response.headers.get("content-encoding", ""), self.limits.max_bytes), 0
        async for piece in response.aiter_raw():
            raw += len(piece)
            unpacker.take(piece)
            if unpacker.full or raw > self.limits.max_bytes:
                return Fetched(place.url, media, charset, unpacker.kept, cut=True)
        return Fetched(place.url, media, charset, unpacker.kept, cut=False)


def media_of(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the media type and the charset that *headers* name, in lower case; each may be empty."""
    media, _, rest = headers.get("content-type", "").partition(";")
    charset = ""
    for part in rest.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip(" \t\"'").lower()
    media = media.strip().lower()
    return media if _MEDIA.fullmatch(media) else "", charset
