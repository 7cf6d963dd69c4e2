"""The authorization endpoint: what a client asks for, and the answers to it (RFC 6749, 3.1)."""

from datetime import timedelta

from oauthlib.oauth2.rfc6749.errors import FatalClientError, OAuth2Error

from authservice.oauth import id_token, request_object
from authservice.oauth.authorization_request import AuthorizationRequest
from authservice.oauth.authorization_request_validator import AuthorizationRequestValidator
from authservice.oauth.authorization_response import (
    AuthorizationRefusedError,
    AuthorizationResponse,
)
from authservice.oauth.canonical_request import CanonicalRequest
from authservice.oauth.fatal_error import FatalAuthorizationError, fatal_error
from authservice.oauth.grants import AuthorizationCodeGrant
from authservice.oauth.parameters import Parameters
from authservice.oauth.requested_claims import RequestedClaims
from authservice.oauth.server_context import ServerContext
from authservice.services import authorization_codes
from authservice.services.authorization_codes import CodeGrant
from authservice.services.clients import Client
from authservice.services.sessions import CentralSession

_GRANT = AuthorizationCodeGrant(AuthorizationRequestValidator())


class AuthorizationEndpoint:
    """Validates one request, and answers it with a code or an error."""

    def __init__(self, context: ServerContext) -> None:
        """Take what the request works with."""
        self._context = context

    def validate(self, asked: Parameters) -> AuthorizationRequest:
        """Return what a client asks for.

        Raises FatalAuthorizationError where nobody may be redirected, and
        AuthorizationRefusedError with the answer that goes to the redirect URI.
        """
        for name in ("client_id", "redirect_uri"):
            if name in asked.repeated:
                raise FatalAuthorizationError("invalid_request", f"{name} is given more than once.")
            if asked.get(name) is None:
                raise FatalAuthorizationError("invalid_request", f"{name} is missing.")

        request = CanonicalRequest(self._context, asked)
        try:
            # The grant is asked once; its endpoint would ask it a second time to answer.
            scopes, _ = _GRANT.validate_authorization_request(request)
        except FatalClientError as error:
            raise fatal_error(error, asked, request.client) from None
        except OAuth2Error as error:
            raise self._refused(asked, error.error, error.description) from None
        return self._authorization_request(asked, scopes, request.client)

    def _authorization_request(
        self, asked: Parameters, scopes: list[str], client: Client
    ) -> AuthorizationRequest:
        max_age = asked.get("max_age")
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
            resources=self._resources(asked, client),
            requested_claims=claims,
        )

    def _hinted_user_id(self, asked: Parameters) -> str | None:
        hint = asked.get("id_token_hint")
        if hint is None:
            return None
        found = id_token.verified_hint(hint, self._context.settings, self._context.keys)
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

    def _resources(self, asked: Parameters, client: Client) -> tuple[str, ...]:
        if not set(asked.resources) <= set(self._context.settings.resources):
            description = "resource must be one that this server is configured to issue tokens for."
            raise self._refused(asked, "invalid_target", description)
        if not all(client.may_have_tokens_for(resource) for resource in asked.resources):
            description = "resource must be one that this client is registered for."
            raise self._refused(asked, "invalid_target", description)
        return asked.resources

    def _refused(
        self, asked: Parameters, error: str, description: str | None
    ) -> AuthorizationRefusedError:
        return AuthorizationRefusedError(self._error_response(asked, error, description))

    def issue_code(
        self, asked: AuthorizationRequest, session: CentralSession
    ) -> AuthorizationResponse | None:
        """Return the answer that carries a new authorization code; None without the session."""
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
        lifetime = self._context.settings.lifetimes.code
        code = authorization_codes.issue(self._context.open_writer(), grant, lifetime)
        return None if code is None else self._response(asked, {"code": code})

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
        content["iss"] = self._context.settings.issuer
        return AuthorizationResponse(asked.redirect_uri, asked.response_mode, content)

    def _error_response(
        self, asked: Parameters, error: str, description: str | None
    ) -> AuthorizationResponse:
        content = {"error": error}
        if description:
            content["error_description"] = description
        if "state" in asked.values and "state" not in asked.repeated:
            content["state"] = asked.values["state"]
        content["iss"] = self._context.settings.issuer
        wanted = asked.get("response_mode") or request_object.response_mode(
            asked.get("request") or ""
        )
        mode = "form_post" if wanted == "form_post" else "query"
        return AuthorizationResponse(asked.values["redirect_uri"], mode, content)
