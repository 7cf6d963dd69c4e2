"""The tokens of each kind that the service would issue for a person to a client now."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from authservice import clock
from authservice.crypto.secret_values import random_id, random_token
from authservice.oauth import claims, id_token
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.logout import token as logout_token
from authservice.oauth.token import access_token_jwt
from authservice.oauth.token.grant import TokenGrant
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people.users import User
from authservice.services.sessions import sessions
from authservice.services.sessions.logout_notices import LogoutNotice
from authservice.services.tokens import access_tokens, grants
from authservice.settings import AuthSettings

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

    @property
    def resources(self) -> tuple[str, ...]:
        """Return what an access token is for: the client's resources, else the service itself."""
        own = [each for each in self.settings.resources if self.client.may_have_tokens_for(each)]
        return tuple(own) or (self.settings.issuer,)

    def grant(self) -> TokenGrant:
        """Return all that the client may have, in the person's newest session if there is one."""
        alive = sessions.of_user(self.reader, self.user.id)
        newest = alive[-1] if alive else None
        return TokenGrant(
            client_id=self.client.client_id,
            user_id=self.user.id,
            session_id=newest.id if newest else None,
            auth_time=newest.auth_time if newest else clock.now(),
            scopes=self.client.allowed_scopes,
            nonce=None,
            resources=self.resources,
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
    grant = of.grant()
    return access_token_jwt.issue(grant, grant.scopes, of.resources, of.settings, of.keys)


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
    if grant.resources == (of.settings.issuer,):
        # As the service stores a token that names no resource.
        grant = replace(grant, resources=())
    expires_at = clock.now() + of.settings.lifetimes.access_token
    access_tokens.store(
        connection,
        access_token,
        refresh_id=grants.store_without_refresh_token(connection, expires_at, **grant.columns),
        expires_at=expires_at,
        scopes=grant.scopes,
        resources=None,
        requested_claims=None,
    )
