"""ID tokens: their claims and their signature (OIDC Core, section 2)."""

from collections.abc import Iterable
from typing import Any

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.crypto.jwt import half_hash
from authservice.oauth import claims
from authservice.oauth.token.grant import TokenGrant
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people.users import User
from authservice.settings import AuthSettings

TYP = "JWT"
ACR = "urn:authservice:acr:identity-provider"
"""The one acr: the person signed in at the identity provider, which does not say how."""


def issue(
    grant: TokenGrant,
    client: Client,
    user: User,
    scopes: Iterable[str],
    access_token: str,
    *,
    settings: AuthSettings,
    keys: SigningKeys,
) -> str:
    """Return a signed ID token that goes with an access token."""
    issued_at = int(clock.now().timestamp())
    alg = client.id_token_signed_response_alg or DEFAULT_ALG
    content: dict[str, Any] = {
        "iss": settings.issuer,
        "sub": user.id,
        "aud": client.client_id,
        "exp": issued_at + int(settings.lifetimes.id_token.total_seconds()),
        "iat": issued_at,
        "auth_time": int(grant.auth_time.timestamp()),
        "at_hash": half_hash(alg, access_token),
    }
    if grant.requested_claims.asks_for_acr:
        content["acr"] = ACR
    if grant.nonce is not None:
        content["nonce"] = grant.nonce
    if grant.session_id is not None:
        content["sid"] = grant.session_id
    about_scopes = () if client.minimal_id_token else scopes
    about_user = claims.of_user(user, settings, about_scopes, grant.requested_claims.id_token)
    return keys.sign(about_user | content, alg=alg, typ=TYP)


def verified_hint(hint: str, settings: AuthSettings, keys: SigningKeys) -> dict[str, Any] | None:
    """Return the claims of an ID token of ours, expired or not; None when it is none."""
    payload = keys.verify(hint, typ=TYP)
    if payload is None or payload.get("iss") != settings.issuer:
        return None
    return payload if isinstance(payload.get("sub"), str) else None
