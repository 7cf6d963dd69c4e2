"""Resources (RFC 8707): what one may be called, and what a setting says of each."""

import re
from dataclasses import dataclass

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
