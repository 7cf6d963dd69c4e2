"""Logout tokens: how a client learns that a session ended (OIDC Back-Channel Logout 1.0, 2.4)."""

from authservice import clock
from authservice.crypto.algorithms import DEFAULT_ALG
from authservice.crypto.secret_values import random_id
from authservice.services.clients.clients import Client
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.sessions.logout_notices import LogoutNotice

TYP = "logout+jwt"
_EVENT = "http://schemas.openid.net/event/backchannel-logout"
_LIFETIME_SECONDS = 120


def issue(notice: LogoutNotice, client: Client, issuer: str, keys: SigningKeys) -> str:
    """Return the signed logout token for one notice."""
    issued_at = int(clock.now().timestamp())
    content = {
        "iss": issuer,
        "sub": notice.user_id,
        "aud": client.client_id,
        "iat": issued_at,
        "exp": issued_at + _LIFETIME_SECONDS,
        "jti": random_id(),
        "events": {_EVENT: {}},
        "sid": notice.session_id,
    }
    alg = client.id_token_signed_response_alg or DEFAULT_ALG
    return keys.sign(content, alg=alg, typ=TYP)
