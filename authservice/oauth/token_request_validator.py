"""The answers to oauthlib's questions about a token request, in the order it asks them.

Everything is looked up with the reader; the writer is opened only when the tokens are made and
signed, so that no lock is held meanwhile. A refused grant is raised with a text that names the
rule, rather than answered with False.
"""

from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidScopeError
from oauthlib.openid.connect.core.request_validator import RequestValidator

from authservice.crypto.secret_values import random_token
from authservice.oauth import access_token_jwt, id_token, remaining_grant
from authservice.oauth.authorization_checks import PKCE_VALUE, InvalidTargetError
from authservice.oauth.grants import GRANT_TYPES
from authservice.oauth.token_grant import TokenGrant
from authservice.oauth.token_request import TokenRequest
from authservice.oauth.token_response import (
    CODE_REFUSED,
    REFRESH_REFUSED,
    SIGNED_OUT,
    TokenStore,
    end_replayed_code,
)
from authservice.services import (
    authorization_codes,
    refresh_tokens,
    sessions,
)
from authservice.services.clients import Client
from authservice.services.refresh_tokens import State


class TokenRequestValidator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Knows nothing itself: what it finds out is kept with the request."""

    def client_authentication_required(self, _request: object) -> bool:
        """Say yes: every client has been authenticated, public ones by naming themselves."""
        return True

    def authenticate_client(self, _request: object) -> bool:
        """Accept: the client was authenticated before."""
        return True

    def validate_grant_type(self, _client_id: str, grant_type: str, *_: object) -> bool:
        """Accept the grants that we have."""
        return grant_type in GRANT_TYPES

    def validate_code(
        self, _client_id: str, code: str, client: Client, request: TokenRequest
    ) -> bool:
        """Accept a code of this client for this redirect URI and this verifier."""
        found = authorization_codes.find(request.context.reader, code)
        if found is None or found.grant.client_id != client.client_id:
            raise InvalidGrantError(description=CODE_REFUSED)
        request.found_code = found
        if found.row.spent:
            # Somebody holds a code that was used before: what was made from it ends (RFC 9700).
            end_replayed_code(request.context.open_writer(), found)
        if found.row.spent or found.row.expired:
            raise InvalidGrantError(description=CODE_REFUSED)
        if request.redirect_uri != found.grant.redirect_uri:
            raise InvalidGrantError(
                description="redirect_uri differs from the one in the authorization request."
            )
        if not PKCE_VALUE.fullmatch(request.code_verifier or ""):
            raise InvalidGrantError(
                description="code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~."
            )
        session = sessions.find_by_id(request.context.reader, found.grant.session_id)
        if session is None:
            raise InvalidGrantError(description=SIGNED_OUT)
        granted = TokenGrant.of_code(found)
        request.grant = remaining_grant.of(
            request.context.reader, granted, client, request.context.settings
        )
        request.resources = _target(granted, request)
        request.user = session.user
        request.scopes = list(request.grant.scopes)
        return True

    def get_code_challenge(self, _code: str, request: TokenRequest) -> str:
        """Return the challenge of the code that was found."""
        assert request.found_code is not None  # noqa: S101  (oauthlib has it validated before)
        return request.found_code.grant.code_challenge

    def get_code_challenge_method(self, _code: str, _request: object) -> str:
        """Return the one method there is."""
        return "S256"

    def confirm_redirect_uri(self, *_: object) -> bool:
        """Accept: the redirect URI was compared when the code was found."""
        return True

    def validate_refresh_token(
        self, refresh_token: str, client: Client, request: TokenRequest
    ) -> bool:
        """Accept a token of this client that is fresh, or was rotated within the grace."""
        found = refresh_tokens.find(request.context.reader, refresh_token)
        if found is None or found.client_id != client.client_id:
            raise InvalidGrantError(description=REFRESH_REFUSED)
        state = refresh_tokens.state_of(found, request.context.settings.lifetimes.refresh_grace)
        if state is State.REPLAYED:
            refresh_tokens.end_replayed_family(request.context.open_writer(), found)
        if state is not State.USABLE:
            raise InvalidGrantError(description=REFRESH_REFUSED)
        request.found_refresh_token = found
        granted = TokenGrant.of_refresh_token(found)
        request.grant = remaining_grant.to_refresh(
            request.context.reader, granted, client, request.context.settings
        )
        request.resources = _target(granted, request)
        request.user = found.user
        return True

    def get_original_scopes(self, _refresh_token: str, request: TokenRequest) -> list[str]:
        """Return what is left of the grant's scopes; a narrowed access token narrows none."""
        return list(request.grant.scopes)

    def is_within_original_scope(
        self, scopes: list[str], _refresh_token: str, request: TokenRequest
    ) -> bool:
        """Leave out what was granted once and is lost; refuse what never was, naming what is."""
        left = request.grant.scopes
        request.scopes = [scope for scope in scopes if scope in left]
        if request.scopes and {*scopes} <= {*request.found_refresh_token.scopes}:
            return True
        granted = " ".join(left)
        raise InvalidScopeError(description=f"scope may hold what was granted only: {granted}.")

    def rotate_refresh_token(self, _request: object) -> bool:
        """Rotate always."""
        return True

    def get_authorization_code_nonce(
        self, _client_id: str, _code: str, _redirect_uri: str, request: TokenRequest
    ) -> str | None:
        """Return the nonce of the authorization request."""
        return request.grant.nonce

    def new_access_token(self, request: TokenRequest) -> str:
        """Return an access token: opaque, or a JWT where it is for a resource of its own."""
        if not request.resources:
            return random_token()
        return access_token_jwt.issue(
            request.grant,
            request.scopes,
            request.resources,
            request.context.settings,
            request.context.keys,
        )

    def get_id_token(
        self, token: dict[str, Any], _token_handler: object, request: TokenRequest
    ) -> str:
        """Return the ID token that goes with the tokens about to be answered."""
        return id_token.issue(
            request.grant,
            request.client,
            request.user,
            request.scopes,
            token["access_token"],
            settings=request.context.settings,
            keys=request.context.keys,
        )

    def save_bearer_token(self, token: dict[str, Any], request: TokenRequest, *_: object) -> None:
        """Spend what was presented and store the tokens, all in one transaction."""
        store = TokenStore(
            request.context.open_writer,
            request.context.settings.lifetimes,
            request.client,
            request.grant,
            request.resources,
        )
        if request.found_code is not None:
            store.redeem(request.found_code, token, request.scopes)
        else:
            store.refresh(request.refresh_token, request.found_refresh_token, token, request.scopes)

    def invalidate_authorization_code(self, *_: object) -> None:
        """Do nothing: the code was spent as the tokens were stored."""


def _target(granted: TokenGrant, request: TokenRequest) -> tuple[str, ...]:
    """Return the resources that the access token is for (RFC 8707, section 2.2)."""
    asked = request.sent.resources
    left = request.grant.resources
    if not set(asked) <= set(granted.resources):
        raise InvalidTargetError(
            description="resource must be one that the authorization request named."
        )
    # Without any, the token would be one for userinfo, which nobody granted.
    if not set(asked) <= set(left) or (granted.resources and not left):
        raise InvalidTargetError(
            description="resource must be one that the client may still have tokens for."
        )
    return asked or left
