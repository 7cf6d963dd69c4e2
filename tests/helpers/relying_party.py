"""A small relying party: builds authorization requests, does PKCE, redeems what it gets."""

import base64
import hashlib
import secrets
from urllib.parse import parse_qs, urlsplit

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tests.helpers.browser import Browser

AUTHORIZE = "/api/auth/oauth2/authorize"
TOKEN = "/api/auth/oauth2/token"
USERINFO = "/api/auth/oauth2/userinfo"


def challenge_of(verifier):
    return (
        base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    )


class RelyingParty:
    """A registered client and its own connection to the service, without cookies."""

    def __init__(self, app, client_id, client_secret, redirect_uri):
        self.client_id = client_id
        self.client_secret = client_secret
        self.redirect_uri = redirect_uri
        self.http = Browser(app)
        self.verifier = secrets.token_urlsafe(48)

    @classmethod
    def registered(cls, app, database, **changes):
        """Register a client; changes are those of a registration."""
        wanted = {"name": "Example App", "redirect_uris": ["https://app.example.com/callback"]}
        with database.begin() as transaction:
            registration = ClientMetadata(**(wanted | changes))
            client_id, secret = client_registration.register(transaction, registration)
        return cls(app, client_id, secret, next(iter(registration.redirect_uris), None))

    def request(self, **changes):
        """Return the parameters of an authorization request; None leaves one out."""
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "openid profile email offline_access",
            "state": "opaque state",
            "nonce": "n-0S6_WzA2Mj",
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
        } | changes
        return {name: value for name, value in parameters.items() if value is not None}

    def authorize(self, browser, **changes):
        """Send the person to the authorization endpoint."""
        return browser.get(AUTHORIZE, self.request(**changes))

    def sign_in_with(self, browser, **changes):
        """Let the person sign in and allow everything requested; return the code."""
        answer = browser.follow_home(self.authorize(browser, **changes))
        if "/sign-in" in answer.request.path:
            answer = browser.follow_home(browser.press(answer, choice="sign-in"))
        if "/consent" in answer.request.path:
            answer = browser.follow_home(browser.press(answer, decision="allow"))
        return self.answer(answer)["code"]

    def answer(self, response):
        """Return the parameters of an authorization response."""
        assert response.status_int in {302, 303}, response
        assert response.location.startswith(self.redirect_uri), response.location
        return {
            name: values[0] for name, values in parse_qs(urlsplit(response.location).query).items()
        }

    def redeem(self, code, **changes):
        """Send a code to the token endpoint; returns the answer of any status."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
        } | changes
        return self.token_request(form)

    def refresh(self, refresh_token, **changes):
        """Send a refresh token to the token endpoint; returns the answer of any status."""
        return self.token_request(
            {"grant_type": "refresh_token", "refresh_token": refresh_token} | changes
        )

    def token_request(self, form):
        if self.client_secret is None:
            form = {"client_id": self.client_id} | form
        sent = {name: value for name, value in form.items() if value is not None}
        return self.http.post(TOKEN, sent, headers=self.credentials(), expect_errors=True)

    def credentials(self):
        if self.client_secret is None:
            return {}
        pair = f"{self.client_id}:{self.client_secret}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}

    def userinfo(self, access_token):
        headers = {"Authorization": f"Bearer {access_token}"}
        return self.http.get(USERINFO, headers=headers, expect_errors=True)
