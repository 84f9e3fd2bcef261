"""Decides which addresses a request may connect to: every address of a name is looked at, and one bad one spoils all.

It must not connect. What it answers is what is connected to; a name is never looked up a second time for the same connection.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeAlias

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.net.addresses import OWN_NETWORK, Address, kind_of
from steadyhand.tools.net.places import Place, host_of, literal

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""Returns every address of a name as text; an unknown name raises `OSError` or gives none."""

MAX_ADDRESSES = 64


async def system_resolve(name: str) -> Sequence[str]:
    """Ask the system for the addresses of *name*."""
    found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Guard:
    """The rules of one way out: *ports* that may be asked, *own* hosts that may lie in the person's own network."""

    def __init__(self, resolve: Resolve, *, ports: Collection[int], own: Collection[str] = ()) -> None:
        self._resolve = resolve
        self._ports = frozenset(ports)
        self._own = frozenset(host_of(f"[{host}]" if ":" in host else host) for host in own)

    def check(self, place: Place) -> None:
        """Refuse what can be refused before anything is looked up; raises `ToolRefusal`."""
        if place.port not in self._ports:
            raise ToolRefusal("web_port_refused", port=place.port)
        address = literal(place.host)
        if address is not None:
            self._check_address(place.host, address)

    async def addresses(self, host: str, port: int) -> list[Address]:
        """Return the addresses that a connection to *host* may use, all of them checked; raises `ToolRefusal`."""
        if port not in self._ports:
            raise ToolRefusal("web_port_refused", port=port)
        given = literal(host)
        if given is not None:
            self._check_address(host, given)
            return [given]
        found = await self._look_up(host_of(host))
        for address in found:
            self._check_address(host, address)
        return found

    async def _look_up(self, name: str) -> list[Address]:
        try:
            answers = await self._resolve(name)
        except (OSError, UnicodeError):
            raise ToolRefusal("web_name_unknown", host=name) from None
        if not answers:
            raise ToolRefusal("web_name_unknown", host=name)
        if len(answers) > MAX_ADDRESSES:
            raise ToolRefusal("web_address_refused", host=name)
        try:
            return [ipaddress.ip_address(answer) for answer in answers]
        except ValueError:  # a resolver that answers with something else is not trusted with the rest either
            raise ToolRefusal("web_address_refused", host=name) from None

    def _check_address(self, host: str, address: Address) -> None:
        kind = kind_of(address)
        if kind == "public" or (host in self._own and kind in OWN_NETWORK):
            return
        raise ToolRefusal("web_address_refused", host=host)
