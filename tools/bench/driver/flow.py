"""The authorization-code flow with PKCE, from a live session to three tokens."""

import base64
import hashlib
import json
import secrets
from urllib.parse import parse_qsl, urlencode, urlsplit

from tools.bench.driver.http11 import Answer, WrongAnswerError, get, post_form
from tools.bench.people.population import Client, Grant

AUTHORIZE = "/api/auth/oauth2/authorize"
TOKEN = "/api/auth/oauth2/token"


class Flow:
    """One authorization request and what follows from it; its random parts are made again."""

    def __init__(self, host: str, client: Client) -> None:
        self._host = host
        self._client = client
        self._verifier = secrets.token_urlsafe(32)
        self._state = secrets.token_urlsafe(16)

    @property
    def address(self) -> str:
        """Return where the client sends the browser (RFC 6749, 4.1.1; RFC 7636, 4.3)."""
        digest = hashlib.sha256(self._verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._client.redirect_uri,
            "scope": "openid profile email offline_access",
            "state": self._state,
            "nonce": self._state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{AUTHORIZE}?{urlencode(query)}"

    def authorization_request(self, cookies: str) -> bytes:
        """Return the browser's request."""
        return get(self._host, self.address, {"Cookie": cookies})

    def token_request(self, answer: Answer) -> bytes:
        """Return the client's request for tokens; raises WrongAnswerError without a code."""
        location = urlsplit(answer.header("Location"))
        parameters = dict(parse_qsl(location.query))
        if parameters.get("state") != self._state or "code" not in parameters:
            raise WrongAnswerError(f"no code: {answer.status} {answer.head[:400]!r}")
        form = {
            "grant_type": "authorization_code",
            "code": parameters["code"],
            "redirect_uri": self._client.redirect_uri,
            "code_verifier": self._verifier,
        }
        return post_form(self._host, TOKEN, form, {"Authorization": self._client.authorization})

    def grant(self, answer: Answer) -> Grant:
        """Return the tokens; raises WrongAnswerError unless there are all three, of this flow."""
        try:
            tokens = json.loads(answer.body)
            claims = _claims(tokens["id_token"])
            if answer.status == 200 and claims["nonce"] == self._state:
                return Grant(
                    claims["sub"], self._client, tokens["access_token"], tokens["refresh_token"]
                )
        except (KeyError, ValueError):
            pass
        raise WrongAnswerError(f"no tokens: {answer.status} {answer.body[:400]!r}")


def _claims(id_token: str) -> dict[str, str]:
    """Return the claims of an ID token, whose signature is not looked at: it is the load's cost."""
    _, payload, signature = id_token.split(".")
    if not signature:
        raise ValueError("an ID token without a signature")
    claims: dict[str, str] = json.loads(
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    )
    return claims
