"""The request: what views ask of it, each looked up once and only when asked.

A class of our own rather than properties added one by one: Pyramid would then build a new class
for each request, at about the cost of the whole health check.
"""

from pyramid.request import Request
from sqlalchemy import Connection
from webob.request import DisconnectionError

from authservice.crypto.secret_values import random_token
from authservice.db import Database
from authservice.identity_provider import IdentityProvider
from authservice.oauth.server import AuthorizationServer
from authservice.oauth.server_context import ServerContext
from authservice.services.sessions import CentralSession
from authservice.services.signing_keys import SigningKeys
from authservice.settings import AuthSettings
from authservice.web import presented_session, transactions
from authservice.web.client_address import client_address
from authservice.web.components import Components
from authservice.web.cookies import Cookies
from authservice.web.kept import kept
from authservice.web.presented_session import PresentedSession
from authservice.web.request_counts import AdmittedRequest


class AuthRequest(Request):  # type: ignore[misc]  # Pyramid has no types
    """A request with the service's components at hand."""

    # Set by authservice.web.transactions while a writing transaction is open.
    writing: Connection | None = None

    # Set by authservice.web.rate_limits: what a request of a client counts as if it succeeds.
    admitted: AdmittedRequest | None = None

    # The languages that a client asked for in the request on whose way this page lies.
    ui_locales: str | None = None

    @kept
    def body(self) -> bytes:
        """Return the body, as long as its header says; raises DisconnectionError if it is shorter.

        The server has received all of it by now, and it is never long. WebOb would wrap what the
        server read it into, copy that, and read the copy.
        """
        length = int(self.environ.get("CONTENT_LENGTH") or 0)
        body: bytes = self.environ["wsgi.input"].read(length)
        if len(body) < length:
            raise DisconnectionError
        return body

    @property
    def components(self) -> Components:
        """Return what the application is made of."""
        components: Components = self.registry.components
        return components

    @property
    def auth_settings(self) -> AuthSettings:
        """Return the settings."""
        return self.components.settings

    @property
    def database(self) -> Database:
        """Return the database."""
        return self.components.database

    @property
    def db_readonly(self) -> Connection:
        """Return this thread's connection for reading."""
        return self.components.database.reader

    @kept
    def db(self) -> Connection:
        """Return the request's writing transaction, begun at the first use.

        It is committed when the view returns, and rolled back when it raises.
        """
        return transactions.begin(self)

    @property
    def cookies_of_service(self) -> Cookies:
        """Return the reader and writer of our cookies."""
        return self.components.cookies

    @property
    def signing_keys(self) -> SigningKeys:
        """Return the signing keys."""
        return self.components.signing_keys

    @property
    def identity_provider(self) -> IdentityProvider:
        """Return where people sign in."""
        return self.components.identity_provider

    @property
    def cookie_header(self) -> str:
        """Return the Cookie header as it was sent."""
        header: str = self.environ.get("HTTP_COOKIE", "")
        return header

    @kept
    def presented_session(self) -> PresentedSession | None:
        """Return the session that the cookies name; among several, the one begun here."""
        return presented_session.find(
            self.cookies_of_service,
            self.cookie_header,
            self.components.database,
            self.auth_settings.lifetimes.session_max,
        )

    def confirms(self, presented: PresentedSession) -> bool:
        """Tell whether the companion cookie proves that a session was begun in this browser."""
        return self.cookies_of_service.has_companion_of(
            self.cookie_header, presented.session.id, presented.token
        )

    @property
    def central_session(self) -> CentralSession | None:
        """Return the session, whether or not it was begun in this browser."""
        return self.presented_session.session if self.presented_session else None

    @kept
    def confirmed_session(self) -> CentralSession | None:
        """Return the session only if its companion cookie proves that it was begun here."""
        presented = self.presented_session
        return presented.session if presented and self.confirms(presented) else None

    @kept
    def browser(self) -> str:
        """Return the value that names this browser; a new browser is given one."""
        known = self.cookies_of_service.browser(self.cookie_header)
        if known:
            return known
        value = random_token()
        self.add_response_callback(
            lambda request, response: request.cookies_of_service.set_browser(response, value)
        )
        return value

    @property
    def known_browser(self) -> str | None:
        """Return the value that names this browser, or None for a new one."""
        return self.cookies_of_service.browser(self.cookie_header)

    # Not kept: it leads back here, and such a circle is freed by the garbage collector only.
    @property
    def authorization_server(self) -> AuthorizationServer:
        """Return the authorization server for this request."""
        context = ServerContext(
            self.auth_settings,
            self.signing_keys,
            self.db_readonly,
            lambda: self.db,
            self.registry.admission(self),
        )
        return AuthorizationServer(context)

    @property
    def from_address(self) -> str | None:
        """Return the address that the request came from, past trusted proxies."""
        return client_address(self.environ, self.auth_settings.trusted_proxies)
