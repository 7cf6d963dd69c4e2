"""OAuth clients: found for each request, and created by one function that no route reaches."""

from collections.abc import Collection, Iterable, Mapping
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
from authservice.settings.resource_indicators import as_named, canonical

SCOPES = ("openid", "profile", "email", "offline_access")
"""What every client may have unless it is registered for less."""
FOR_PEOPLE = ("authorization_code", "refresh_token")
"""The grant types of a client that people sign in to."""
RESOURCE_SERVER: tuple[str, ...] = ()
"""The grant types of a resource server: it gets no tokens, and asks about those for its API."""
MACHINE = ("client_credentials",)
"""The grant types of a machine: it gets tokens for itself, and none for a person."""
WITHOUT_PEOPLE = (RESOURCE_SERVER, MACHINE)
"""The grant types of the kinds of clients that nobody signs in to."""
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
    grant_types: tuple[str, ...] | None = None
    """Those that it may use; None stands for those of a client that people sign in to."""
    jwks: Mapping[str, Any] | None = None
    """The keys that it proves itself with."""
    jwks_uri: str | None = None
    """Where they are instead."""

    @property
    def has_keys(self) -> bool:
        """Tell whether the client proves itself with a key, and with nothing else."""
        return self.jwks is not None or self.jwks_uri is not None

    @property
    def is_resource_server(self) -> bool:
        """Tell whether the client is an API that introspects tokens, and does nothing else."""
        return self.grant_types == RESOURCE_SERVER

    @property
    def is_for_people(self) -> bool:
        """Tell whether people sign in to the client."""
        return self.grant_types not in WITHOUT_PEOPLE

    @property
    def usable_grant_types(self) -> tuple[str, ...]:
        """Return the grant types that it may use; what is stored of others has no effect."""
        return FOR_PEOPLE if self.is_for_people else self.grant_types or ()

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
        of_resources = (scope for each in self.own_resources(resources) for scope in each.scopes)
        return (*ours, *(scope for scope in of_resources if not chosen or scope in chosen))

    def own_resources(self, resources: Mapping[str, Resource]) -> list[Resource]:
        """Return those that the client may have tokens for, in the order of its registration."""
        known = {each.canonical: each for each in resources.values()} if self.resources else {}
        own = (known.get(canonical(each)) for each in self.resources or ())
        return [each for each in own if each is not None]

    def may_introspect(self, resource: Resource) -> bool:
        """Tell whether the client may ask about other clients' access tokens for a resource."""
        own = self.resources if self.is_resource_server else ()
        return may_introspect(resource, self.client_id, own or ())

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
_SHARE = Prepared(
    select(oauth_client.c.disabled)
    .where(oauth_client.c.client_id == bindparam("with_client_id"))
    .with_for_update(read=True, key_share=True)
)
_REGISTERED_ALGS = union(
    select(oauth_client.c.id_token_signed_response_alg),
    select(oauth_client.c.userinfo_signed_response_alg),
)


def ignored(scopes: Iterable[str], allowed: Collection[str]) -> tuple[str, ...]:
    """Return which of these scopes are not allowed: no more than a line of the log can bear.

    Those that we know come first.
    """
    others = [scope for scope in dict.fromkeys(scopes) if scope not in allowed]
    others.sort(key=lambda each: each not in {*SCOPES, groups.SCOPE})
    return tuple(each[:_LONGEST_IGNORED] for each in others[:_MOST_IGNORED])


def in_vain(
    own: Iterable[str], scopes: Iterable[str], resources: Mapping[str, Resource]
) -> tuple[list[str], list[str]]:
    """Return which resources and which scopes a client is registered for and cannot have."""
    named = as_named(own, resources)
    there = {scope for uri in named if uri in resources for scope in resources[uri].scopes}
    _, chosen = ours_and_others(scopes)
    return (
        [uri for uri in named if uri not in resources],
        [scope for scope in chosen if scope not in there],
    )


def may_introspect(resource: Resource, client_id: str, own: Iterable[str]) -> bool:
    """Tell whether a client may ask about all access tokens for a resource.

    The settings name the client there, or the resource is one of its ``own``, which it serves.
    """
    return client_id in resource.introspected_by or resource.canonical in map(canonical, own)


def ours_and_others(scopes: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return those of the scopes that are ours, and the others, which are those of resources."""
    listed, known = [*scopes], {*SCOPES, groups.SCOPE}
    return (
        tuple(scope for scope in listed if scope in known),
        tuple(scope for scope in listed if scope not in known),
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


def find_for_people(connection: Connection, client_id: str) -> Client | None:
    """Return a client as ``find`` does, if people sign in to it."""
    client = find(connection, client_id)
    return client if client is not None and client.is_for_people else None


def share(connection: Connection, client_id: str) -> bool:
    """Tell whether a client may still have tokens; it may until the transaction ends.

    Who changes or deletes it waits for that, as this waits for who does so.
    """
    row = _SHARE.first(connection, {"with_client_id": client_id})
    return row is not None and not row[0]
