"""POST tokens: a token of any kind, right or wrong, as a test of an application wants it.

What the service would issue is taken apart after it was signed. So what a test does not change is
as in production.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pyramid.response import Response
from sqlalchemy import Connection

from authservice import clock
from authservice.crypto import base64url, jwt
from authservice.crypto.compact_json import compact
from authservice.crypto.secret_values import random_id, random_token
from authservice.crypto.signing_keys import generate
from authservice.local_mode.control.fields import Fields, invalid
from authservice.local_mode.control.persons import named, named_client, user_of
from authservice.oauth import claims, id_token
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.logout import logout_token
from authservice.oauth.token import access_token_jwt
from authservice.oauth.token.grant import TokenGrant
from authservice.oauth.token.issue import access_token_lifetime, access_token_scopes
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people.users import User
from authservice.services.sessions import sessions
from authservice.services.sessions.logout_notices import LogoutNotice
from authservice.services.tokens import access_tokens, grants
from authservice.settings import AuthSettings
from authservice.settings.resource_file import Resource
from authservice.web.answers import json_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.session.session_api import session_jwt

AT_TIMES = ("nonce", "at_hash", "sid", *claims.NAMES)
"""The claims that a token has or has not, as the client, the person and the session are."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a token is about, and the client that it is for."""

    user: User
    client: Client
    settings: AuthSettings
    keys: SigningKeys
    reader: Connection
    # The one that an access token is for; None for userinfo.
    resource: Resource | None

    @property
    def lifetime(self) -> timedelta:
        """Return how long an access token lives."""
        return access_token_lifetime(self.grant(), self.resource, self.settings)

    @property
    def access_token_scopes(self) -> tuple[str, ...]:
        """Return what an access token opens."""
        return access_token_scopes(self.grant().scopes, self.resource)

    def grant(self) -> TokenGrant:
        """Return all that the client may have, in the person's newest session if there is one."""
        alive = sessions.of_user(self.reader, self.user.id)
        newest = alive[-1] if alive else None
        return TokenGrant(
            client_id=self.client.client_id,
            user_id=self.user.id,
            session_id=newest.id if newest else None,
            auth_time=newest.auth_time if newest else clock.now(),
            scopes=self.client.allowed_scopes(self.settings.resources),
            nonce=None,
            resources=() if self.resource is None else (self.resource.uri,),
            requested_claims=RequestedClaims(),
            authorization_code_id=None,
        )


def _id_token(of: Subject) -> str:
    grant = of.grant()
    access_token = random_token()
    return id_token.issue(
        grant, of.client, of.user, grant.scopes, access_token, settings=of.settings, keys=of.keys
    )


def _access_token(of: Subject) -> str:
    audience = of.settings.issuer if of.resource is None else of.resource.uri
    return access_token_jwt.issue(
        of.grant().claims,
        of.access_token_scopes,
        audience,
        of.settings,
        of.keys,
        lifetime=of.lifetime,
    )


def _logout_token(of: Subject) -> str:
    session_id = of.grant().session_id or random_id()
    notice = LogoutNotice(random_id(), of.client.client_id, of.user.id, session_id, 1)
    return logout_token.issue(notice, of.client, of.settings.issuer, of.keys)


KINDS: Mapping[str, Callable[[Subject], str]] = {
    "id_token": _id_token,
    "access_token": _access_token,
    "logout_token": _logout_token,
}
"""What issues each kind that is for a client, as the endpoints of the service do."""


def store(connection: Connection, of: Subject, access_token: str) -> None:
    """Let introspection and userinfo know an access token, as long as it is valid."""
    grant = of.grant()
    expires_at = clock.now() + of.lifetime
    access_tokens.store(
        connection,
        access_token,
        refresh_id=grants.store_without_refresh_token(connection, expires_at, **grant.columns),
        expires_at=expires_at,
        scopes=of.access_token_scopes,
        resources=None,
        requested_claims=None,
    )


@dataclass(frozen=True, slots=True)
class UnsignedToken:
    """The header and the claims of a token, which its next signature covers."""

    header: dict[str, str]
    claims: dict[str, Any]

    @classmethod
    def of(cls, token: str) -> "UnsignedToken":
        """Return what a token of ours says."""
        header, claims = (json.loads(base64url.decode(part)) for part in token.split(".")[:2])
        return cls(header, claims)

    def changed(self, members: Mapping[str, Any], removed: Collection[str]) -> "UnsignedToken":
        """Return it with these claims, and without those that are removed."""
        claims = {**self.claims, **members}
        remaining = {name: value for name, value in claims.items() if name not in removed}
        return UnsignedToken(self.header, remaining)


def _current(token: UnsignedToken, keys: SigningKeys) -> str:
    return keys.sign(token.claims, alg=token.header["alg"], typ=token.header["typ"])


def _unknown(token: UnsignedToken, _keys: SigningKeys) -> str:
    key = generate(token.header["alg"], random_id())
    return jwt.sign(token.claims, key, typ=token.header["typ"])


def _none(token: UnsignedToken, _keys: SigningKeys) -> str:
    parts = {"alg": "none", "typ": token.header["typ"]}, token.claims
    return "".join(f"{base64url.encode(compact(part).encode())}." for part in parts)


def _broken(token: UnsignedToken, keys: SigningKeys) -> str:
    content, _, signature = _current(token, keys).rpartition(".")
    octets = bytearray(base64url.decode(signature))
    # One bit in the middle: the signature keeps its length and its form.
    octets[len(octets) // 2] ^= 1
    return f"{content}.{base64url.encode(bytes(octets))}"


SIGNATURES: Mapping[str, Callable[[UnsignedToken, SigningKeys], str]] = {
    "current": _current,
    "unknown": _unknown,
    "none": _none,
    "broken": _broken,
}
"""How a token is signed: with the key that signs now; with one that is not in the key set; not at
all (RFC 7519, section 6); or with one bit of the signature changed."""


_MEMBERS = ("kind", "person", "client_id", "resource", "set", "remove", "sign")
# It is for all first-party applications together, so it names no client.
_WITHOUT_CLIENT = "session_jwt"
# The service knows a right one again: a resource server may ask about it instead of verifying it.
_STORED = "access_token"
_RIGHT = "current"


def issue(request: AuthRequest) -> Response:
    """Return the token."""
    fields = Fields.of(request, _MEMBERS)
    kind = fields.choice("kind", (*KINDS, _WITHOUT_CLIENT))
    sign = fields.choice("sign", SIGNATURES, _RIGHT)
    added = fields.members("set")
    removed = fields.texts("remove")
    made, subject = _issued(request, fields, kind)
    # No access token comes with it, of which a client could compare the hash.
    issued = UnsignedToken.of(made).changed({}, ("at_hash",))
    removable = [name for name in (*issued.claims, *AT_TIMES) if name not in added]
    if not {*removed} <= {*removable}:
        message = "Only claims of the token that are not set can be removed"
        raise invalid(message, "remove", dict.fromkeys(removable))
    token = SIGNATURES[sign](issued.changed(added, removed), request.signing_keys)
    if kind == _STORED and subject is not None and (sign, added, removed) == (_RIGHT, {}, []):
        store(request.db, subject, token)
    return json_answer({"token": token})


def _issued(request: AuthRequest, fields: Fields, kind: str) -> tuple[str, Subject | None]:
    """Return the token that the service would issue, and for whom it is if for a client."""
    settings, keys = request.auth_settings, request.signing_keys
    client = None
    if kind != _WITHOUT_CLIENT or "client_id" in fields:
        client = named_client(request, fields)
    user = user_of(request, named(request, fields))
    resource = _resource(fields, settings, None if kind != _STORED else client)
    if kind == _WITHOUT_CLIENT or client is None:
        return session_jwt(user, settings.auth_url, settings, keys), None
    subject = Subject(user, client, settings, keys, request.db_readonly, resource)
    return KINDS[kind](subject), subject


def _resource(fields: Fields, settings: AuthSettings, client: Client | None) -> Resource | None:
    """Return the resource of the client that was named, else its first, of those that take JWTs."""
    own = client.own_resources(settings.resources) if client else ()
    taking = {each.uri: each for each in own if each.takes_jwt}
    if "resource" in fields:
        return taking[fields.choice("resource", taking)]
    return next(iter(taking.values()), None)
