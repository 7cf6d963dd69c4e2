"""The authorization server: composed for each request of exactly the endpoints we have.

oauthlib's ready-made server would bring grants that we do not want; putting the endpoints
together costs next to nothing, and no state is shared between requests.
"""

import json
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Protocol

from oauthlib.oauth2.rfc6749.endpoints import (
    IntrospectEndpoint,
    RevocationEndpoint,
)
from oauthlib.oauth2.rfc6749.errors import (
    FatalClientError,
    InvalidClientError,
    InvalidRequestError,
    OAuth2Error,
    UnsupportedGrantTypeError,
)
from oauthlib.oauth2.rfc6749.tokens import BearerToken
from oauthlib.openid.connect.core.endpoints.userinfo import UserInfoEndpoint
from sqlalchemy import Connection

from authservice.crypto.secret_values import random_token
from authservice.oauth import bearer, client_authentication, id_token, parameters
from authservice.oauth.authorization_request import AuthorizationRequest
from authservice.oauth.authorization_response import (
    AuthorizationRefusedError,
    AuthorizationResponse,
)
from authservice.oauth.canonical_request import CanonicalRequest
from authservice.oauth.fatal_error import FatalAuthorizationError, fatal_error
from authservice.oauth.grants import (
    AUTHORIZATION_CODE,
    GRANT_TYPES,
    AuthorizationCodeGrant,
    RefreshTokenGrant,
)
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import (
    NO_STORE,
    ProtocolAnswer,
    bearer_error_answer,
    client_error_answer,
    error_answer,
)
from authservice.oauth.request_validator import RequestValidator
from authservice.oauth.requested_claims import RequestedClaims
from authservice.services import authorization_codes
from authservice.services.access_tokens import AccessToken
from authservice.services.authorization_codes import CodeGrant
from authservice.services.clients import Client
from authservice.services.sessions import CentralSession
from authservice.services.signing_keys import SigningKeys
from authservice.settings import AuthSettings

Pairs = Iterable[tuple[str, str]]


class Admit(Protocol):
    """Lets an authenticated client pass, or raises to hold it back."""

    def __call__(self, client_id: str, *, public: bool) -> None:
        """Count a request of the client."""


# oauthlib wants an address to parse; only its query is looked at.
_ADDRESS = "https://server"


class AuthorizationServer:
    """Answers one request as the authorization server."""

    def __init__(
        self,
        settings: AuthSettings,
        keys: SigningKeys,
        reader: Connection,
        open_writer: Callable[[], Connection],
        admit: Admit,
    ) -> None:
        """Take settings, keys, and the two ways to the database; the writer opens when needed.

        ``admit`` is told each client that has shown who it is, and may raise to hold it back.
        """
        self._admit = admit
        self._settings = settings
        self._keys = keys
        self._reader = reader
        self._open_writer = open_writer
        self._validator = RequestValidator(settings, keys, reader, open_writer)

    def validate_authorization_request(self, asked: Parameters) -> AuthorizationRequest:
        """Return what a client asks for.

        Raises FatalAuthorizationError where nobody may be redirected, and
        AuthorizationRefusedError with the answer that goes to the redirect URI.
        """
        for name in ("client_id", "redirect_uri"):
            if name in asked.repeated:
                raise FatalAuthorizationError("invalid_request", f"{name} is given more than once.")
            if asked.get(name) is None:
                raise FatalAuthorizationError("invalid_request", f"{name} is missing.")

        grant = AuthorizationCodeGrant(self._validator, asked)
        try:
            # The grant is asked once; its endpoint would ask it a second time to answer.
            scopes, found = grant.validate_authorization_request(CanonicalRequest(asked.values))
        except FatalClientError as error:
            raise fatal_error(error, asked, self._validator.client) from None
        except OAuth2Error as error:
            raise self._refused(asked, error.error, error.description) from None
        return self._authorization_request(asked, scopes, found)

    def _authorization_request(
        self, asked: Parameters, scopes: list[str], found: dict[str, Any]
    ) -> AuthorizationRequest:
        max_age = asked.get("max_age")
        client = found["request"].client
        claims = self._requested_claims(asked, client)
        return AuthorizationRequest(
            client=client,
            redirect_uri=asked.values["redirect_uri"],
            response_mode=asked.get("response_mode") or "query",
            state=asked.get("state"),
            scopes=tuple(dict.fromkeys(scopes)),
            code_challenge=asked.values["code_challenge"],
            nonce=asked.get("nonce"),
            prompt=frozenset((asked.get("prompt") or "").split()),
            max_age=timedelta(seconds=int(max_age)) if max_age else None,
            hinted_user_id=self._hinted_user_id(asked) or claims.user_id,
            login_hint=asked.get("login_hint"),
            resources=self._resources(asked),
            requested_claims=claims,
        )

    def _hinted_user_id(self, asked: Parameters) -> str | None:
        hint = asked.get("id_token_hint")
        if hint is None:
            return None
        found = id_token.verified_hint(hint, self._settings, self._keys)
        if found is None:
            description = "id_token_hint must be an ID token that this server issued."
            raise self._refused(asked, "invalid_request", description)
        user_id: str = found["sub"]
        return user_id

    def _requested_claims(self, asked: Parameters, client: Client) -> RequestedClaims:
        try:
            claims = RequestedClaims.parse(asked.get("claims"))
        except ValueError as error:
            raise self._refused(asked, "invalid_request", str(error)) from None
        if not all(client.may_ask_for(scope) for scope in claims.scopes):
            description = "claims asks for what lies outside the scopes of this client."
            raise self._refused(asked, "invalid_scope", description)
        if claims.acr_values and id_token.ACR not in claims.acr_values:
            description = f"The only acr that this server knows is {id_token.ACR}."
            raise self._refused(asked, "unmet_authentication_requirements", description)
        return claims

    def _resources(self, asked: Parameters) -> tuple[str, ...]:
        if not set(asked.resources) <= set(self._settings.resources):
            description = "resource must be one that this server is configured to issue tokens for."
            raise self._refused(asked, "invalid_target", description)
        return asked.resources

    def _refused(
        self, asked: Parameters, error: str, description: str | None
    ) -> AuthorizationRefusedError:
        return AuthorizationRefusedError(self._error_response(asked, error, description))

    def issue_code(
        self, asked: AuthorizationRequest, session: CentralSession
    ) -> AuthorizationResponse:
        """Return the answer that carries a new authorization code."""
        grant = CodeGrant(
            client_id=asked.client.client_id,
            user_id=session.user.id,
            session_id=session.id,
            redirect_uri=asked.redirect_uri,
            code_challenge=asked.code_challenge,
            scopes=asked.scopes,
            nonce=asked.nonce,
            auth_time=session.auth_time,
            resources=asked.resources,
            requested_claims=asked.requested_claims.to_json(),
        )
        lifetime = self._settings.lifetimes.code
        code = authorization_codes.issue(self._open_writer(), grant, lifetime)
        return self._response(asked, {"code": code})

    def refuse(
        self, asked: AuthorizationRequest, error: str, description: str
    ) -> AuthorizationResponse:
        """Return the answer that tells the client why it gets no code."""
        return self._response(asked, {"error": error, "error_description": description})

    def _response(
        self, asked: AuthorizationRequest, content: dict[str, str]
    ) -> AuthorizationResponse:
        if asked.state is not None:
            content["state"] = asked.state
        content["iss"] = self._settings.issuer
        return AuthorizationResponse(asked.redirect_uri, asked.response_mode, content)

    def _error_response(
        self, asked: Parameters, error: str, description: str | None
    ) -> AuthorizationResponse:
        content = {"error": error}
        if description:
            content["error_description"] = description
        if "state" in asked.values and "state" not in asked.repeated:
            content["state"] = asked.values["state"]
        content["iss"] = self._settings.issuer
        mode = "form_post" if asked.get("response_mode") == "form_post" else "query"
        return AuthorizationResponse(asked.values["redirect_uri"], mode, content)

    def create_token_response(self, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
        """Return the answer to a token request (RFC 6749, 4.1.3 and 6)."""
        sent = Parameters.read(pairs, parameters.TOKEN)
        try:
            _refuse_repeated(sent)
            client = client_authentication.authenticate(self._reader, authorization, sent)
            self._admit(client.client_id, public=bool(client.public))
            self._validator.client = client
            self._validator.asked_resources = sent.resources
            _check_token_request(sent)
            return self._grant(sent)
        except InvalidClientError as error:
            return client_error_answer(error, authorization)
        except OAuth2Error as error:
            return error_answer(error)

    def _grant(self, sent: Parameters) -> ProtocolAnswer:
        validator = self._validator
        lifetime = int(self._settings.lifetimes.access_token.total_seconds())
        token_type = BearerToken(
            validator,
            validator.new_access_token,
            lifetime,
            refresh_token_generator=lambda _request: random_token(),
        )
        grant = (
            AuthorizationCodeGrant
            if sent.get("grant_type") == AUTHORIZATION_CODE
            else RefreshTokenGrant
        )
        _, body, status = grant(validator).create_token_response(
            CanonicalRequest(sent.values), token_type
        )
        if status != 200 and validator.code is not None:  # noqa: PLR2004
            # A failed redemption burns the code: nobody may try verifiers.
            authorization_codes.spend(
                self._open_writer(), validator.code, validator.code.row.expires_at
            )
        return ProtocolAnswer(status, NO_STORE, body)

    def create_introspection_response(
        self, authorization: str | None, pairs: Pairs
    ) -> ProtocolAnswer:
        """Return whether a token is active and what it stands for (RFC 7662)."""
        endpoint = IntrospectEndpoint(self._validator)
        return self._token_action(
            authorization, pairs, endpoint.create_introspect_response, public_clients=False
        )

    def create_revocation_response(self, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
        """Take a token back; the answer says nothing of what it was (RFC 7009)."""
        endpoint = RevocationEndpoint(self._validator)
        return self._token_action(
            authorization, pairs, endpoint.create_revocation_response, public_clients=True
        )

    def _token_action(
        self,
        authorization: str | None,
        pairs: Pairs,
        act: Callable[..., tuple[object, str, int]],
        *,
        public_clients: bool,
    ) -> ProtocolAnswer:
        sent = Parameters.read(pairs, parameters.TOKEN_ACTION)
        try:
            _refuse_repeated(sent)
            client = client_authentication.authenticate(
                self._reader, authorization, sent, public_clients=public_clients
            )
            self._admit(client.client_id, public=bool(client.public))
            self._validator.client = client
            _require(sent, "token")
            _, body, status = act(_ADDRESS, body=sent.encoded())
        except InvalidClientError as error:
            return client_error_answer(error, authorization)
        except OAuth2Error as error:
            return error_answer(error)
        return ProtocolAnswer(status, NO_STORE, body, "application/json" if body else None)

    def create_userinfo_response(self, authorization: str | None, form: Pairs) -> ProtocolAnswer:
        """Return the claims behind an access token (OIDC Core, 5.3)."""
        token = bearer.presented_token(authorization, Parameters.read(form, parameters.USERINFO))
        if isinstance(token, ProtocolAnswer):
            return token
        endpoint = UserInfoEndpoint(self._validator)
        try:
            _, body, status = endpoint.create_userinfo_response(
                _ADDRESS, headers={"Authorization": f"Bearer {token}"}
            )
        except OAuth2Error as error:
            if error.error == "insufficient_scope":
                description = "The access token was not granted the scope openid."
                return bearer_error_answer(403, error.error, description, "openid")
            description = "The access token is unknown, expired or revoked."
            return bearer_error_answer(401, "invalid_token", description)
        found = self._validator.access_token
        if found is not None:
            self._admit(found.client_id, public=bool(found.public))
            if found.userinfo_signed_response_alg is not None:
                return self._signed_userinfo(found, json.loads(body))
        return ProtocolAnswer(status, NO_STORE, body)

    def _signed_userinfo(self, token: AccessToken, claims: dict[str, Any]) -> ProtocolAnswer:
        """Return the claims as a JWT, for clients registered so (OIDC Core, 5.3.2)."""
        content = claims | {"iss": self._settings.issuer, "aud": token.client_id}
        alg = str(token.userinfo_signed_response_alg)
        # A kind of its own, so that it never passes for an ID token.
        signed = self._keys.sign(content, alg=alg, typ="userinfo+jwt")
        return ProtocolAnswer(200, NO_STORE, signed, "application/jwt")


def _refuse_repeated(sent: Parameters) -> None:
    if sent.repeated:
        names = ", ".join(sorted(sent.repeated))
        raise InvalidRequestError(description=f"Given more than once: {names}.")


def _check_token_request(sent: Parameters) -> None:
    grant_type = sent.get("grant_type")
    expected = " or ".join(GRANT_TYPES)
    if grant_type is None:
        raise InvalidRequestError(description=f"grant_type is missing; it must be {expected}.")
    if grant_type not in GRANT_TYPES:
        raise UnsupportedGrantTypeError(description=f"grant_type must be {expected}.")
    needed = ("code", "redirect_uri") if grant_type == AUTHORIZATION_CODE else ("refresh_token",)
    _require(sent, *needed)


def _require(sent: Parameters, *names: str) -> None:
    for name in names:
        if sent.get(name) is None:
            raise InvalidRequestError(description=f"{name} is missing.")
