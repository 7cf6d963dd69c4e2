"""Resources (RFC 8707): what one may be called, and what a setting says of each."""

import re
from dataclasses import dataclass

from authservice.settings.sources import Source

_KEY = "auth.resources"
_LINE = re.compile(r"""(?P<uri>[^\s"]+)(?:\s+"(?P<name>[^"]*)")?(?P<clients>(?:\s+[^\s"]+)*)""")
_EXPECTED = "an absolute URI without a fragment"


@dataclass(frozen=True, slots=True)
class Resources:
    """The clients that may introspect each resource's tokens, and the names shown to people."""

    introspecting: dict[str, tuple[str, ...]]
    names: dict[str, str]


def problem_with(uri: str) -> str | None:
    """Return what keeps a text from being a resource, or None (RFC 8707, section 2)."""
    scheme, separator, rest = uri.partition("://")
    whole = bool(separator) and scheme.isalnum() and bool(rest)
    plain = uri.isascii() and uri.isprintable() and not {*uri} & {*' "#'}
    return None if whole and plain else f"must be {_EXPECTED}"


def resources(source: Source, auth_url: str) -> Resources:
    """Return the resources that tokens can be made for; what is wrong with one is noted."""
    resources = Resources({}, {})
    for line in source.text(_KEY).splitlines():
        if not line.strip():
            continue
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            source.refuse(
                _KEY, f'each line is {_EXPECTED}, its name in "quotes", then client ids: {line!r}'
            )
            continue
        uri, name = parts["uri"], parts["name"]
        if problem_with(uri):
            source.refuse(_KEY, f"each line is {_EXPECTED}, then client ids: {uri!r}")
        elif uri.rstrip("/") in {auth_url, f"{auth_url}/api/auth"}:
            source.refuse(_KEY, "a resource cannot be this service itself")
        elif uri in resources.introspecting:
            source.refuse(_KEY, f"names {uri!r} twice")
        elif name is not None and not (name.strip() and name.isprintable()):
            source.refuse(_KEY, f"the name of {uri!r} must be one that people can read")
        resources.introspecting[uri] = tuple(parts["clients"].split())
        if name is not None:
            resources.names[uri] = name.strip()
    return resources
