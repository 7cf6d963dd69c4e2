"""What tokens are made from: the grant behind an authorization code or a refresh token."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from authservice.oauth.requested_claims import RequestedClaims
from authservice.services.authorization_codes import AuthorizationCode
from authservice.services.refresh_tokens import RefreshToken


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
    def of_refresh_token(cls, token: RefreshToken) -> "TokenGrant":
        """Return the grant of a refresh token; a nonce belongs to the first ID token alone."""
        return cls(
            client_id=token.client_id,
            user_id=token.user_id,
            session_id=token.session_id,
            auth_time=token.auth_time,
            scopes=token.scopes,
            nonce=None,
            resources=token.resources or (),
            requested_claims=RequestedClaims.from_json(token.requested_claims),
            authorization_code_id=token.authorization_code_id,
        )
