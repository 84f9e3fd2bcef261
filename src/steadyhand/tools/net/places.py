"""Decides whether a URL names a place that may be asked for at all, by its text alone; it must not resolve or repair anything.

A host is a proper name or an address in its one canonical form: whatever some program somewhere reads as an address (decimal,
octal, hexadecimal and short forms) and is not written as one is refused, so that nothing is read in two ways.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.net.addresses import Address

MAX_URL = 4_096
MAX_NAME = 253
DEFAULT_PORTS = {"http": 80, "https": 443}

_AUTHORITY = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:/?#@%\\]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one request goes; *host* is a name in its ASCII form or an address without brackets."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def url(self) -> str:
        """The URL in its normal form, without what only a browser looks at (the part after #)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if DEFAULT_PORTS[self.scheme] == self.port else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"


def place_of(url: str) -> Place:
    """Read *url*; one that may not be asked for raises `ToolRefusal`, saying why."""
    text = url.strip(" ")
    if len(text) > MAX_URL or "\\" in text or not all(mark.isprintable() and not mark.isspace() for mark in text):
        raise ToolRefusal("web_url_bad")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ToolRefusal("web_url_bad") from None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS:
        raise ToolRefusal("web_scheme_refused")
    if "@" in parts.netloc:
        raise ToolRefusal("web_credentials_refused")
    found = _AUTHORITY.fullmatch(parts.netloc)
    if found is None:
        raise ToolRefusal("web_host_refused")
    port = int(found["port"]) if found["port"] else DEFAULT_PORTS[scheme]
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Place(scheme, host_of(found["host"]), port, target)


def next_place(place: Place, location: str) -> Place:
    """Return where a redirect from *place* leads; one from https to http raises `ToolRefusal`."""
    try:
        joined = urljoin(place.url, location.strip(" \t"))
    except ValueError:
        raise ToolRefusal("web_url_bad") from None
    led = place_of(joined)
    if place.scheme == "https" and led.scheme == "http":
        raise ToolRefusal("web_downgrade_refused")
    return led


def host_of(text: str) -> str:
    """Return the one form of a host: a name in ASCII and lower case, or a canonical address; else `ToolRefusal`."""
    if text.startswith("["):
        try:
            return str(ipaddress.IPv6Address(text[1:-1]))
        except ValueError:
            raise ToolRefusal("web_host_refused") from None
    name = text.lower() if text.isascii() else _to_ascii(text)
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        return _dotted_quad(text)
    if len(name) > MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise ToolRefusal("web_host_refused")
    return name


def literal(host: str) -> Address | None:
    """Return the address that a host of a `Place` is; None when it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _dotted_quad(text: str) -> str:
    """Take four decimal numbers without leading zeros, as they were written, and nothing else."""
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise ToolRefusal("web_host_refused") from None


def _to_ascii(text: str) -> str:
    import idna  # noqa: PLC0415  # its tables are large, and few hosts need them

    try:
        name = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise ToolRefusal("web_host_refused") from None
    if not any(label.startswith("xn--") for label in name.split(".")):
        raise ToolRefusal("web_host_refused")  # full-width letters or digits: an ASCII name in disguise
    return name.lower()
