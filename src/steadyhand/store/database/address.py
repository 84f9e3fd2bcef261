"""Decides how the database's URL is shown and what is blanked in a driver's words about it. It must not let out who signs in, and how."""

import re
from collections.abc import Iterator

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from steadyhand.core.hiding import HIDDEN

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?=://)")
_BETWEEN = re.compile(r"[\s=,;]+")
SHORTEST_PIECE = 4
"""A shorter piece of a parameter is blanked only as the whole value."""


def shown(address: str) -> str:
    """Return *address* with user, password and parameters blanked; only its scheme where its parts cannot be told for certain."""
    url = _parsed(address)
    if url is None or _is_torn(url):
        scheme = _SCHEME.match(address)
        return f"{scheme[0] if scheme else HIDDEN}://…"
    who = "" if url.username is None and url.password is None else f"{HIDDEN}@"
    host = f"[{url.host}]" if ":" in (url.host or "") else url.host or ""
    port = "" if url.port is None else f":{url.port}"
    name = "" if url.database is None else f"/{url.database}"
    return f"{url.drivername}://{who}{host}{port}{name}{f'?{HIDDEN}' if url.query else ''}"


def blanked(text: str, address: str) -> str:
    """Return *text* with whatever *address* says of user, password and parameters blanked in it."""
    for part in sorted(set(_secrets(address)), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", HIDDEN, text)
    return text


def _parsed(address: str) -> URL | None:
    try:
        return make_url(address)
    except (ArgumentError, ValueError):
        return None


def _is_torn(url: URL) -> bool:
    """Tell whether a piece of a password with a mark in it may have been read as host or name of a server's database."""
    return not url.drivername.startswith("sqlite") and "@" in f"{url.host}{url.database}"


def _secrets(address: str) -> Iterator[str]:
    url = _parsed(address)
    if url is None:
        yield from filter(None, (address, address.partition("://")[2]))
        return
    values = [url.username, url.password, *([url.host, url.database] if _is_torn(url) else [])]
    values += [value for given in url.query.values() for value in ([given] if isinstance(given, str) else given)]
    for value in filter(None, values):
        yield value
        yield from (piece for piece in _BETWEEN.split(value) if len(piece) >= SHORTEST_PIECE)
