"""Addresses: parsed once, by the parser of the library that connects to them."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode, urljoin

from requests import PreparedRequest
from urllib3.util import Url, parse_url

_DEFAULT_PORTS = {"http": 80, "https": 443}
_UNPRINTABLE = "(invalid address)"


def parsed(address: str) -> Url | None:
    """Return the address with host and path encoded, or None if it is not an HTTP address.

    The fragment is left out: it never travels (RFC 9110 section 7.1).
    """
    prepared = PreparedRequest()
    try:
        prepared.prepare_url(address, None)
        url = parse_url(prepared.url or "")
    except ValueError:
        return None
    if url.scheme not in _DEFAULT_PORTS or url.host is None:
        return None
    return url._replace(fragment=None)


def joined(base: Url, reference: str) -> Url | None:
    """Return the address that a reference found at ``base`` means (RFC 3986 section 5)."""
    try:
        return parsed(urljoin(base.url, reference))
    except ValueError:
        return None


def with_query(url: Url, parameters: Mapping[str, str]) -> Url | None:
    """Return the URL with the parameters after its own, or None if they are no valid text."""
    try:
        added = urlencode(parameters, quote_via=quote)
    except UnicodeEncodeError:
        return None
    return url._replace(query="&".join(part for part in (url.query, added) if part) or None)


def origin(url: Url) -> tuple[str, str, int]:
    """Return scheme, host and port, the default port included (RFC 6454 section 4)."""
    scheme = str(url.scheme)
    return scheme, str(url.host), url.port or _DEFAULT_PORTS[scheme]


def printable(url: Url) -> str:
    """Return the URL without what may be secret: userinfo and query."""
    return url._replace(auth=None, query=None).url


def printable_address(address: object) -> str:
    """Return the same for what may be no URL at all."""
    url = parsed(address) if isinstance(address, str) else None
    return _UNPRINTABLE if url is None else printable(url)
