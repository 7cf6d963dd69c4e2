"""Resources (RFC 8707): what one may be called, and what a setting says of each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from authservice.settings.hosts import origin_of
from authservice.settings.parsing import is_readable
from authservice.settings.problems import RefusedError

_LINE = re.compile(r"""(?P<uri>[^\s"]+)(?:\s+"(?P<name>[^"]*)")?(?P<clients>(?:\s+[^\s"]+)*)""")
_EXPECTED = "an absolute URI without a fragment"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource, its name for people, and the clients that may introspect its tokens."""

    uri: str
    name: str | None
    introspecting: tuple[str, ...]


def problem_with(uri: str) -> str | None:
    """Return what keeps a text from being a resource, or None (RFC 8707, section 2)."""
    scheme, separator, rest = uri.partition("://")
    whole = bool(separator) and scheme.isalnum() and bool(rest)
    plain = uri.isascii() and uri.isprintable() and not {*uri} & {*' "#'}
    return None if whole and plain else f"must be {_EXPECTED}"


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
    spelled = {canonical(each): each for each in known}
    return tuple(dict.fromkeys(spelled.get(canonical(each), each) for each in resources))


def lines(text: str) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def resource(line: str) -> Resource:
    """Return the resource that a line describes; raises RefusedError."""
    parts = _LINE.fullmatch(line.strip())
    if parts is None:
        message = f'each line is {_EXPECTED}, its name in "quotes", then client ids: {line!r}'
        raise RefusedError(message)
    uri, name = parts["uri"], parts["name"]
    if problem_with(uri):
        message = f"each line is {_EXPECTED}, then client ids: {uri!r}"
        raise RefusedError(message)
    if name is not None and not is_readable(name):
        message = f"the name of {uri!r} must be one that people can read"
        raise RefusedError(message)
    return Resource(uri, name and name.strip(), tuple(parts["clients"].split()))
