"""The JWT by which a GitHub App says who it is, signed with the App's own key."""

from datetime import datetime, timedelta

from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from authservice.crypto import base64url
from authservice.crypto.compact_json import compact

_ALG = "RS256"
# GitHub takes ten minutes at most, by its own clock, which may be behind ours.
_BEFORE = timedelta(seconds=60)
_AFTER = timedelta(minutes=8)


class AppKey:
    """The private key of an App."""

    def __init__(self, app_id: str, pem: bytes) -> None:
        self._app_id = app_id
        self._jwk = JWK.from_pem(pem)

    def token(self, now: datetime) -> str:
        """Return a JWT that is good for some minutes."""
        issued = int((now - _BEFORE).timestamp())
        claims = {
            "iat": issued,
            "exp": int((now + _AFTER).timestamp()),
            "iss": self._app_id,
        }
        header = {"alg": _ALG, "typ": "JWT"}
        parts = (base64url.encode(compact(part).encode()) for part in (header, claims))
        signing_input = ".".join(parts)
        signature = JWA.signing_alg(_ALG).sign(self._jwk, signing_input.encode("ascii"))
        return f"{signing_input}.{base64url.encode(signature)}"
