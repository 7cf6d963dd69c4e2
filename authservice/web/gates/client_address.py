"""Where a request came from: the connection's address, or what trusted proxies say of it."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any

from authservice.settings.parsing import IPNetwork

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Other headers in which proxies name the sender, or themselves.
_ALSO_FORWARDING = ("HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")
# Headers in which they describe the request that they received.
_OF_A_PROXY = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")


def client_address(environ: Mapping[str, Any], trusted: Sequence[IPNetwork]) -> str | None:
    """Return the nearest address that is not a trusted proxy's, or None when there is none.

    X-Forwarded-For is read from the right, as far as trusted proxies wrote it: what stands
    further left is whatever the sender claimed.
    """
    address = _parse(environ.get("REMOTE_ADDR", ""))
    hops = str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    while address is not None and hops and _is_in(address, trusted):
        nearer = _parse(hops.pop())
        if nearer is None:
            break
        address = nearer
    return None if address is None else str(address)


def is_sender_known(
    environ: Mapping[str, Any], trusted: Sequence[IPNetwork], public_host: str | None
) -> bool:
    """Tell whether the address of the sender is known, and not only that of a proxy in between.

    A trusted proxy has to give a readable address. Without one, a request for our public host, or
    with any other sign of a proxy, came through a proxy. What comes through a proxy that is
    not trusted has an unknown sender too; one on this machine may give no other sign than our name.
    """
    forwarded = environ.get("HTTP_X_FORWARDED_FOR")
    signs = any(name in environ for name in (*_ALSO_FORWARDING, *_OF_A_PROXY))
    host = re.sub(r":\d*$", "", str(environ.get("HTTP_HOST", "")).lower())
    remote = str(environ.get("REMOTE_ADDR", ""))
    if not is_trusted(remote, trusted):
        # Who asks this machine itself has no reason to do so by the public name.
        by_proxy = _is_loopback(_parse(remote)) and host == public_host
        return forwarded is None and not signs and not by_proxy
    if forwarded is not None:
        return _parse(str(forwarded).rpartition(",")[2]) is not None
    return not signs and host != public_host


def is_trusted(address: str, trusted: Sequence[IPNetwork]) -> bool:
    """Tell whether an address is that of a trusted proxy."""
    parsed = _parse(address)
    return parsed is not None and _is_in(parsed, trusted)


def is_from_operator(environ: Mapping[str, Any], trusted: Sequence[IPNetwork]) -> bool:
    """Tell whether this machine or a trusted proxy asks for itself, and not for a stranger.

    A proxy on this machine that is not named as trusted passes strangers on from loopback. What
    it says of them is not believed, but that it says something is noticed.
    """
    asking = [str(environ.get("REMOTE_ADDR", ""))]
    if "HTTP_X_FORWARDED_FOR" in environ:
        asking += reversed(str(environ["HTTP_X_FORWARDED_FOR"]).split(","))
    elif any(name in environ for name in _ALSO_FORWARDING):
        return False
    *proxies, nearest = map(_parse, asking)
    if not all(address is not None and _is_in(address, trusted) for address in proxies):
        return False
    return nearest is not None and (_is_loopback(nearest) or _is_in(nearest, trusted))


def _is_loopback(address: IPAddress | None) -> bool:
    return address is not None and address.is_loopback


def _is_in(address: IPAddress, networks: Sequence[IPNetwork]) -> bool:
    return any(address in network for network in networks)


def _parse(text: str) -> IPAddress | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
