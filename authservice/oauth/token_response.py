"""Making and storing the tokens of one token response, all in one transaction.

Everything is signed before the writing transaction begins. What was presented is spent by the
transaction's first statement, so a request that comes second stores nothing.
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError
from sqlalchemy import Connection

from authservice import clock, events
from authservice.events import CodeReplayed, TokenIssued
from authservice.oauth.grants import AUTHORIZATION_CODE, REFRESH_TOKEN
from authservice.oauth.remaining_grant import CONSENT_TAKEN_BACK
from authservice.oauth.token_grant import TokenGrant
from authservice.services import (
    access_tokens,
    authorization_codes,
    consents,
    person_lock,
    refresh_tokens,
    session_participants,
    standing,
)
from authservice.services.authorization_codes import AuthorizationCode
from authservice.services.clients import Client
from authservice.services.refresh_tokens import RefreshToken
from authservice.settings import Lifetimes

CODE_REFUSED = (
    "The authorization code is unknown, expired, already used, or was issued to another client."
)
REFRESH_REFUSED = (
    "The refresh token is unknown, expired, revoked, already used, or was issued to another client."
)
SIGNED_OUT = "The user has signed out since."


class ConsentChangedError(Exception):
    """The person has changed their consent since the tokens were signed; nothing is spent."""


def end_replayed_code(writer: Connection, code: AuthorizationCode) -> None:
    """Revoke what was made from a code that was used before (RFC 9700, section 4.5)."""
    refresh_tokens.revoke_of_code(writer, code.id)
    events.note(writer, CodeReplayed(client_id=code.grant.client_id, sub=code.grant.user_id))


class TokenStore:
    """Stores the tokens of one response."""

    def __init__(
        self,
        open_writer: Callable[[], Connection],
        lifetimes: Lifetimes,
        client: Client,
        grant: TokenGrant,
        resources: tuple[str, ...],
    ) -> None:
        """Take the way to the writing transaction, and for whom and what the tokens are."""
        self._open_writer = open_writer
        self._lifetimes = lifetimes
        self._client = client
        self._grant = grant
        self._resources = resources

    def redeem(self, code: AuthorizationCode, token: dict[str, Any], scopes: Iterable[str]) -> None:
        """Spend a code and store what is answered; raises InvalidGrantError when it is too late."""
        lifetimes, grant = self._lifetimes, self._grant
        offline = "refresh_token" in token
        kept = lifetimes.refresh_family if offline else lifetimes.access_token
        writer = self._open_writer()
        if not authorization_codes.spend(writer, code, clock.now() + kept):
            end_replayed_code(writer, code)
            raise InvalidGrantError(description=CODE_REFUSED)
        person_lock.share(writer, grant.user_id, grant.client_id)
        self._require_standing(writer, code)
        refresh_id = None
        if offline:
            refresh_id = refresh_tokens.start_family(
                writer,
                token["refresh_token"],
                lifetime=lifetimes.refresh_token,
                family_lifetime=lifetimes.refresh_family,
                client_id=grant.client_id,
                session_id=grant.session_id,
                user_id=grant.user_id,
                authorization_code_id=code.id,
                auth_time=grant.auth_time,
                scopes=grant.scopes,
                resources=grant.resources,
                requested_claims=grant.requested_claims.to_json(),
            )
        if self._client.backchannel_logout_uri is not None:
            session_participants.add(writer, code.grant.session_id, grant.client_id)
        self._store_access_token(writer, token, scopes, refresh_id, code.grant.session_id)
        self._note(writer, AUTHORIZATION_CODE, scopes)

    def _require_standing(self, writer: Connection, code: AuthorizationCode) -> None:
        """Refuse a code whose session or consent has ended, as the transaction sees them."""
        found = standing.find(writer, code.grant.session_id, code.grant.client_id)
        if not found.session_is_alive:
            raise InvalidGrantError(description=SIGNED_OUT)
        if self._client.skip_consent:
            return
        if not found.covers(self._grant.consent_scopes):
            raise InvalidGrantError(description=CONSENT_TAKEN_BACK)
        if self._grant.resources and not self._is_allowed(writer):
            raise InvalidGrantError(description=CONSENT_TAKEN_BACK)

    def _require_consent(self, writer: Connection) -> None:
        if self._client.skip_consent:
            return
        if not self._is_allowed(writer):
            raise ConsentChangedError

    def _is_allowed(self, writer: Connection) -> bool:
        """Tell whether the person allows what was signed, as the transaction sees it."""
        grant = self._grant
        consent = consents.find(writer, grant.client_id, grant.user_id)
        return (
            consent is not None
            and consent.covers(grant.consent_scopes)
            and consent.covers_resources(grant.resources)
        )

    def refresh(
        self,
        presented: str,
        found: RefreshToken,
        token: dict[str, Any],
        scopes: Iterable[str],
    ) -> None:
        """Rotate a refresh token and store what is answered; the answer holds the successor.

        Raises ConsentChangedError when the person no longer allows what has been signed.
        """
        writer = self._open_writer()
        person_lock.share(writer, self._grant.user_id, self._grant.client_id)
        self._require_consent(writer)
        successor = refresh_tokens.rotate(
            writer,
            presented,
            found,
            token["refresh_token"],
            lifetime=self._lifetimes.refresh_token,
            grace=self._lifetimes.refresh_grace,
        )
        if successor is None:
            raise InvalidGrantError(description=REFRESH_REFUSED)
        token["refresh_token"] = successor.token
        session_id = successor.session_id if found.session_is_alive else None
        self._store_access_token(writer, token, scopes, successor.id, session_id)
        self._note(writer, REFRESH_TOKEN, scopes)

    def _note(self, writer: Connection, grant_type: str, scopes: Iterable[str]) -> None:
        events.note(
            writer,
            TokenIssued(
                grant_type=grant_type,
                client_id=self._grant.client_id,
                sub=self._grant.user_id,
                scope=" ".join(scopes),
            ),
        )

    def _store_access_token(
        self,
        writer: Connection,
        token: dict[str, Any],
        scopes: Iterable[str],
        refresh_id: str | None,
        session_id: str | None,
    ) -> None:
        access_tokens.store(
            writer,
            token["access_token"],
            client_id=self._grant.client_id,
            session_id=session_id,
            user_id=self._grant.user_id,
            refresh_id=refresh_id,
            authorization_code_id=self._grant.authorization_code_id,
            expires_at=clock.now() + timedelta(seconds=token["expires_in"]),
            scopes=tuple(scopes),
            resources=self._resources or None,
            requested_claims=self._grant.requested_claims.to_json(),
        )
