"""The answers to oauthlib's questions, one object for each request, in the order it asks them.

Everything is looked up with the reader; the writer is opened only when the tokens are made and
signed, so that no lock is held meanwhile. A refused grant is raised with a text that names the
rule, rather than answered with False.
"""

from collections.abc import Callable
from typing import Any

from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidScopeError
from oauthlib.openid.connect.core.request_validator import RequestValidator as OpenIDValidator
from sqlalchemy import Connection

from authservice.crypto.secret_values import random_token
from authservice.oauth import access_token_jwt, claims, id_token, introspection, revocation
from authservice.oauth.authorization_checks import PKCE_VALUE, InvalidTargetError
from authservice.oauth.grants import GRANT_TYPES
from authservice.oauth.requested_claims import RequestedClaims
from authservice.oauth.token_grant import TokenGrant
from authservice.oauth.token_response import (
    CODE_REFUSED,
    REFRESH_REFUSED,
    SIGNED_OUT,
    TokenStore,
)
from authservice.services import (
    access_tokens,
    authorization_codes,
    clients,
    refresh_tokens,
    sessions,
    users,
)
from authservice.services.access_tokens import AccessToken
from authservice.services.authorization_codes import AuthorizationCode
from authservice.services.clients import Client
from authservice.services.refresh_tokens import RefreshToken, State
from authservice.services.signing_keys import SigningKeys
from authservice.settings import AuthSettings


class RequestValidator(OpenIDValidator):  # type: ignore[misc]  # oauthlib has no types
    """Knows one request's client, code and refresh token, as it learns them."""

    def __init__(
        self,
        settings: AuthSettings,
        keys: SigningKeys,
        reader: Connection,
        open_writer: Callable[[], Connection],
    ) -> None:
        """Take what answers need: settings, keys, and the two ways to the database."""
        super().__init__()
        self._settings = settings
        self._keys = keys
        self._reader = reader
        self._open_writer = open_writer
        # Set before oauthlib is asked: the client is authenticated first of all.
        self.client: Client | None = None
        self.code: AuthorizationCode | None = None
        self.access_token: AccessToken | None = None
        # The resources that the token request names.
        self.asked_resources: tuple[str, ...] = ()
        self._refresh_token: RefreshToken | None = None
        self._grant: TokenGrant | None = None
        self._resources: tuple[str, ...] = ()
        self._session_is_alive = False

    # Authorization request

    def validate_client_id(self, client_id: str, request: Any) -> bool:
        """Tell whether the client exists, and remember it."""
        self.client = request.client = clients.find(self._reader, client_id)
        return self.client is not None

    def validate_redirect_uri(self, _client_id: str, redirect_uri: str, request: Any) -> bool:
        """Tell whether the redirect URI is one of the client's."""
        return bool(request.client.allows_redirect_to(redirect_uri))

    def get_default_redirect_uri(self, *_: object) -> None:
        """Return none: redirect_uri is required."""

    def validate_response_type(self, *_: object) -> bool:
        """Accept: the response type was checked to be ``code``."""
        return True

    def is_pkce_required(self, *_: object) -> bool:
        """Demand PKCE. It must be the literal True: oauthlib compares by identity."""
        return True

    def get_default_scopes(self, *_: object) -> list[str]:
        """Return what an omitted scope means."""
        return ["openid"]

    def validate_scopes(
        self,
        _client_id: str,
        scopes: list[str],
        client: Client,
        _request: object,
    ) -> bool:
        """Accept the scopes that the client may ask for."""
        if not all(client.may_ask_for(scope) for scope in scopes):
            allowed = " ".join(scope for scope in clients.SCOPES if client.may_ask_for(scope))
            raise InvalidScopeError(description=f"scope may hold these values only: {allowed}.")
        return True

    # Token request

    def client_authentication_required(self, _request: object) -> bool:
        """Say yes: every client has been authenticated, public ones by naming themselves."""
        return True

    def authenticate_client(self, request: Any) -> bool:
        """Hand over the client that was authenticated before."""
        request.client = self.client
        request.client_id = self.client.client_id if self.client else None
        return self.client is not None

    def validate_grant_type(self, _client_id: str, grant_type: str, *_: object) -> bool:
        """Accept the grants that we have."""
        return grant_type in GRANT_TYPES

    def validate_code(self, _client_id: str, code: str, client: Client, request: Any) -> bool:
        """Accept a code of this client for this redirect URI and this verifier."""
        found = authorization_codes.find(self._reader, code)
        if found is None or found.grant.client_id != client.client_id:
            raise InvalidGrantError(description=CODE_REFUSED)
        self.code = found
        if found.row.spent:
            # Somebody holds a code that was used before: what was made from it ends (RFC 9700).
            refresh_tokens.revoke_of_code(self._open_writer(), found.id)
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
        session = sessions.find_by_id(self._reader, found.grant.session_id)
        if session is None:
            raise InvalidGrantError(description=SIGNED_OUT)
        self._grant = TokenGrant.of_code(found)
        self._resources = self._target(self._grant)
        request.user = session.user
        request.scopes = list(found.grant.scopes)
        return True

    def get_code_challenge(self, _code: str, _request: object) -> str:
        """Return the challenge of the code that was found."""
        return self._found_code.grant.code_challenge

    def get_code_challenge_method(self, _code: str, _request: object) -> str:
        """Return the one method there is."""
        return "S256"

    def confirm_redirect_uri(self, *_: object) -> bool:
        """Accept: the redirect URI was compared when the code was found."""
        return True

    def validate_refresh_token(self, refresh_token: str, client: Client, request: Any) -> bool:
        """Accept a token of this client that is fresh, or was rotated within the grace."""
        found = refresh_tokens.find(self._reader, refresh_token)
        if found is None or found.client_id != client.client_id:
            raise InvalidGrantError(description=REFRESH_REFUSED)
        state = refresh_tokens.state_of(found, self._settings.lifetimes.refresh_grace)
        if state is State.REPLAYED:
            refresh_tokens.revoke_family(self._open_writer(), found.family_id)
        user = users.find(self._reader, found.user_id)
        if state is not State.USABLE or user is None:
            raise InvalidGrantError(description=REFRESH_REFUSED)
        self._refresh_token = found
        self._grant = TokenGrant.of_refresh_token(found)
        self._resources = self._target(self._grant)
        request.user = user
        self._session_is_alive = (
            found.session_id is not None
            and sessions.find_by_id(self._reader, found.session_id) is not None
        )
        return True

    def _target(self, grant: TokenGrant) -> tuple[str, ...]:
        """Return the resources that the access token is for (RFC 8707, section 2.2)."""
        if not set(self.asked_resources) <= set(grant.resources):
            raise InvalidTargetError(
                description="resource must be one that the authorization request named."
            )
        return self.asked_resources or grant.resources

    def get_original_scopes(self, *_: object) -> list[str]:
        """Return the scopes of the grant; a narrowed access token does not narrow it."""
        return list(self._found_refresh_token.scopes)

    def is_within_original_scope(self, *_: object) -> bool:
        """Refuse what the grant does not hold, naming what it does."""
        granted = " ".join(self._found_refresh_token.scopes)
        raise InvalidScopeError(description=f"scope may hold what was granted only: {granted}.")

    def rotate_refresh_token(self, _request: object) -> bool:
        """Rotate always."""
        return True

    # Token response

    def get_authorization_code_nonce(self, *_: object) -> str | None:
        """Return the nonce of the authorization request."""
        return self._found_code.grant.nonce

    def new_access_token(self, request: Any) -> str:
        """Return an access token: opaque, or a JWT where it is for a resource of its own."""
        if not self._resources:
            return random_token()
        return access_token_jwt.issue(
            self._found_grant, request.scopes, self._resources, self._settings, self._keys
        )

    def get_id_token(self, token: dict[str, Any], _token_handler: object, request: Any) -> str:
        """Return the ID token that goes with the tokens about to be answered."""
        return id_token.issue(
            self._found_grant,
            request.client,
            request.user,
            request.scopes,
            token["access_token"],
            settings=self._settings,
            keys=self._keys,
        )

    def save_bearer_token(self, token: dict[str, Any], request: Any, *_: object) -> None:
        """Spend what was presented and store the tokens, all in one transaction."""
        store = TokenStore(
            self._open_writer,
            self._settings.lifetimes,
            request.client,
            self._found_grant,
            self._resources,
        )
        if self.code is not None:
            store.redeem(self.code, token, request.scopes)
        else:
            store.refresh(
                request.refresh_token,
                self._found_refresh_token,
                token,
                request.scopes,
                session_is_alive=self._session_is_alive,
            )

    def invalidate_authorization_code(self, *_: object) -> None:
        """Do nothing: the code was spent as the tokens were stored."""

    # Introspection and revocation

    def introspect_token(
        self, token: str, _hint: str | None, request: Any
    ) -> dict[str, Any] | None:
        """Return what a token stands for, if this client may know."""
        return introspection.describe(self._reader, token, request.client, self._settings)

    def revoke_token(self, token: str, _hint: str | None, request: Any) -> None:
        """Take a token of this client back; any other is left alone."""
        revocation.revoke(self._reader, self._open_writer, token, request.client)

    # Userinfo

    def validate_bearer_token(self, token: str | None, _scopes: object, request: Any) -> bool:
        """Accept an access token that is alive, and set what it stands for."""
        found = access_tokens.find(self._reader, token) if token else None
        # A token for a resource is that resource's alone: there it must not open the profile.
        if found is None or found.resources:
            return False
        self.access_token = found
        request.user = found.user
        request.scopes = found.scopes
        return True

    def get_userinfo_claims(self, request: Any) -> dict[str, Any]:
        """Return the claims that the token's scopes allow."""
        found = self.access_token
        asked = RequestedClaims.from_json(found.requested_claims if found else None)
        return {"sub": request.user.id} | claims.of_user(
            request.user, request.scopes, asked.userinfo
        )

    @property
    def _found_code(self) -> AuthorizationCode:
        assert self.code is not None  # noqa: S101  (oauthlib asked for it to be found before)
        return self.code

    @property
    def _found_grant(self) -> TokenGrant:
        assert self._grant is not None  # noqa: S101  (as above)
        return self._grant

    @property
    def _found_refresh_token(self) -> RefreshToken:
        assert self._refresh_token is not None  # noqa: S101  (as above)
        return self._refresh_token
