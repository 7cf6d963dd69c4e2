"""Which addresses a client may connect to, whatever the name in the URL.

A policy sees the address that packets end up at: IPv4 inside an IPv6 form is taken out first, so
that ``::ffff:127.0.0.1`` is judged as ``127.0.0.1``.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from authservice.httpclient.wire.special_addresses import is_reachable_for_everybody

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
