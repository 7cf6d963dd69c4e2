"""Where a request came from: the connection's address, or what trusted proxies say of it."""

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from authservice.settings.parsing import IPNetwork


def client_address(environ: Mapping[str, Any], trusted: Sequence[IPNetwork]) -> str | None:
    """Return the nearest address that is not a trusted proxy's, or None when there is none.

    X-Forwarded-For is read from the right, as far as trusted proxies wrote it: what stands
    further left is whatever the sender claimed.
    """
    address = _parse(environ.get("REMOTE_ADDR", ""))
    hops = str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    while address is not None and hops and any(address in network for network in trusted):
        nearer = _parse(hops.pop())
        if nearer is None:
            break
        address = nearer
    return None if address is None else str(address)


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
