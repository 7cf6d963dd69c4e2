"""A user with whom something is about to happen."""

from contextlib import contextmanager

from authservice.oauth.oauth_request import TOKEN, OAuthRequest
from authservice.oauth.server import server
from tests.helpers.browser import ORIGIN
from tests.helpers.server_context import server_context

SESSION_API = "/api/auth"


class Story:
    """A person who is signed in, what their client holds, and what is being issued to it."""

    def __init__(self, app, database, browser, relying_party):
        self.app, self._components = app, app.registry.components
        self.database, self.browser, self.client = database, browser, relying_party
        self.spent_code = relying_party.sign_in_with(browser)
        self.tokens = relying_party.redeem(self.spent_code).json
        self.code = relying_party.sign_in_with(browser)
        self.session = browser.session()

    def use(self, app):
        """Let another application on the same database answer from now on."""
        self.app, self._components = app, app.registry.components

    def refresh(self):
        return {"grant_type": "refresh_token", "refresh_token": self.tokens["refresh_token"]}

    def redeem(self):
        return {
            "grant_type": "authorization_code",
            "code": self.code,
            "redirect_uri": self.client.redirect_uri,
            "code_verifier": self.client.verifier,
        }

    @contextmanager
    def being_issued(self, form):
        """Give the answer to a token request whose transaction is committed afterwards."""
        with self.database.begin() as transaction:
            yield self.answer(form, lambda: transaction)

    def answer(self, form, transaction):
        """Return the answer to a token request that begins its transaction by calling this."""
        client = {"client_id": self.client.client_id, "client_secret": self.client.client_secret}
        sent = (form | client).items()
        context = self.context(transaction)
        return server.create_token_response(OAuthRequest.read(TOKEN, context, None, sent))

    def context(self, transaction=None):
        """Return what one request works with."""
        return server_context(self._components, self.database, transaction)

    def post(self, path, content):
        """Send a request of the person's first-party application."""
        return self.browser.post_json(f"{SESSION_API}/{path}", content, headers={"Origin": ORIGIN})
