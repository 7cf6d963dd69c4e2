"""The suite's side of a module: its clients, its requests, and a flow with every usual check."""

import base64
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tests.conformance import checks
from tests.conformance.old_browser import OldBrowser, Outcome
from tests.helpers.browser import Browser
from tests.helpers.relying_party import challenge_of

# As behind a TLS front: the issuer is https, the process is spoken to in WSGI.
ORIGIN = "https://localhost:37960"
ISSUER = f"{ORIGIN}/api/auth"
DISCOVERY = f"{ISSUER}/.well-known/openid-configuration"

HOME = "https://suite.example.com/test/a/authservice"
CALLBACK = f"{HOME}/callback"
POST_LOGOUT = f"{HOME}/post_logout_redirect"


@dataclass(frozen=True, slots=True)
class Client:
    """A client of the suite, registered beforehand."""

    client_id: str
    client_secret: str
    redirect_uri: str
    auth_method: str = "client_secret_basic"

    def credentials(self):
        """Return the headers and the form members by which it authenticates."""
        if self.auth_method == "client_secret_post":
            return {}, {"client_id": self.client_id, "client_secret": self.client_secret}
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}"
        encoded = base64.b64encode(pair.encode()).decode()
        return {"Authorization": f"Basic {encoded}"}, {}


@dataclass(frozen=True, slots=True)
class Login:
    """A whole code flow: what was requested, where it led, and what was issued."""

    request: dict[str, str]
    outcome: Outcome
    code: str
    tokens: dict[str, Any]
    id_token: dict[str, Any]
    userinfo: dict[str, Any]


class Suite:
    """One module in progress."""

    def __init__(self, app, database, clock, response_mode=None):
        self.browser = OldBrowser(app, ORIGIN)
        self.http = Browser(app, ORIGIN)
        self.verifier = secrets.token_urlsafe(48)
        self._database = database
        self._clock = clock
        self._response_mode = response_mode

    def wait(self, seconds):
        """Let time pass."""
        self._clock.advance(seconds=seconds)

    @property
    def now(self):
        """Return the time in seconds."""
        return self._clock.moment.timestamp()

    @cached_property
    def metadata(self):
        """Return the metadata, checked."""
        answer = self.http.visit(DISCOVERY)
        checks.metadata(answer, ISSUER)
        return answer.json

    @cached_property
    def keys(self):
        """Return the published keys, checked."""
        return checks.keys(self.http.visit(self.metadata["jwks_uri"]))

    @cached_property
    def client(self):
        """Return the client that most modules use."""
        return self.register()

    def register(
        self, redirect_uri=CALLBACK, auth_method="client_secret_basic", **changes
    ) -> Client:
        """Register a client as the suite's are: ID tokens hold no claims about the person."""
        assert auth_method in self.metadata["token_endpoint_auth_methods_supported"]
        wanted = {"name": "Conformance suite", "minimal_id_token": True} | changes
        with self._database.begin() as transaction:
            client_id, secret = client_registration.register(
                transaction, ClientMetadata(redirect_uris=[redirect_uri], **wanted)
            )
        return Client(client_id, secret, redirect_uri, auth_method)

    def request(self, client=None, **changes):
        """Return an authorization request with random state and nonce; None leaves one out."""
        client = client or self.client
        assert self.keys  # its check belongs to the setting up of each module
        parameters = {
            "client_id": client.client_id,
            "redirect_uri": client.redirect_uri,
            "scope": "openid",
            "state": secrets.token_urlsafe(8),
            "nonce": secrets.token_urlsafe(8),
            "response_type": "code",
            "response_mode": self._response_mode,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
        } | changes
        return {name: value for name, value in parameters.items() if value is not None}

    def authorize(self, request, **options):
        """Send the browser to the authorization endpoint."""
        return self.browser.open(self.metadata["authorization_endpoint"], request, **options)

    def answer(self, request, outcome):
        """Return the checked parameters of an authorization response."""
        assert outcome.page is None, outcome.page
        return checks.authorization_response(
            outcome.callback, request, ISSUER, form_post=self._response_mode == "form_post"
        )

    def refusal(self, client=None, **changes):
        """Return the checked error that an authorization request is answered with at once."""
        request = self.request(client, **changes)
        outcome = self.authorize(request)
        assert not outcome.pages
        answer = self.answer(request, outcome)
        assert "error" in answer, answer
        return answer["error"]

    def login(self, client=None, **changes) -> Login:
        """Make a code flow, all the way to userinfo, with every check that modules share."""
        client = client or self.client
        request = self.request(client, **changes)
        return self.finish(request, self.authorize(request), client)

    def finish(self, request, outcome, client=None) -> Login:
        """Complete a flow whose authorization request has been sent."""
        client = client or self.client
        code = checks.code(self.answer(request, outcome))
        tokens = checks.token_response(self.redeem(code, client))
        id_token = self.verified(tokens["id_token"])
        checks.id_token(
            id_token, request, issuer=ISSUER, now=self.now, access_token=tokens["access_token"]
        )
        userinfo = checks.userinfo(self.userinfo(tokens["access_token"]), id_token["sub"])
        return Login(request, outcome, code, tokens, id_token, userinfo)

    def verified(self, token):
        """Return the claims of a signed token, checked with the published keys."""
        return checks.signature(token, self.keys, "RS256")

    def redeem(self, code, client=None):
        """Send a code to the token endpoint; returns the answer of any status."""
        client = client or self.client
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.redirect_uri,
            "code_verifier": self.verifier,
        }
        return self._token_request(client, form)

    def refresh(self, refresh_token, scope, client=None):
        """Send a refresh token to the token endpoint; returns the answer of any status."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "scope": scope}
        return self._token_request(client or self.client, form)

    def _token_request(self, client, form):
        headers, credentials = client.credentials()
        endpoint = self.http.path(self.metadata["token_endpoint"])
        return self.http.post(endpoint, form | credentials, headers=headers, expect_errors=True)

    def userinfo(self, access_token):
        """Ask for the claims behind an access token; returns the answer of any status."""
        return self.http.visit(
            self.metadata["userinfo_endpoint"],
            headers={"Authorization": f"Bearer {access_token}"},
            expect_errors=True,
        )

    def end_session(self, **parameters):
        """Send the browser to the end-session endpoint; it clicks nothing there."""
        return self.browser.open(self.metadata["end_session_endpoint"], parameters, click=())
