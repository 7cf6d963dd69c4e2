"""Which addresses are globally reachable, by IANA's registries of special-purpose addresses.

Both registries as of 2025-10-09, still current on 2026-09-17. They are kept here and not asked of
the language, whose copy is as old as its release: for some of them a private network was public.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

_Network = IPv4Network | IPv6Network

# What is allocated at all (RFC 4291, section 2.4): site-local addresses, fec0::/10, are not.
_GLOBAL_UNICAST = IPv6Network("2000::/3")

# Each block that is not globally reachable, or of which the registry does not say so.
_SPECIAL: tuple[_Network, ...] = (
    IPv4Network("0.0.0.0/8"),  # this network, RFC 791
    IPv4Network("10.0.0.0/8"),  # private use, RFC 1918
    IPv4Network("100.64.0.0/10"),  # shared address space, RFC 6598
    IPv4Network("127.0.0.0/8"),  # loopback, RFC 1122
    IPv4Network("169.254.0.0/16"),  # link-local, RFC 3927
    IPv4Network("172.16.0.0/12"),  # private use, RFC 1918
    IPv4Network("192.0.0.0/24"),  # protocol assignments, RFC 6890
    IPv4Network("192.0.2.0/24"),  # documentation, RFC 5737
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, RFC 7526
    IPv4Network("192.168.0.0/16"),  # private use, RFC 1918
    IPv4Network("198.18.0.0/15"),  # benchmarking, RFC 2544
    IPv4Network("198.51.100.0/24"),  # documentation, RFC 5737
    IPv4Network("203.0.113.0/24"),  # documentation, RFC 5737
    IPv4Network("224.0.0.0/4"),  # multicast, RFC 5771
    IPv4Network("240.0.0.0/4"),  # reserved and limited broadcast, RFC 1112 and RFC 8190
    IPv6Network("2001::/23"),  # protocol assignments, RFC 2928; Teredo, RFC 4380, among them
    IPv6Network("2001:db8::/32"),  # documentation, RFC 3849
    IPv6Network("2002::/16"),  # 6to4, RFC 3056
    IPv6Network("3fff::/20"),  # documentation, RFC 9637
)

# The parts of them that the registries call globally reachable all the same.
_REACHABLE: tuple[_Network, ...] = (
    IPv4Network("192.0.0.9/32"),  # anycast for port control, RFC 7723
    IPv4Network("192.0.0.10/32"),  # anycast for TURN, RFC 8155
    IPv6Network("2001:1::1/128"),  # anycast for port control, RFC 7723
    IPv6Network("2001:1::2/128"),  # anycast for TURN, RFC 8155
    IPv6Network("2001:1::3/128"),  # anycast for service registration, RFC 9665
    IPv6Network("2001:3::/32"),  # multicast by tunnels, RFC 7450
    IPv6Network("2001:4:112::/48"),  # AS112, RFC 7535
    IPv6Network("2001:20::/28"),  # ORCHIDv2, RFC 7343
    IPv6Network("2001:30::/28"),  # identifiers of drones, RFC 9374
)


def is_reachable_for_everybody(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is globally reachable."""
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    special = any(address in network for network in _SPECIAL)
    return not special or any(address in network for network in _REACHABLE)
