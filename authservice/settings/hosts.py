"""Host names and origins: which are loopback, which are public suffixes, which are well formed."""

import ipaddress
import re
from functools import cache
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Browsers take a name that ends in a number, as 127.1 or 0x7f000001, for an address of IPv4 (URL
# Standard, section 3.5).
_HOST_NAME = re.compile(rf"(?:{_LABEL}\.)*(?!(?:\d+|0x[0-9a-f]*)$){_LABEL}")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_ip_address(host: str) -> bool:
    """Tell whether a host is an IP address, with or without the brackets of IPv6."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def is_host_name(host: str) -> bool:
    """Tell whether a host is a DNS name in lower case and ASCII, without a dot or a number last."""
    return len(host) <= 253 and bool(_HOST_NAME.fullmatch(host)) and not is_ip_address(host)  # noqa: PLR2004  (RFC 1035)


def is_loopback(host: str) -> bool:
    """Tell whether a host is localhost, a name below it, 127.0.0.1 or [::1]."""
    if host in {"localhost", "127.0.0.1", "[::1]"}:
        return True
    return host.endswith(".localhost") and is_host_name(host)


def is_own_machine(host: str) -> bool:
    """Tell whether a browser that is sent to a host stays on its own machine."""
    if is_loopback(host):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def within_domain(host: str, domain: str) -> bool:
    """Tell whether a host is a domain itself or lies below it."""
    return host == domain or host.endswith(f".{domain}")


def origin_of(url: str) -> str | None:
    """Return scheme, host and port of an address as a browser writes an origin, else None."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    # Some versions of Python pass over what stands before a bracket, and browsers refuse it.
    if "[" in parts.netloc.rpartition("@")[2][1:]:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    suffix = "" if port in {None, _DEFAULT_PORTS[parts.scheme]} else f":{port}"
    return f"{parts.scheme}://{host}{suffix}"


def host_of(origin: str) -> str:
    """Return the host of an origin, IPv6 in brackets, without the port."""
    host = origin.partition("://")[2]
    return host if host.endswith("]") else re.sub(r":\d+$", "", host)


def port_of(origin: str) -> int:
    """Return the port of an origin, which need not name that of its scheme."""
    parts = urlsplit(origin)
    return parts.port or _DEFAULT_PORTS[parts.scheme]


def _public_suffixes(domain: str) -> PublicSuffixList:
    return _suffix_list("xn--" in domain)


@cache
def _suffix_list(with_punycode: bool) -> PublicSuffixList:  # noqa: FBT001  (the key of the cache)
    # To write the whole list in punycode too takes the start 25 ms.
    return PublicSuffixList(accept_encoded_idn=with_punycode)


def is_public_suffix(domain: str) -> bool:
    """Tell whether anyone may register names below a domain, as below com or github.io."""
    return bool(_public_suffixes(domain).is_public(domain))


def same_site(host: str, other: str) -> bool:
    """Tell whether two hosts share a registrable domain, so that Lax cookies pass between them."""
    if host == other:
        return True
    registrable = _public_suffixes(host).privatesuffix(host)
    return registrable is not None and registrable == _public_suffixes(other).privatesuffix(other)
