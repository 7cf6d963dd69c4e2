"""Which addresses a client may connect to, whatever the name in the URL.

A policy sees the address that packets end up at: IPv4 inside an IPv6 form is taken out first, so
that ``::ffff:127.0.0.1`` is judged as ``127.0.0.1``.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

AddressPolicy = Callable[[IPv4Address | IPv6Address], bool]

_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052 section 2.1: the last 32 bits are the IPv4 address


def allow_networks(*networks: str) -> AddressPolicy:
    """Return a policy that allows the addresses of these networks, such as ``10.0.0.0/8``."""
    allowed = [ip_network(network) for network in networks]
    return lambda address: any(address in network for network in allowed)


def public_addresses_only(address: IPv4Address | IPv6Address) -> bool:
    """Allow what is reachable for everybody: no loopback, private, link-local or multicast."""
    return address.is_global and not address.is_multicast


def destination(address: str) -> IPv4Address | IPv6Address:
    """Return the address that packets sent to ``address`` end up at."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return parsed
    if parsed in _NAT64:
        return IPv4Address(parsed.packed[-4:])
    return parsed.ipv4_mapped or parsed.sixtofour or parsed
