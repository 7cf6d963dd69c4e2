"""Redeeming an authorization code (RFC 6749, 4.1.3), from the first check to the answer."""

from datetime import datetime, timedelta
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, OAuth2Error
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase
from sqlalchemy import Connection

from authservice import clock
from authservice.database.transaction import Transaction
from authservice.events import CodeReplayed
from authservice.oauth import pkce
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.token import issue
from authservice.oauth.token.grant import (
    ADMISSION_DUE,
    CONSENT_TAKEN_BACK,
    TokenGrant,
    confirmed_after,
    remaining,
    require_allowed,
)
from authservice.oauth.token.issue import SignedTokens
from authservice.services.people import person_lock
from authservice.services.people.consents import Allowed
from authservice.services.sessions import logout_notices, session_and_consent
from authservice.services.sessions.sessions import CentralSession
from authservice.services.tokens import authorization_codes, grants, refresh_tokens
from authservice.services.tokens.authorization_codes import AuthorizationCode
from authservice.settings.resource_file import LONGEST_OF_A_RESOURCE

GRANT_TYPE = "authorization_code"

_REFUSED = (
    "The authorization code is unknown, expired, already used, or was issued to another client."
)
_SIGNED_OUT = "The user has signed out since."


class AuthorizationCodeGrant(GrantTypeBase):
    """Gives tokens for a code, once, to the client that it was issued to.

    The server finds a grant by its type, as oauthlib has it; nothing else of the base is used.
    """

    def create_token_response(self, request: OAuthRequest) -> dict[str, Any]:
        """Return the tokens; raises as ``redeem``."""
        return redeem(request)


def redeem(request: OAuthRequest) -> dict[str, Any]:
    """Return the tokens; raises OAuth2Error, and the code can never be redeemed then."""
    lifetimes = request.context.settings.lifetimes
    request.parameters.require("code", "redirect_uri")
    code = _find_code(request)
    try:
        _refuse_replay(request, code)
        _check_redirect_uri(request, code)
        pkce.check_verifier_form(request.parameters)
        session, consent = _find_session_and_consent(request, code)
        admitted = confirmed_after(request.context, session.user)
        granted = TokenGrant.of_code(code)
        grant = remaining(request.context, request.client, granted, consent)
        resource = issue.target(request, granted, grant)
        pkce.check_verifier(request.parameters, code.grant.code_challenge)

        # Before the transaction: no lock is held while it is signed.
        offline = "offline_access" in grant.scopes
        tokens = issue.sign(request, grant, session.user, grant.scopes, resource)

        transaction = request.context.transaction()
        writer = transaction.connection
        family = lifetimes.refresh_family if offline else timedelta()
        longest = max(lifetimes.access_token, LONGEST_OF_A_RESOURCE)
        _spend(transaction, code, family + longest)
        allow = person_lock.share(writer, grant.user_id, grant.client_id)
        _require_session_and_consent(request, writer, code, grant, admitted)
        require_allowed(request.context, writer, allow, grant.user_id)
        start = _start_family if offline else _start_without_refresh_token
        grant_id = start(request, writer, tokens)
        if request.client.backchannel_logout_uri is not None:
            logout_notices.add_participant(writer, code.grant.session_id, grant.client_id)
        ignored = code.grant.ignored_scopes
        issue.store(transaction, GRANT_TYPE, tokens, grant_id, grant, ignored)
    except OAuth2Error:
        # A client may not try one verifier after the other.
        writer = request.context.transaction().connection
        authorization_codes.spend(writer, code, code.row.expires_at)
        raise
    return tokens.answer


def _find_code(request: OAuthRequest) -> AuthorizationCode:
    """Return the code that was sent, spent or not, unless it is another client's."""
    code = authorization_codes.find(request.context.reader, request.parameters.values["code"])
    if code is None or code.grant.client_id != request.client.client_id:
        raise InvalidGrantError(description=_REFUSED)
    return code


def _refuse_replay(request: OAuthRequest, code: AuthorizationCode) -> None:
    if code.row.spent:
        _end_replayed(request.context.transaction(), code)
    if code.row.spent or code.row.expired:
        raise InvalidGrantError(description=_REFUSED)


def _end_replayed(transaction: Transaction, code: AuthorizationCode) -> None:
    """Revoke what was made from a code that has been used before (RFC 9700, section 4.5)."""
    refresh_tokens.revoke_of_code(transaction.connection, code.id)
    transaction.note(CodeReplayed(client_id=code.grant.client_id, sub=code.grant.user_id))


def _check_redirect_uri(request: OAuthRequest, code: AuthorizationCode) -> None:
    if request.parameters.values["redirect_uri"] != code.grant.redirect_uri:
        raise InvalidGrantError(
            description="redirect_uri differs from the one in the authorization request."
        )


def _find_session_and_consent(
    request: OAuthRequest, code: AuthorizationCode
) -> tuple[CentralSession, Allowed | None]:
    reader, grant = request.context.reader, code.grant
    session, consent = session_and_consent.read(reader, grant.session_id, grant.client_id)
    if session is None:
        raise InvalidGrantError(description=_SIGNED_OUT)
    return session, consent


def _spend(transaction: Transaction, code: AuthorizationCode, lifetime: timedelta) -> None:
    """Spend the code, unless another request has done so since it was found.

    It is remembered for the lifetime of what is made from it, which a second use revokes.
    """
    if not authorization_codes.spend(transaction.connection, code, clock.now() + lifetime):
        _end_replayed(transaction, code)
        raise InvalidGrantError(description=_REFUSED)


def _require_session_and_consent(
    request: OAuthRequest,
    writer: Connection,
    code: AuthorizationCode,
    grant: TokenGrant,
    admitted: datetime,
) -> None:
    """Refuse a code whose session, admission or consent has ended by now."""
    current = session_and_consent.find(
        writer, code.grant.session_id, code.grant.client_id, confirmed_after=admitted
    )
    if not current.session_is_active:
        raise InvalidGrantError(description=_SIGNED_OUT)
    if not current.is_admitted:
        raise InvalidGrantError(description=ADMISSION_DUE)
    if not request.client.skip_consent and not grant.is_within(current.consent):
        raise InvalidGrantError(description=CONSENT_TAKEN_BACK)


def _start_family(request: OAuthRequest, writer: Connection, tokens: SignedTokens) -> str:
    """Store a grant with a refresh token, have that answered, and return the grant's id."""
    lifetimes = request.context.settings.lifetimes
    first = refresh_tokens.start_family(
        writer,
        request.context.secret,
        lifetime=lifetimes.refresh_token,
        family_lifetime=lifetimes.refresh_family,
        **tokens.grant.columns,
    )
    tokens.answer["refresh_token"] = first.token
    return first.id


def _start_without_refresh_token(
    _request: OAuthRequest, writer: Connection, tokens: SignedTokens
) -> str:
    return grants.store_without_refresh_token(writer, issue.expiry(tokens), **tokens.grant.columns)
