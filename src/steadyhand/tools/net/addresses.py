"""Decides to which kind of network an address belongs; it must not resolve a name or open a connection.

Only what is listed as public is public: an address of a kind that nobody thought of is *reserved*.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Kind: TypeAlias = Literal[
    "public", "private", "loopback", "shared", "link_local", "multicast", "unspecified", "reserved", "transition"
]

OWN_NETWORK: frozenset[Kind] = frozenset({"private", "loopback", "shared"})
"""Kinds that a person's own network has; a host that the settings allow by name may be of these."""

_V4: Mapping[IPv4Network, Kind] = {
    IPv4Network("0.0.0.0/32"): "unspecified",
    IPv4Network("0.0.0.0/8"): "reserved",
    IPv4Network("10.0.0.0/8"): "private",
    IPv4Network("100.64.0.0/10"): "shared",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("169.254.0.0/16"): "link_local",
    IPv4Network("172.16.0.0/12"): "private",
    IPv4Network("192.0.0.0/24"): "reserved",
    IPv4Network("192.0.2.0/24"): "reserved",  # documentation
    IPv4Network("192.88.99.0/24"): "transition",  # 6to4 relays
    IPv4Network("192.168.0.0/16"): "private",
    IPv4Network("198.18.0.0/15"): "reserved",  # benchmarks
    IPv4Network("198.51.100.0/24"): "reserved",  # documentation
    IPv4Network("203.0.113.0/24"): "reserved",  # documentation
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved",
}

_V6: Mapping[IPv6Network, Kind] = {
    IPv6Network("::/128"): "unspecified",
    IPv6Network("::1/128"): "loopback",
    IPv6Network("::ffff:0:0/96"): "transition",  # IPv4-mapped: the system would connect to that IPv4 address
    IPv6Network("::/96"): "transition",  # IPv4-compatible
    IPv6Network("2001::/23"): "transition",  # Teredo, ORCHID and other protocols
    IPv6Network("2001:db8::/32"): "reserved",  # documentation
    IPv6Network("2002::/16"): "transition",  # 6to4
    IPv6Network("3fff::/20"): "reserved",  # documentation
    IPv6Network("fc00::/7"): "private",
    IPv6Network("fe80::/10"): "link_local",
    IPv6Network("fec0::/10"): "private",  # site-local
    IPv6Network("ff00::/8"): "multicast",
}

_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_V6 = IPv6Network("2000::/3")
_LOW_32 = 0xFFFF_FFFF
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""The upper half of an interface id that carries an IPv4 address to tunnel to."""


def kind_of(address: Address) -> Kind:
    """Return the kind of *address*. Behind a NAT64 prefix it is the IPv4 address inside that counts."""
    if isinstance(address, IPv4Address):
        found: Kind | None = next((kind for network, kind in _V4.items() if address in network), None)
        return found or "public"
    if address.scope_id is not None:
        return "link_local"
    if address in _NAT64:
        return kind_of(IPv4Address(int(address) & _LOW_32))
    listed: Kind | None = next((kind for network, kind in _V6.items() if address in network), None)
    if listed is not None:
        return listed
    if address not in _GLOBAL_V6:
        return "reserved"
    return "transition" if (int(address) >> 32) & _LOW_32 in _ISATAP else "public"
