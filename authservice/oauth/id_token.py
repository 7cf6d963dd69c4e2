"""ID tokens: their claims and their signature (OIDC Core, section 2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from authservice import clock
from authservice.crypto.jwt import half_hash
from authservice.oauth import claims
from authservice.services.signing_keys import SigningKeys
from authservice.services.users import User
from authservice.settings import AuthSettings

TYP = "JWT"
DEFAULT_ALG = "RS256"
# No more is promised than that the person signed in somehow (OIDC Core, section 2, acr).
ACR = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdTokenSubject:
    """For whom and about what an ID token speaks."""

    client_id: str
    user: User
    scopes: Iterable[str]
    auth_time: datetime
    session_id: str | None
    nonce: str | None


def issue(
    subject: IdTokenSubject, access_token: str, settings: AuthSettings, keys: SigningKeys
) -> str:
    """Return a signed ID token that goes with an access token."""
    issued_at = int(clock.now().timestamp())
    alg = DEFAULT_ALG
    content: dict[str, Any] = {
        "iss": settings.issuer,
        "sub": subject.user.id,
        "aud": subject.client_id,
        "exp": issued_at + int(settings.lifetimes.id_token.total_seconds()),
        "iat": issued_at,
        "auth_time": int(subject.auth_time.timestamp()),
        "acr": ACR,
        "at_hash": half_hash(alg, access_token),
    }
    if subject.nonce is not None:
        content["nonce"] = subject.nonce
    if subject.session_id is not None:
        content["sid"] = subject.session_id
    return keys.sign(claims.of_user(subject.user, subject.scopes) | content, alg=alg, typ=TYP)


def user_of_hint(hint: str, settings: AuthSettings, keys: SigningKeys) -> str | None:
    """Return the user whom an ID token of ours names, expired or not; None when it is none."""
    found = keys.verify(hint, typ=TYP)
    if found is None or found.get("iss") != settings.issuer:
        return None
    subject = found.get("sub")
    return subject if isinstance(subject, str) else None
