"""OAuth clients: found for each request, and created by one function that no route reaches."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, select, union

from authservice import clock
from authservice.crypto.secret_values import digest, equal
from authservice.database.prepared import Prepared
from authservice.models import oauth_client
from authservice.services.clients import redirect_uris
from authservice.services.people import groups
from authservice.settings.resource_file import Resource
from authservice.settings.resource_indicators import canonical

SCOPES = ("openid", "profile", "email", "offline_access")
"""What every client may have unless it is registered for less."""
_MOST_IGNORED, _LONGEST_IGNORED = 10, 64


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client."""

    client_id: str
    client_secret: str | None
    name: str | None
    disabled: bool | None
    public: bool | None
    skip_consent: bool | None
    enable_end_session: bool | None
    scopes: tuple[str, ...] | None
    redirect_uris: tuple[str, ...]
    post_logout_redirect_uris: tuple[str, ...] | None
    id_token_signed_response_alg: str | None = None
    userinfo_signed_response_alg: str | None = None
    minimal_id_token: bool | None = None
    backchannel_logout_uri: str | None = None
    previous_client_secret: str | None = None
    previous_client_secret_expires_at: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    resources: tuple[str, ...] | None = None
    groups: bool | None = None
    allow: tuple[str, ...] | None = None
    """The rules of which one must fit a person, as they were registered; None lets everyone in."""

    @property
    def requests_per_minute(self) -> int | None:
        """Return how often the client may ask each endpoint, if it has a limit of its own."""
        return requests_per_minute(self.metadata)

    def allows_redirect_to(self, uri: str) -> bool:
        """Tell whether a redirect URI is registered."""
        public = bool(self.public)
        return any(redirect_uris.matches(each, uri, public=public) for each in self.redirect_uris)

    def allowed_scopes(self, resources: Mapping[str, Resource]) -> tuple[str, ...]:
        """Return the scopes that the client may have: ours, and those of its resources.

        Where it is registered for a scope of any resource, it may have no others of resources.
        """
        named = SCOPES if self.scopes is None else self.scopes
        ours, chosen = ours_and_others(named)
        if self.groups:
            ours = (*ours, groups.SCOPE)
        own = (each for uri, each in resources.items() if self.may_have_tokens_for(uri))
        of_resources = (scope for resource in own for scope in resource.scopes)
        return (*ours, *(scope for scope in of_resources if not chosen or scope in chosen))

    def ignored_of(
        self, scopes: Iterable[str], resources: Mapping[str, Resource]
    ) -> tuple[str, ...]:
        """Return which of these scopes are ignored: no more than a line of the log can bear.

        Those that we know come first.
        """
        allowed = self.allowed_scopes(resources)
        ignored = [each for each in dict.fromkeys(scopes) if each not in allowed]
        ignored.sort(key=lambda each: each not in {*SCOPES, groups.SCOPE})
        return tuple(each[:_LONGEST_IGNORED] for each in ignored[:_MOST_IGNORED])

    def may_have_tokens_for(self, resource: str) -> bool:
        """Tell whether the client may have tokens for a resource."""
        return canonical(resource) in map(canonical, self.resources or ())

    def has_secret(self, presented: str) -> bool:
        """Tell, in constant time, whether a presented secret is this client's."""
        stored, hashed = self.client_secret, digest(presented)
        if stored is not None and equal(hashed, stored):
            return True
        previous, until = self.previous_client_secret, self.previous_client_secret_expires_at
        if previous is None or until is None or until <= clock.now():
            return False
        return equal(hashed, previous)

    def allows_post_logout_redirect_to(self, uri: str) -> bool:
        """Tell whether a post-logout redirect URI is registered, character by character."""
        return uri in (self.post_logout_redirect_uris or ())


_COLUMNS = tuple(oauth_client.c[name] for name in Client.__slots__)
_FIND = Prepared(select(*_COLUMNS).where(oauth_client.c.client_id == bindparam("with_client_id")))
_REGISTERED_ALGS = union(
    select(oauth_client.c.id_token_signed_response_alg),
    select(oauth_client.c.userinfo_signed_response_alg),
)


def ours_and_others(scopes: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return those of the scopes that every client may have, and the others, as of resources."""
    listed = [*scopes]
    return (
        tuple(scope for scope in listed if scope in SCOPES),
        tuple(scope for scope in listed if scope not in SCOPES),
    )


def requests_per_minute(metadata: Mapping[str, Any] | None) -> int | None:
    """Return a client's own limit, which is kept among what the standards have no name for."""
    return None if metadata is None else metadata.get("requests_per_minute")


def registered_algs(connection: Connection) -> frozenset[str]:
    """Return the algorithms that clients have chosen for what is signed for them."""
    return frozenset(filter(None, connection.scalars(_REGISTERED_ALGS)))


def find(connection: Connection, client_id: str) -> Client | None:
    """Return a client that is registered and not disabled."""
    row = _FIND.first(connection, {"with_client_id": client_id})
    if row is None:
        return None
    client = Client(*row)
    return None if client.disabled else client
