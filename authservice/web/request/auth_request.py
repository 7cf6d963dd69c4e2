"""The request: what views read from it, each computed once and only when needed.

A class of our own rather than properties added one by one: Pyramid would then build a new class
for each request, at about the cost of the whole health check.
"""

from typing import TYPE_CHECKING

from pyramid.request import Request
from sqlalchemy import Connection
from webob.request import DisconnectionError

from authservice.crypto.secret_values import random_token
from authservice.database.database import Database
from authservice.database.transaction import Transaction
from authservice.identity_provider import IdentityProvider
from authservice.services.admission import confirmation
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings
from authservice.web.request import presented_session, transactions
from authservice.web.request.client_address import IPAddress, UnreadableAddress, sender_of
from authservice.web.request.components import Components
from authservice.web.request.cookies import Cookies
from authservice.web.request.counts import AllowedRequest
from authservice.web.request.presented_session import PresentedSession

if TYPE_CHECKING:
    from functools import cached_property as cached  # Pyramid has no types
else:
    # Before Python 3.12 that of functools locks for all objects together: while one request waited
    # for the database, every other one would wait for that request.
    from pyramid.decorator import reify as cached


class AuthRequest(Request):  # type: ignore[misc]  # Pyramid has no types
    """A request with the service's components at hand."""

    # Set by authservice.web.request.transactions while the request's transaction is open.
    open_transaction: Transaction | None = None

    # Set by the rate limits of clients: what a request of a client counts as if it succeeds.
    allowed: AllowedRequest | None = None

    # Set by the rate limits of clients: a token was presented, so a failure guesses no secret.
    token_noted: bool = False

    # The ui_locales of the client's request for which this page is shown.
    ui_locales: str | None = None

    @cached
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

    @cached
    def transaction(self) -> Transaction:
        """Return the request's writing transaction, begun at the first use.

        It is committed when the view returns, and rolled back when it raises.
        """
        return transactions.begin(self)

    @property
    def db(self) -> Connection:
        """Return the connection of the request's writing transaction."""
        return self.transaction.connection

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

    @cached
    def presented_session(self) -> PresentedSession | None:
        """Return the stored session, if its person is admitted: else the request has none."""
        stored = self.stored_session
        if stored is None:
            return None
        admission = self.auth_settings.admission
        admitted = confirmation.is_admitted(stored.session.user, admission, self.db_readonly)
        return stored if admitted else None

    @cached
    def stored_session(self) -> PresentedSession | None:
        """Return the session that the cookies name; among several, the one begun here.

        Its person may have to be confirmed, and is signed out until then.
        """
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

    @cached
    def confirmed_session(self) -> CentralSession | None:
        """Return the session only if its companion cookie proves that it was begun here."""
        presented = self.presented_session
        return presented.session if presented and self.confirms(presented) else None

    @property
    def waiting_session(self) -> CentralSession | None:
        """Return the session that was begun here and goes on once its person is confirmed."""
        stored = self.stored_session
        if stored is None or self.presented_session is not None or not self.confirms(stored):
            return None
        return stored.session

    @cached
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

    @property
    def sender(self) -> IPAddress | UnreadableAddress | None:
        """Return who sent the request, past trusted proxies."""
        sender = sender_of(self.environ, self.auth_settings.trusted_proxies)
        if isinstance(sender, UnreadableAddress):
            self.components.hourly_warnings.say(
                "%s writes %.100a into X-Forwarded-For, which is no address: all people whom it"
                " names so count as one sender, and their sessions show no address",
                self.environ["REMOTE_ADDR"],
                sender.text,
            )
        return sender

    @property
    def from_address(self) -> str | None:
        """Return the address that the request came from, or None where it cannot be read."""
        sender = self.sender
        if sender is None or isinstance(sender, UnreadableAddress):
            return None
        return str(sender)
