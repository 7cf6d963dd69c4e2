"""Which addresses a client may connect to, whatever the name in the URL.

A policy sees the address that packets end up at: IPv4 inside an IPv6 form is taken out first, so
that ``::ffff:127.0.0.1`` is judged as ``127.0.0.1``.

IANA's registries of special-purpose addresses are kept here, both as of 2025-10-09, still current
on 2026-09-17, and not those of the language, whose copy is as old as its release: for some of them
a private network was public.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

AddressPolicy = Callable[[IPv4Address | IPv6Address], bool]

# Forms of which the last 32 bits are the IPv4 address. NAT64 with a prefix of a network's own, as
# of 64:ff9b:1::/48 (RFC 8215), may hold it anywhere: nothing is taken out, so no policy for IPv4
# allows it.
_ENDING_IN_IPV4 = (
    IPv6Network("::ffff:0:0/96"),  # mapped, RFC 4291 section 2.5.5.2
    IPv6Network("::/96"),  # compatible, RFC 4291 section 2.5.5.1
    IPv6Network("::ffff:0:0:0/96"),  # translated, RFC 2765 section 2.1
    IPv6Network("64:ff9b::/96"),  # NAT64, RFC 6052 section 2.1
)
# The unspecified address and loopback only look like compatible ones.
_OF_IPV6_ITSELF = IPv6Network("::/127")
# What an interface identifier of ISATAP begins with, but for the bit that says whether the IPv4
# address behind it is unique (RFC 5214, section 6.1).
_ISATAP = 0x00005EFE
_UNIQUE = 0x02000000
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


def allow_networks(*networks: str) -> AddressPolicy:
    """Return a policy that allows the addresses of these networks, such as ``10.0.0.0/8``."""
    allowed = [ip_network(network) for network in networks]
    return lambda address: any(address in network for network in allowed)


def public_addresses_only(address: IPv4Address | IPv6Address) -> bool:
    """Allow globally reachable addresses, by IANA's registries of special-purpose addresses.

    An ISATAP address needs a public prefix and a public IPv4 address. Teredo is refused, whatever
    it holds.
    """
    end = _end(address)
    if not is_reachable_for_everybody(end):
        return False
    inside = _inside_isatap(end)
    return inside is None or is_reachable_for_everybody(inside)


def destination(address: str) -> IPv4Address | IPv6Address:
    """Return the address that packets sent to ``address`` end up at."""
    return _end(ip_address(address))


def _end(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address) or address in _OF_IPV6_ITSELF:
        return address
    if any(address in form for form in _ENDING_IN_IPV4):
        return IPv4Address(address.packed[-4:])
    return address.sixtofour or address


def _inside_isatap(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    beginning = int.from_bytes(address.packed[8:12])
    return IPv4Address(address.packed[12:]) if beginning & ~_UNIQUE == _ISATAP else None


def is_reachable_for_everybody(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is globally reachable."""
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    special = any(address in network for network in _SPECIAL)
    return not special or any(address in network for network in _REACHABLE)
