"""Resource indicators (RFC 8707): which URIs may be one, and which mean the same resource."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from authservice.settings.hosts import origin_of


def problem_with(uri: str) -> str | None:
    """Return what keeps a text from being a resource, or None (RFC 8707, section 2)."""
    scheme, separator, rest = uri.partition("://")
    whole = bool(separator) and scheme.isalnum() and bool(rest)
    plain = uri.isascii() and uri.isprintable() and not {*uri} & {*' "#'}
    return None if whole and plain else "must be an absolute URI without a fragment"


def canonical(uri: str) -> str:
    """Return one form of all equal addresses of the web (RFC 3986, section 6.2.3).

    They may differ in a blank path, the port of the scheme, and capitals before the path.
    """
    origin = origin_of(uri)
    if origin is None or "@" in (authority := urlsplit(uri).netloc):
        return uri
    rest = uri.partition("://")[2][len(authority) :]
    return f"{origin}{rest if rest.startswith('/') else f'/{rest}'}"


def as_named(resources: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return resources as those known are spelled that equal them, each once."""
    named = [*resources]
    spelled = {canonical(each): each for each in known} if named else {}
    return tuple(dict.fromkeys(spelled.get(canonical(each), each) for each in named))
