"""What every grant does to issue tokens: name their target, sign and store them."""

from collections.abc import Iterable, Mapping, Sequence
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
from authservice.oauth.token import access_token_jwt
from authservice.oauth.token.grant import TokenGrant
from authservice.services.people.users import User
from authservice.services.tokens import access_tokens
from authservice.settings import AuthSettings
from authservice.settings.resource_file import RESERVED_SCOPES, Resource, owners
from authservice.settings.resource_indicators import as_named


@dataclass(frozen=True, slots=True)
class SignedTokens:
    """Tokens that are signed and not yet stored, and what they are made from.

    The scopes are those of the access token, and the resource is the one that it is for.
    """

    grant: TokenGrant
    scopes: tuple[str, ...]
    resource: Resource | None
    answer: dict[str, Any]


def target(
    request: OAuthRequest, granted: TokenGrant, left: TokenGrant, scopes: Iterable[str] = ()
) -> Resource | None:
    """Return the one resource that the access token is for (RFC 8707, section 2.2).

    It is the one that the token request names, else the one whose scopes it names. Of several the
    first counts, in the order of the authorization request; so it does if none is named.
    """
    described = request.context.settings.resources
    named = as_named(request.parameters.resources, granted.resources)
    if not set(named) <= set(granted.resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description=(
                "resource must be one that the authorization request named and the person allowed."
            ),
        )
    # Without any, the token would be one for userinfo, which was not granted.
    if not set(named) <= set(left.resources) or (granted.resources and not left.resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that the client may still have tokens for.",
        )
    if not named:
        held = {*left.scopes}
        named = owners((scope for scope in scopes if scope in held), described)
    wanted = [uri for uri in left.resources if uri in named] or left.resources
    return described[wanted[0]] if wanted else None


def access_token_lifetime(
    grant: TokenGrant, resource: Resource | None, settings: AuthSettings
) -> timedelta:
    """Return how long an access token of a grant lives, for a resource or for userinfo."""
    longest = settings.lifetimes.access_token
    if resource is None:
        return longest
    return resource.lifetime(longest, renewable="offline_access" in grant.scopes)


def access_token_scopes(scopes: Iterable[str], resource: Resource | None) -> tuple[str, ...]:
    """Return those of the scopes that an access token has: its resource's, or ours for userinfo.

    Each has a meaning where the token is sent (RFC 9068, section 2.2.3).
    """
    own = RESERVED_SCOPES if resource is None else resource.scopes
    return tuple(scope for scope in scopes if scope in own)


def answered_scopes(scopes: Iterable[str], resource: Resource | None) -> tuple[str, ...]:
    """Return those of the scopes that an answer is about: ours, and those of its access token."""
    own = () if resource is None else resource.scopes
    return tuple(scope for scope in scopes if scope in RESERVED_SCOPES or scope in own)


def new_access_token(
    request: OAuthRequest,
    about: Mapping[str, Any],
    scopes: Iterable[str],
    resource: Resource | None,
    lifetime: timedelta,
) -> str:
    """Return an access token that is not yet stored: signed if its resource takes such ones."""
    if resource is None or not resource.takes_jwt:
        return random_token()
    settings, keys = request.context.settings, request.context.keys
    return access_token_jwt.issue(about, scopes, resource.uri, settings, keys, lifetime=lifetime)


def sign(
    request: OAuthRequest,
    grant: TokenGrant,
    user: User,
    scopes: Iterable[str],
    resource: Resource | None,
) -> SignedTokens:
    """Return what is signed of one answer; the access token is what its resource takes."""
    settings, keys = request.context.settings, request.context.keys
    lifetime = access_token_lifetime(grant, resource, settings)
    answered = answered_scopes(scopes, resource)
    opened = access_token_scopes(answered, resource)
    access_token = new_access_token(request, grant.claims, opened, resource, lifetime)
    answer = {
        "access_token": access_token,
        "expires_in": int(lifetime.total_seconds()),
        "token_type": "Bearer",
        "scope": " ".join(answered),
    }
    if "openid" in answered:
        answer["id_token"] = id_token.issue(
            grant, request.client, user, answered, access_token, settings=settings, keys=keys
        )
    return SignedTokens(grant, opened, resource, answer)


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
    resources = () if tokens.resource is None else (tokens.resource.uri,)
    access_tokens.store(
        transaction.connection,
        tokens.answer["access_token"],
        refresh_id=grant_id,
        expires_at=expiry(tokens),
        scopes=tokens.scopes,
        resources=None if resources == stored.resources else resources,
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
