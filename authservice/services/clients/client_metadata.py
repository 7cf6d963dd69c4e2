"""A client's metadata in the names of RFC 7591, and which values may be registered."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from authservice.crypto.algorithms import ALGORITHMS, DEFAULT_ALG
from authservice.services.clients import redirect_uris
from authservice.services.clients.clients import (
    FOR_PEOPLE,
    MACHINE,
    RESOURCE_SERVER,
    SCOPES,
    WITHOUT_PEOPLE,
    ours_and_others,
    requests_per_minute,
)
from authservice.services.people import groups
from authservice.services.people.shown_text import is_blank
from authservice.settings import resource_file, resource_indicators
from authservice.settings.admission import rules
from authservice.settings.admission.rules import RuleError

_MOST_REQUESTS = 1_000_000
WITH_SECRET = "client_secret_basic"
_KEYS = ("jwks", "jwks_uri")
_OF_RESOURCE_SERVERS = ("name", "resources", "requests_per_minute", "grant_types", *_KEYS)
_OF_MACHINES = (*_OF_RESOURCE_SERVERS, "scopes")
_SHOWN_WITHOUT_PEOPLE = (
    *("client_id", "client_name", "redirect_uris", "token_endpoint_auth_method", "grant_types"),
    *("response_types", "scope", "requests_per_minute", "resources", "resource_server", "machine"),
    *_KEYS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientMetadata:
    """A client's metadata; None stands for the default of the server.

    The grant types say what kind of client it is: for people, a resource server, or a machine.
    """

    name: str
    redirect_uris: Sequence[str] = ()
    post_logout_redirect_uris: Sequence[str] = ()
    skip_consent: bool = False
    enable_end_session: bool = False
    public: bool = False
    scopes: Sequence[str] | None = None
    id_token_signed_response_alg: str | None = None
    userinfo_signed_response_alg: str | None = None
    minimal_id_token: bool = False
    backchannel_logout_uri: str | None = None
    requests_per_minute: int | None = None
    resources: Sequence[str] = ()
    groups: bool = False
    allow: Sequence[str] = ()
    grant_types: Sequence[str] = FOR_PEOPLE
    jwks: Mapping[str, Any] | None = None
    jwks_uri: str | None = None

    def problems(self) -> list[str]:
        """Return what is wrong with the metadata, one sentence for each fault."""
        return [
            *self._problems_with_name(),
            *self._problems_with_kind(),
            *self._problems_with_uris(),
            *self._problems_with_resources(),
            *self._problems_with_allowed_people(),
            *self._problems_with_choices(),
            *self._problems_with_consent(),
            *self._problems_with_keys(),
        ]

    @property
    def auth_method(self) -> str:
        """Return how the client proves who it is."""
        if self.public:
            return "none"
        has_keys = not (self.jwks is None and self.jwks_uri is None)
        return "private_key_jwt" if has_keys else WITH_SECRET

    @property
    def _is_resource_server(self) -> bool:
        return tuple(self.grant_types) == RESOURCE_SERVER

    @property
    def _is_machine(self) -> bool:
        return tuple(self.grant_types) == MACHINE

    def _problems_with_name(self) -> Iterable[str]:
        if is_blank(self.name):
            yield "name must not be blank"
        if any(unicodedata.category(character) == "Cc" for character in self.name):
            yield "name must not hold control characters"

    def _problems_with_kind(self) -> Iterable[str]:
        if self._is_resource_server:
            if in_vain := self._others_than(_OF_RESOURCE_SERVERS):
                yield (
                    "a resource server only introspects tokens: it may have a name, resources,"
                    f" keys and requests_per_minute, but no {in_vain}"
                )
        elif self._is_machine:
            if in_vain := self._others_than(_OF_MACHINES):
                yield (
                    "nobody signs in to a machine: it may have a name, resources, scopes, keys and"
                    f" requests_per_minute, but no {in_vain}"
                )
            if not self.resources:
                yield "a machine needs at least one resource"
        elif not self.redirect_uris:
            yield "at least one redirect URI is needed"

    def _others_than(self, names: Sequence[str]) -> str:
        others = [each.name for each in fields(self) if each.name not in names]
        return ", ".join(name for name in others if getattr(self, name))

    def _problems_with_uris(self) -> Iterable[str]:
        for kind, uris in (
            ("redirect URI", self.redirect_uris),
            ("post-logout redirect URI", self.post_logout_redirect_uris),
        ):
            for index, uri in enumerate(uris):
                fault = redirect_uris.problem_with(uri, public=self.public)
                if fault is not None:
                    yield f"{kind} {uri!r} {fault}"
                if uri in uris[:index]:
                    yield f"{kind} {uri!r} is given twice"
        told_at = self.backchannel_logout_uri
        if told_at is not None:
            fault = redirect_uris.problem_with(told_at)
            if fault is None and not told_at.startswith(("https://", "http://")):
                fault = "must be an https address"
            if fault is not None:
                yield f"back-channel logout URI {told_at!r} {fault}"

    def _problems_with_consent(self) -> Iterable[str]:
        if not (self.public and self.skip_consent):
            return
        for uri in self.redirect_uris:
            fault = redirect_uris.problem_with(uri, public=True)
            if fault is None and redirect_uris.is_native(uri):
                yield (
                    f"a public client with the redirect URI {uri!r} cannot skip consent: any"
                    " program on the device could pass for it (RFC 8252, section 8.6); let it ask,"
                    " or use the https address of a web server"
                )

    def _problems_with_keys(self) -> Iterable[str]:
        if self.jwks is not None:
            # Imported when it is needed, as below: the library takes as long as a whole command.
            from authservice.crypto import public_keys  # noqa: PLC0415

            for fault in public_keys.problems_with(self.jwks):
                yield f"jwks: {fault}"
        if self.jwks_uri is not None:
            fault_of_uri = redirect_uris.problem_with(self.jwks_uri)
            if fault_of_uri is None and not self.jwks_uri.startswith(("https://", "http://")):
                fault_of_uri = "must be an https address"
            if fault_of_uri is not None:
                yield f"jwks_uri {self.jwks_uri!r} {fault_of_uri}"
            if self.jwks is not None:
                yield "jwks and jwks_uri exclude each other (RFC 7591, section 2)"
        if self.public and (self.jwks or self.jwks_uri):
            yield "a public client can keep no key: leave out --public, or jwks and jwks_uri"

    def _problems_with_resources(self) -> Iterable[str]:
        for index, resource in enumerate(self.resources):
            fault = resource_indicators.problem_with(resource)
            if fault is not None:
                yield f"resource {resource!r} {fault}"
            earlier = map(resource_indicators.canonical, self.resources[:index])
            if resource_indicators.canonical(resource) in earlier:
                yield f"resource {resource!r} is given twice"

    def _problems_with_allowed_people(self) -> Iterable[str]:
        known: set[str] = set()
        for entry in self.allow:
            try:
                rule = str(rules.parse(entry))
            except RuleError as error:
                yield f"allow: {error}"
                continue
            if rule in known:
                yield f"allow: {entry!r} is given twice"
            known.add(rule)

    def _problems_with_choices(self) -> Iterable[str]:
        yield from self._problems_with_scopes()
        for kind, alg in (
            ("ID token", self.id_token_signed_response_alg),
            ("userinfo", self.userinfo_signed_response_alg),
        ):
            if alg is not None and alg not in ALGORITHMS:
                yield f"{kind} algorithm must be one of {', '.join(ALGORITHMS)}"
        limit = self.requests_per_minute
        if limit is not None and not 1 <= limit <= _MOST_REQUESTS:
            yield f"requests per minute must be 1 to {_MOST_REQUESTS}"

    def _problems_with_scopes(self) -> Iterable[str]:
        if self.scopes is None or self._is_resource_server:
            return
        ours, others = ours_and_others(self.scopes)
        if self._is_machine:
            if ours or not others or not all(map(resource_file.is_scope, others)):
                yield "scope may hold scopes of the machine's resources only"
            return
        wrong = [each for each in others if not self.resources or not resource_file.is_scope(each)]
        if wrong or not self.scopes or ours == (groups.SCOPE,):
            yield (
                f"scope may hold these values only: {' '.join(SCOPES)}; and with --resource the"
                " scopes of that resource"
            )
        elif groups.SCOPE in self.scopes and not self.groups:
            yield "scope groups comes with --groups; without it a client may not have it"

    @property
    def _stored_scopes(self) -> tuple[str, ...]:
        """Return the scopes that are stored as such: the one for groups hangs on ``groups``."""
        if tuple(self.grant_types) in WITHOUT_PEOPLE:
            # None of ours: a machine without any has all of its resources.
            return tuple(self.scopes or ())
        named = tuple(scope for scope in self.scopes or () if scope != groups.SCOPE)
        ours, others = ours_and_others(named)
        return (*(ours or SCOPES), *others)

    @property
    def _stored_jwks(self) -> Mapping[str, Any] | None:
        """Return of each key what verifying needs."""
        if self.jwks is None:
            return None
        from authservice.crypto import public_keys  # noqa: PLC0415

        return public_keys.usable(self.jwks)

    def columns(self) -> dict[str, Any]:
        """Return the metadata as columns of the table."""
        return {
            "name": self.name.strip(),
            "redirect_uris": tuple(self.redirect_uris),
            "post_logout_redirect_uris": tuple(self.post_logout_redirect_uris),
            "skip_consent": self.skip_consent,
            "enable_end_session": self.enable_end_session,
            "public": self.public,
            "scopes": self._stored_scopes,
            "token_endpoint_auth_method": self.auth_method,
            "grant_types": tuple(self.grant_types),
            "response_types": () if tuple(self.grant_types) in WITHOUT_PEOPLE else ("code",),
            "id_token_signed_response_alg": self.id_token_signed_response_alg,
            "userinfo_signed_response_alg": self.userinfo_signed_response_alg,
            "minimal_id_token": self.minimal_id_token,
            "backchannel_logout_uri": self.backchannel_logout_uri,
            "metadata": self._metadata(),
            "resources": tuple(self.resources) or None,
            "groups": self.groups,
            "allow": tuple(str(rules.parse(entry)) for entry in self.allow) or None,
            "jwks": self._stored_jwks,
            "jwks_uri": self.jwks_uri,
        }

    def _metadata(self) -> dict[str, Any] | None:
        limit = self.requests_per_minute
        return None if limit is None else {"requests_per_minute": limit}


def as_registered(client_id: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a client's columns in the names of RFC 7591, without those that are not set.

    Nor is there what has no meaning for a client that nobody signs in to.
    """
    kind = columns["grant_types"]
    for_people = kind not in WITHOUT_PEOPLE
    content = {
        "client_id": client_id,
        "client_name": columns["name"],
        "redirect_uris": list(columns["redirect_uris"]),
        "post_logout_redirect_uris": list(columns["post_logout_redirect_uris"] or ()),
        "token_endpoint_auth_method": columns["token_endpoint_auth_method"],
        "grant_types": list(FOR_PEOPLE if for_people else kind),
        "response_types": ["code"] if for_people else [],
        "scope": " ".join(_scopes(columns)) or None,
        "skip_consent": bool(columns["skip_consent"]),
        "enable_end_session": bool(columns["enable_end_session"]),
        "require_pkce": True,
        "id_token_signed_response_alg": columns["id_token_signed_response_alg"] or DEFAULT_ALG,
        "userinfo_signed_response_alg": columns["userinfo_signed_response_alg"],
        "minimal_id_token": bool(columns["minimal_id_token"]),
        "backchannel_logout_uri": columns["backchannel_logout_uri"],
        "requests_per_minute": requests_per_minute(columns["metadata"]),
        "jwks": columns["jwks"],
        "jwks_uri": columns["jwks_uri"],
        # RFC 7591 knows no name for them.
        "resources": list(columns["resources"] or ()) or None,
        "resource_server": True if kind == RESOURCE_SERVER else None,
        "machine": True if kind == MACHINE else None,
        "groups": True if columns["groups"] else None,
        "allow": list(columns["allow"] or ()) or None,
    }
    shown = content if for_people else _SHOWN_WITHOUT_PEOPLE
    return {name: value for name, value in content.items() if value is not None and name in shown}


def _scopes(columns: Mapping[str, Any]) -> tuple[str, ...]:
    scopes = SCOPES if columns["scopes"] is None else columns["scopes"]
    return (*scopes, groups.SCOPE) if columns["groups"] else tuple(scopes)
