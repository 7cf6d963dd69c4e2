"""The TOML file of resources (RFC 8707): the APIs that clients get access tokens for."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from authservice.settings.languages import LANGUAGES, SOURCE
from authservice.settings.parsing import is_readable
from authservice.settings.resource_indicators import canonical, problem_with

EXAMPLE = (
    '"https://notes.example.com" = { name = "Notes", introspected_by = ["CLIENT_ID"],'
    ' scopes = { "notes:read" = "Read your notes" } }'
)
"""What a file may hold, in one line."""

RESERVED_SCOPES = ("openid", "profile", "email", "address", "phone", "offline_access", "groups")
"""The scopes of OpenID Connect (Core, sections 5.4 and 11) and our own: no resource has them."""

_SECONDS = range(60, 3601)
LONGEST_OF_A_RESOURCE = timedelta(seconds=_SECONDS[-1])
"""The longest life that a resource can give its access tokens."""

# Nobody can call a JWT back, and a client that renews it needs no long one.
_RENEWED_JWT = timedelta(minutes=5)
_JWT = "jwt"
# RFC 6749, section 3.3.
_SCOPE = re.compile(r"[!#-\[\]-~]{1,100}")
_RULE_OF_SCOPES = "1 to 100 visible characters of ASCII, neither quotation mark nor backslash"
_CLIENT_ID = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """An API, by the URI that its access tokens are for.

    All URIs of one address have the same ``canonical`` form. ``name`` is for people; it is the URI
    where the file has none. ``scopes`` are those of this resource alone, each with a sentence for
    people by language. ``introspected_by`` has the ids of clients that may ask about its tokens.
    The metadata names the scopes of one that is ``published``.
    """

    uri: str
    canonical: str
    name: str
    scopes: Mapping[str, Mapping[str, str]]
    introspected_by: tuple[str, ...]
    takes_jwt: bool
    access_token: timedelta | None
    published: bool

    def sentence(self, scope: str, language: str) -> str:
        """Return what people are told of a scope, in the source language if there is no other."""
        sentences = self.scopes[scope]
        return sentences.get(language, sentences[SOURCE])

    def lifetime(self, otherwise: timedelta, *, renewable: bool) -> timedelta:
        """Return how long an access token for it lives, ``otherwise`` where nothing shortens that.

        ``renewable`` tells that the client can have the next one without the person.
        """
        if self.access_token is not None:
            return self.access_token
        return min(otherwise, _RENEWED_JWT) if self.takes_jwt and renewable else otherwise


def owners(scopes: Iterable[str], resources: Mapping[str, Resource]) -> tuple[str, ...]:
    """Return the URIs of the resources that have some of these scopes, in the scopes' order."""
    owned = (uri for scope in scopes for uri in resources if scope in resources[uri].scopes)
    return tuple(dict.fromkeys(owned))


def with_scopes_left(
    uris: Iterable[str],
    lost: Iterable[str],
    left: Iterable[str],
    resources: Mapping[str, Resource],
) -> tuple[str, ...]:
    """Return those of the URIs whose resources have not lost all of their scopes.

    Where a person has declined these, no token is to be valid there at all.
    """
    emptied = {*owners(lost, resources)}
    if emptied:
        emptied -= {*owners(left, resources)}
    return tuple(uri for uri in uris if uri not in emptied)


def read(file: str, own: Collection[str]) -> tuple[dict[str, Resource], list[str]]:
    """Return the resources of a file by URI; or none, and everything that is wrong with it.

    ``own`` has the addresses of this service, which no resource may have.
    """
    try:
        # Some editors put a byte order mark before the text.
        content = tomllib.loads(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        return {}, [f"{file!r}: {reason}; name a TOML file with lines such as {EXAMPLE}"]
    problems = [f"{file}: {fault}" for fault in _faults(content, own)]
    resources = {} if problems else {uri: _resource(uri, content[uri]) for uri in content}
    return resources, problems


def _resource(uri: str, table: Mapping[str, Any]) -> Resource:
    lifetime = table.get("access_token")
    return Resource(
        uri=uri,
        canonical=canonical(uri),
        name=table.get("name", uri).strip(),
        scopes={scope: _by_language(words) for scope, words in _scopes(table).items()},
        introspected_by=tuple(table.get("introspected_by", ())),
        takes_jwt=table.get("token", _JWT) == _JWT,
        access_token=None if lifetime is None else timedelta(seconds=lifetime),
        published=table.get("published", False),
    )


def _faults(content: Mapping[str, object], own: Collection[str]) -> Iterator[str]:
    names = {canonical(address): "this service itself" for address in own}
    owners = dict.fromkeys(RESERVED_SCOPES, "OpenID Connect")
    for uri, table in content.items():
        if fault := problem_with(uri):
            yield f"{uri!r} {fault}, as the name of its table"
        if (same := names.setdefault(canonical(uri), uri)) != uri:
            yield f"{uri!r} is {same}"
        yield from (f"{uri!r} {fault}" for fault in _faults_of_table(table))
        for scope in _scopes(table):
            if (owner := owners.setdefault(scope, uri)) != uri:
                yield f"{uri!r} has the scope {scope!r} of {owner}; choose another name"


def _faults_of_table(table: object) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"must be a table, such as {EXAMPLE}"
        return
    for member, value in table.items():
        if member not in _MEMBERS:
            yield f"has no member {member!r}; there are {', '.join(_MEMBERS)}"
            continue
        fits, rule = _MEMBERS[member]
        if not fits(value):
            yield f"has {member}, which must be {rule}"
    for scope, words in _scopes(table).items():
        if not _SCOPE.fullmatch(scope):
            yield f"has the scope {scope!r}, which must be {_RULE_OF_SCOPES}"
        yield from (f"has the scope {scope!r}, which {fault}" for fault in _faults_of_words(words))


def _faults_of_words(words: object) -> Iterator[str]:
    sentences = _by_language(words)
    if not _is_table(sentences) or not all(map(_is_text, sentences.values())):
        yield "must have a sentence for people, or a table with one for each language"
    elif others := sentences.keys() - {*LANGUAGES}:
        # Such as "read", where somebody wrote scopes.notes.read for scopes."notes.read".
        yield (
            f"may have sentences in {', '.join(LANGUAGES)}, not in {', '.join(sorted(others))};"
            " write a name with a dot in quotation marks"
        )
    elif SOURCE not in sentences:
        yield f"needs a sentence in {SOURCE}, for people whose language has none"


def is_scope(text: str) -> bool:
    """Tell whether a text may be the name of a resource's scope."""
    return text not in RESERVED_SCOPES and _SCOPE.fullmatch(text) is not None


def _scopes(table: object) -> Mapping[str, Any]:
    scopes = table.get("scopes") if isinstance(table, dict) else None
    return scopes if isinstance(scopes, dict) else {}


def _by_language(words: Any) -> Any:  # noqa: ANN401  (a text is a sentence of the source language)
    return {SOURCE: words} if isinstance(words, str) else words


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_yes_or_no(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and is_readable(value)


def _are_client_ids(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, str) and _CLIENT_ID.fullmatch(each) for each in value
    )


def _are_seconds(value: object) -> bool:
    # Python counts true as a number.
    return type(value) is int and value in _SECONDS


_MEMBERS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "name": (_is_text, "a line that people can read"),
    "scopes": (_is_table, "a table of scopes, each with a sentence for people"),
    "introspected_by": (_are_client_ids, "an array of client ids"),
    "token": ((_JWT, "opaque").__contains__, '"jwt" or "opaque"'),
    "access_token": (
        _are_seconds,
        f"a whole number of seconds from {_SECONDS[0]} to {_SECONDS[-1]}",
    ),
    "published": (_is_yes_or_no, "true or false"),
}
