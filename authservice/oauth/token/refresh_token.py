"""Refreshing tokens (RFC 6749, section 6), from the first check to the answer."""

from collections.abc import Sequence
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidScopeError
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase

from authservice.database.transaction import Transaction
from authservice.oauth.oauth_request import OAuthRequest
from authservice.oauth.token import issue
from authservice.oauth.token.grant import TokenGrant, confirmed_after, remaining, require_allowed
from authservice.oauth.token.issue import SignedTokens
from authservice.services.clients.clients import ignored
from authservice.services.people import consents, person_lock
from authservice.services.people.consents import Allowed
from authservice.services.tokens import authorization_codes, grants, refresh_tokens
from authservice.services.tokens.refresh_tokens import Family, Issued, RefreshToken, State
from authservice.settings.resource_file import Resource

GRANT_TYPE = "refresh_token"

_REFUSED = (
    "The refresh token is unknown, expired, revoked, already used, or was issued to another client."
)


class RefreshTokenGrant(GrantTypeBase):
    """Gives new tokens for a refresh token, and a successor that takes its place.

    The server finds a grant by its type, as oauthlib has it; nothing else of the base is used.
    """

    def create_token_response(self, request: OAuthRequest) -> dict[str, Any]:
        """Return the tokens; raises as ``refresh``."""
        return refresh(request)


def refresh(request: OAuthRequest) -> dict[str, Any]:
    """Return the tokens; raises OAuth2Error."""
    request.parameters.require("refresh_token")
    presented = _find_token(request)
    _refuse_replay(request, presented)
    family = presented.family
    confirmed_after(request.context, family.user)
    # Before the transaction: no lock is held while it is signed.
    tokens = _signed(request, family, family.consent)

    transaction = request.context.transaction()
    writer = transaction.connection
    allow = person_lock.share(writer, family.user_id, family.client_id)
    if not request.client.skip_consent:
        consent = consents.find(writer, family.client_id, family.user_id)
        if not tokens.grant.is_within(consent):
            # Less is allowed than when it was signed. It stays so, the person being shared.
            tokens = _signed(request, family, consent)
    require_allowed(request.context, writer, allow, family.user_id)
    successor = _rotate(transaction, request, presented)
    if successor is None:
        raise InvalidGrantError(description=_REFUSED)
    tokens.answer["refresh_token"] = successor.token
    if successor.session_id is not None and not family.session_is_alive:
        grants.leave_session(writer, successor.id, successor.session_id)
    stored = TokenGrant.of_family(family)
    others = ignored(_requested(request) or (), request.allowed_scopes)
    issue.store(transaction, GRANT_TYPE, tokens, successor.id, stored, others)
    return tokens.answer


def _find_token(request: OAuthRequest) -> RefreshToken:
    """Return the token that was sent, in whatever state, unless it is another client's."""
    context, value = request.context, request.parameters.values["refresh_token"]
    has_form = refresh_tokens.has_form(value)
    token = refresh_tokens.find(context.reader, context.secret, value) if has_form else None
    is_own = token is not None and token.family.client_id == request.client.client_id
    # To a client another one's is as unknown as one that never was.
    context.note_token(unknown=has_form and not is_own)
    if token is None or not is_own:
        raise InvalidGrantError(description=_REFUSED)
    return token


def _refuse_replay(request: OAuthRequest, presented: RefreshToken) -> None:
    """Accept a token that is fresh, or was rotated within the grace."""
    grace = request.context.settings.lifetimes.refresh_grace
    state = refresh_tokens.state_of(presented, grace)
    if state is State.REPLAYED:
        refresh_tokens.end_replayed_family(request.context.transaction(), presented)
    if state is not State.USABLE:
        raise InvalidGrantError(description=_REFUSED)


def _signed(request: OAuthRequest, family: Family, consent: Allowed | None) -> SignedTokens:
    """Return what this consent leaves of the grant, signed; raises OAuth2Error."""
    granted = TokenGrant.of_family(family)
    grant = remaining(request.context, request.client, granted, consent)
    _require_offline_access(grant)
    resource = issue.target(request, granted, grant, _requested(request) or ())
    scopes = _scopes(request, family, grant, resource)
    return issue.sign(request, grant, family.user, scopes, resource)


def _require_offline_access(grant: TokenGrant) -> None:
    if "offline_access" not in grant.scopes:
        raise InvalidGrantError(
            description="offline_access is needed to refresh, and is no longer allowed."
        )


def _scopes(
    request: OAuthRequest, family: Family, grant: TokenGrant, resource: Resource | None
) -> Sequence[str]:
    """Return the scopes of the answer, which may be fewer than those of the grant.

    What was asked for once, and was ignored or declined or is lost, is left out, as is what the
    client may not have, and what is another resource's. Other scopes are more than the grant, and
    refused.
    """
    requested, held = _requested(request), issue.answered_scopes(grant.scopes, resource)
    if requested is None:
        return held
    there = {*held}
    scopes = [scope for scope in requested if scope in there]
    more = {*requested} & {*request.allowed_scopes} - {*family.scopes}
    if not scopes or (more and not more <= _asked_for(request, family)):
        granted = " ".join(held)
        raise InvalidScopeError(description=f"scope may hold what was granted only: {granted}.")
    return scopes


def _requested(request: OAuthRequest) -> list[str] | None:
    scope = request.parameters.get("scope")
    return None if scope is None else [*dict.fromkeys(scope.split())]


def _asked_for(request: OAuthRequest, family: Family) -> set[str]:
    """Return the scopes of the authorization request, which the code remembers."""
    code_id = family.authorization_code_id
    return {*authorization_codes.asked_for(request.context.reader, code_id)} if code_id else set()


def _rotate(
    transaction: Transaction, request: OAuthRequest, presented: RefreshToken
) -> Issued | None:
    """Return the successor of what was presented; None where it may not be used.

    A request that comes second within the grace gets the successor that the first one made.
    """
    lifetimes = request.context.settings.lifetimes
    return refresh_tokens.rotate(
        transaction,
        request.context.secret,
        request.parameters.values["refresh_token"],
        presented,
        lifetime=lifetimes.refresh_token,
        grace=lifetimes.refresh_grace,
        confirmed_after=confirmed_after(request.context, presented.family.user),
    )
