"""Every address belongs to one kind of network, and only what is listed as public is public."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.tools.net.addresses import kind_of

KINDS = {
    "public": "1.1.1.1 8.8.8.8 93.184.215.14 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 198.17.0.1 198.20.0.1 223.255.255.255 "
    "2606:4700::1111 2001:4860:4860::8888 2400:cb00::1 2a00:1450::1 64:ff9b::808:808",
    "private": "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.255 fc00::1 fd12:3456:789a::1 fec0::1 "
    "64:ff9b::10.0.0.1 64:ff9b::c0a8:1",
    "loopback": "127.0.0.1 127.1.2.3 127.255.255.255 ::1 64:ff9b::7f00:1",
    "shared": "100.64.0.1 100.100.100.200 100.127.255.255",
    "link_local": "169.254.0.1 169.254.169.254 169.254.170.2 fe80::1 febf::1 fe80::1%eth0 2606:4700::1%1 64:ff9b::a9fe:a9fe",
    "multicast": "224.0.0.1 239.255.255.250 ff02::1 ff0e::1",
    "unspecified": "0.0.0.0 ::",
    "transition": "192.88.99.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:a00:1 ::7f00:1 ::10.0.0.1 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 "
    "2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:20::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:a00:1",
    "reserved": "0.1.2.3 192.0.0.1 192.0.0.170 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.7 240.0.0.1 255.255.255.255 "
    "2001:db8::1 3fff::1 100::1 64:ff9b:1::a00:1 5f00::1 4000::1 e000::1 1::1 64:ff9b::cb00:7107",
}
TABLE = [(address, kind) for kind, addresses in KINDS.items() for address in addresses.split()]


@pytest.mark.parametrize(("address", "kind"), TABLE)
def test_an_address_is_of_its_kind(address, kind):
    assert kind_of(ipaddress.ip_address(address)) == kind


@given(st.ip_addresses())
@settings(max_examples=500)
def test_what_python_knows_as_not_global_is_never_public(address):
    if kind_of(address) == "public" and address not in ipaddress.ip_network(
        "64:ff9b::/96" if address.version == 6 else "192.0.0.0/24"
    ):
        assert address.is_global


@given(st.ip_addresses(v=4), st.sampled_from(["::ffff:0:0", "::", "2002::", "64:ff9b::"]))
@settings(max_examples=300)
def test_an_ipv4_address_inside_an_ipv6_one_is_never_better_than_alone(inner, prefix):
    shift = 80 if prefix == "2002::" else 0
    outer = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | int(inner) << shift)
    if kind_of(outer) == "public":
        assert kind_of(inner) == "public"
