"""What every grant does to issue tokens: name their target, sign and store them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from authservice import clock
from authservice.crypto.secret_values import random_token
from authservice.database.transaction import Transaction
from authservice.events import TokenIssued
from authservice.oauth import id_token
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.parameters import Parameters
from authservice.oauth.token import access_token_jwt
from authservice.oauth.token.grant import TokenGrant
from authservice.services.people.users import User
from authservice.services.tokens import access_tokens
from authservice.settings import AuthSettings
from authservice.settings.resource_indicators import as_named


@dataclass(frozen=True, slots=True)
class SignedTokens:
    """Tokens that are signed and not yet stored, and what they are made from."""

    grant: TokenGrant
    scopes: Sequence[str]
    resources: tuple[str, ...]
    answer: dict[str, Any]


def target(parameters: Parameters, granted: TokenGrant, left: TokenGrant) -> tuple[str, ...]:
    """Return the resources that the access token is for (RFC 8707, section 2.2)."""
    requested = as_named(parameters.resources, granted.resources)
    if not set(requested) <= set(granted.resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that the authorization request named.",
        )
    # Without any, the token would be one for userinfo, which was not granted.
    if not set(requested) <= set(left.resources) or (granted.resources and not left.resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that the client may still have tokens for.",
        )
    return requested or left.resources


def access_token_lifetime(
    grant: TokenGrant, resources: Iterable[str], settings: AuthSettings
) -> timedelta:
    """Return how long an access token of a grant lives: as long as all its resources allow."""
    longest = settings.lifetimes.access_token
    renewable = "offline_access" in grant.scopes
    described = [settings.resources[uri] for uri in resources if uri in settings.resources]
    return min((each.lifetime(longest, renewable=renewable) for each in described), default=longest)


def sign(
    request: OAuthRequest,
    grant: TokenGrant,
    user: User,
    scopes: Sequence[str],
    resources: tuple[str, ...],
) -> SignedTokens:
    """Return what is signed of one answer; the access token is what its resources take."""
    settings, keys = request.context.settings, request.context.keys
    lifetime = access_token_lifetime(grant, resources, settings)
    if any(settings.resources[uri].takes_jwt for uri in resources):
        access_token = access_token_jwt.issue(
            grant, scopes, resources, settings, keys, lifetime=lifetime
        )
    else:
        access_token = random_token()
    answer = {
        "access_token": access_token,
        "expires_in": int(lifetime.total_seconds()),
        "token_type": "Bearer",
        "scope": " ".join(scopes),
    }
    if "openid" in scopes:
        answer["id_token"] = id_token.issue(
            grant, request.client, user, scopes, access_token, settings=settings, keys=keys
        )
    return SignedTokens(grant, scopes, resources, answer)


def store(
    transaction: Transaction,
    grant_type: str,
    tokens: SignedTokens,
    grant_id: str,
    stored: TokenGrant,
    ignored: Sequence[str],
) -> None:
    """Store the access token with the grant that has this id, and note that it has been issued.

    ``ignored`` are scopes that were asked for as well.
    """
    grant = tokens.grant
    claims = grant.requested_claims
    access_tokens.store(
        transaction.connection,
        tokens.answer["access_token"],
        refresh_id=grant_id,
        expires_at=expiry(tokens),
        scopes=tuple(tokens.scopes),
        resources=None if tokens.resources == stored.resources else tokens.resources,
        requested_claims=None if claims == stored.requested_claims else claims.to_json(),
    )
    issued = TokenIssued(
        grant_type=grant_type,
        client_id=grant.client_id,
        sub=grant.user_id,
        scope=tokens.answer["scope"],
        ignored_scope=" ".join(ignored) or None,
    )
    transaction.note(issued)


def expiry(tokens: SignedTokens) -> datetime:
    """Return when the access token expires, if it is answered now."""
    return clock.now() + timedelta(seconds=tokens.answer["expires_in"])
