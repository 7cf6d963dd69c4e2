"""What tokens are made from: the grant behind an authorization code or a refresh token.

What is left of it is decided when it is used, however old it is.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from sqlalchemy import Connection

from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.oauth_request import ServerContext
from authservice.services.admission import client_rules, confirmation
from authservice.services.clients.clients import Client
from authservice.services.people.consents import Allowed
from authservice.services.people.users import User
from authservice.services.tokens.authorization_codes import AuthorizationCode
from authservice.services.tokens.refresh_tokens import Family

CONSENT_TAKEN_BACK = "The user has taken the consent back since."
ADMISSION_DUE = "The user's admission has to be confirmed: sign in again."
_NOT_FOR_USER = "This client is not for this user: no entry of its list of allowed people fits."


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenGrant:
    """A grant, wherever it was found. The session is None once it has ended."""

    client_id: str
    user_id: str
    # The session of the sign-in, as ID tokens name it.
    session_id: str | None
    auth_time: datetime
    scopes: tuple[str, ...]
    nonce: str | None
    resources: tuple[str, ...]
    requested_claims: RequestedClaims
    authorization_code_id: str | None

    @property
    def consent_scopes(self) -> tuple[str, ...]:
        """Return what the person has allowed with it: the scopes, and those of single claims."""
        return (*self.scopes, *self.requested_claims.scopes)

    @property
    def columns(self) -> dict[str, Any]:
        """Return the grant as its row stores it."""
        return {
            "client_id": self.client_id,
            "session_id": self.session_id,
            "user_id": self.user_id,
            "authorization_code_id": self.authorization_code_id,
            "auth_time": self.auth_time,
            "scopes": self.scopes,
            "resources": self.resources,
            "requested_claims": self.requested_claims.to_json(),
        }

    @property
    def claims(self) -> dict[str, Any]:
        """Return what a signed access token says of the grant (RFC 9068, section 2.2)."""
        return {
            "sub": self.user_id,
            "client_id": self.client_id,
            "auth_time": int(self.auth_time.timestamp()),
        }

    def is_within(self, consent: Allowed | None) -> bool:
        """Tell whether a consent covers all of the grant."""
        return consent is not None and consent.covers(self.consent_scopes, self.resources)

    def within(self, scopes: Collection[str], resources: Collection[str]) -> "TokenGrant":
        """Return what is left of the grant where it may hold these scopes and resources only."""
        lost = {scope for scope in self.consent_scopes if scope not in scopes}
        if not lost and all(resource in resources for resource in self.resources):
            return self
        return replace(
            self,
            scopes=tuple(scope for scope in self.scopes if scope not in lost),
            resources=tuple(each for each in self.resources if each in resources),
            requested_claims=self.requested_claims.without(lost),
        )

    @classmethod
    def of_code(cls, code: AuthorizationCode) -> "TokenGrant":
        """Return the grant of an authorization code."""
        grant = code.grant
        return cls(
            client_id=grant.client_id,
            user_id=grant.user_id,
            session_id=grant.session_id,
            auth_time=grant.auth_time,
            scopes=grant.scopes,
            nonce=grant.nonce,
            resources=grant.resources,
            requested_claims=RequestedClaims.from_json(grant.requested_claims),
            authorization_code_id=code.id,
        )

    @classmethod
    def of_family(cls, family: Family) -> "TokenGrant":
        """Return the grant of refresh tokens; a nonce belongs to the first ID token alone."""
        return cls(
            client_id=family.client_id,
            user_id=family.user_id,
            session_id=family.session_id,
            auth_time=family.auth_time,
            scopes=family.scopes,
            nonce=None,
            resources=family.resources or (),
            requested_claims=RequestedClaims.from_json(family.requested_claims),
            authorization_code_id=family.authorization_code_id,
        )


def confirmed_after(context: ServerContext, user: User) -> datetime:
    """Return when the user must have been confirmed at the latest, for the statements that follow.

    Raises InvalidGrantError where the user was not.
    """
    after = confirmation.confirmed_after(user, context.settings.admission, context.reader)
    if not confirmation.is_confirmed(user, after):
        raise InvalidGrantError(description=ADMISSION_DUE)
    return after


def require_allowed(
    context: ServerContext, writer: Connection, allow: client_rules.Allow, user_id: str
) -> None:
    """Raise InvalidGrantError for a person whom the client's list does not allow."""
    if not client_rules.allows(writer, context.settings, allow, user_id):
        raise InvalidGrantError(description=_NOT_FOR_USER)


def remaining(
    context: ServerContext, client: Client, granted: TokenGrant, consent: Allowed | None
) -> TokenGrant:
    """Return what the client may have, and the person still allows by this consent.

    Raises InvalidGrantError where that is nothing.
    """
    described = context.settings.resources
    resources = [each.uri for each in client.own_resources(described)]
    left = granted.within(client.allowed_scopes(described), resources)
    if not client.skip_consent:
        if consent is None:
            raise InvalidGrantError(description=CONSENT_TAKEN_BACK)
        left = left.within(consent.scopes, consent.resources or ())
    if not left.scopes:
        raise InvalidGrantError(description="No scope of this grant is allowed any longer.")
    return left
