"""Where a request came from: the connection's address, or what trusted proxies say of it."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authservice.settings.parsing import IPNetwork

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Other headers in which proxies name the sender, or themselves.
_ALSO_FORWARDING = ("HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")
# Headers in which they describe the request that they received.
_OF_A_PROXY = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")
_BLANKS = " \t"
# A zone is the name of an interface, which is stored: Linux has room for 15 characters.
_IPV6 = r"[0-9A-Fa-f:.]+(?:%[0-9A-Za-z._~-]{1,15})?"
# Without brackets, what follows the last colon of an IPv6 address is a part of it.
_NODE = re.compile(rf"(?:\[({_IPV6})\]|([0-9.]+))(?::([0-9]{{1,5}}))?|({_IPV6})")
_LAST_PORT = 65535
# Longer than an IPv6 address with its zone and its port, in brackets and quotes.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class UnreadableAddress:
    """What a trusted proxy wrote in place of an address."""

    text: str


def sender_of(
    environ: Mapping[str, Any], trusted: Sequence[IPNetwork]
) -> IPAddress | UnreadableAddress | None:
    """Return the nearest address that is not a trusted proxy's, or None when there is none.

    X-Forwarded-For is read from the right, as far as trusted proxies wrote it: what stands
    further left is whatever the sender claimed. An entry may have quotes, brackets and a port, as
    a node of RFC 7239, section 6, has. One that is no address is the sender, as it is written.
    """
    address = _parse(environ.get("REMOTE_ADDR", ""))
    forwarded = environ.get("HTTP_X_FORWARDED_FOR")
    entries = [] if forwarded is None else str(forwarded).split(",")
    while address is not None and entries and _is_in(address, trusted):
        entry = entries.pop()
        address = _parse(entry)
        if address is None:
            return UnreadableAddress(entry.strip(_BLANKS))
    return address


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
        # A program on this machine has no reason to ask it by the public name.
        by_proxy = _is_loopback(_parse(remote)) and host == public_host
        return forwarded is None and not signs and not by_proxy
    if forwarded is not None:
        return not isinstance(sender_of(environ, trusted), UnreadableAddress)
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
    text = text.strip(_BLANKS)
    return _read(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _read(text: str) -> IPAddress | None:
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    node = _NODE.fullmatch(text)
    if node is None or int(node[3] or 0) > _LAST_PORT:
        return None
    try:
        address = ipaddress.ip_address(node[1] or node[2] or node[4])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
