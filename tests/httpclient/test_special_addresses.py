"""The client's blocks against IANA's registries of special-purpose addresses, row by row.

Both registries as of 2025-10-09, still current on 2026-09-17: each block, and whether it is
globally reachable. Where they say nothing or that the question does not apply, it is not.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network

import pytest

from authservice.httpclient.address_policy import is_reachable_for_everybody

REGISTERED = {
    "0.0.0.0/8": False,
    "0.0.0.0/32": False,
    "10.0.0.0/8": False,
    "100.64.0.0/10": False,
    "127.0.0.0/8": False,
    "169.254.0.0/16": False,
    "172.16.0.0/12": False,
    "192.0.0.0/24": False,
    "192.0.0.0/29": False,
    "192.0.0.8/32": False,
    "192.0.0.9/32": True,
    "192.0.0.10/32": True,
    "192.0.0.170/32": False,
    "192.0.0.171/32": False,
    "192.0.2.0/24": False,
    "192.31.196.0/24": True,
    "192.52.193.0/24": True,
    "192.88.99.0/24": False,
    "192.88.99.2/32": False,
    "192.168.0.0/16": False,
    "192.175.48.0/24": True,
    "198.18.0.0/15": False,
    "198.51.100.0/24": False,
    "203.0.113.0/24": False,
    "240.0.0.0/4": False,
    "255.255.255.255/32": False,
    "::1/128": False,
    "::/128": False,
    "::ffff:0:0/96": False,
    "64:ff9b:1::/48": False,
    "100::/64": False,
    "100:0:0:1::/64": False,
    "2001::/23": False,
    "2001::/32": False,
    "2001:1::1/128": True,
    "2001:1::2/128": True,
    "2001:1::3/128": True,
    "2001:2::/48": False,
    "2001:3::/32": True,
    "2001:4:112::/48": True,
    "2001:10::/28": False,
    "2001:20::/28": True,
    "2001:30::/28": True,
    "2001:db8::/32": False,
    "2002::/16": False,
    "2620:4f:8000::/48": True,
    "3fff::/20": False,
    "5f00::/16": False,
    "fc00::/7": False,
    "fe80::/10": False,
    # The registry calls it reachable, for the IPv4 inside, as which the client judges it.
    "64:ff9b::/96": False,
    # Of the registries of address space: multicast, and what is allocated of IPv6.
    "224.0.0.0/4": False,
    "2000::/3": True,
}
BLOCKS = {ip_network(block): reachable for block, reachable in REGISTERED.items()}


def registered(address):
    """Return what the smallest block around an address says."""
    around = [block for block in BLOCKS if address in block]
    smallest = max(around, key=lambda block: block.prefixlen, default=None)
    return isinstance(address, IPv4Address) if smallest is None else BLOCKS[smallest]


def ends(block):
    """Return the first and the last address of a block, and those beside it."""
    family = type(block.network_address)
    first, last = int(block.network_address), int(block.broadcast_address)
    inside = range(1 << block.max_prefixlen)
    return [family(each) for each in (first - 1, first, last, last + 1) if each in inside]


@pytest.mark.attack("BROWSER-ssrf")
def test_each_block_ends_where_the_registry_says(subtests):
    for block in BLOCKS:
        with subtests.test(str(block)):
            judged = {address: is_reachable_for_everybody(address) for address in ends(block)}

            assert judged == {address: registered(address) for address in judged}


def test_both_families_are_compared():
    assert {type(block) for block in BLOCKS} == {IPv4Network, IPv6Network}
