"""The checks of an authorization request, in the order in which they are made.

A request is answered at its redirect URI once client and redirect URI are known to belong together.
Before that it is answered to the person alone.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from oauthlib.common import Request
from oauthlib.oauth2.rfc6749.errors import (
    CustomOAuth2Error,
    FatalClientError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Error,
    UnsupportedResponseTypeError,
)
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase
from oauthlib.oauth2.rfc6749.request_validator import RequestValidator

from authservice.oauth import id_token, pkce
from authservice.oauth.authorize import response
from authservice.oauth.authorize.fatal_error import (
    FatalAuthorizationError,
    foreign_redirect_uri,
)
from authservice.oauth.authorize.request import AuthorizationRequest
from authservice.oauth.authorize.response import AuthorizationRefusedError
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.context import ServerContext
from authservice.oauth.parameters import Parameters
from authservice.services.clients import clients
from authservice.services.clients.clients import Client
from authservice.services.people import groups

PROMPTS = ("none", "login", "consent", "select_account")
# Anything beyond is no age; a longer number would not fit into a duration either.
_MAX_AGE = re.compile(r"[0-9]{1,9}")


def validate(context: ServerContext, parameters: Parameters) -> AuthorizationRequest:
    """Return what a client asks for.

    Raises FatalAuthorizationError where the browser may not be redirected, and
    AuthorizationRefusedError with the answer that goes to the redirect URI.
    """
    try:
        return _GRANT.validate_authorization_request(_Request(context, parameters))
    except OAuth2Error as error:
        refusal = response.refuse_unchecked(parameters, context.settings.issuer, error)
        raise AuthorizationRefusedError(refusal) from None


class _Request(Request):  # type: ignore[misc]  # oauthlib has no types
    """A request of parameters that have been read, and what is found out about it on the way."""

    client: Client
    scopes: list[str]

    def __init__(self, context: ServerContext, parameters: Parameters) -> None:
        super().__init__("")
        self._params.update(parameters.values)
        self.context = context
        self.parameters = parameters
        self.scopes = (parameters.get("scope") or "").split()


class _Validator(RequestValidator):  # type: ignore[misc]  # oauthlib has no types
    """Answers what oauthlib asks about a client: its redirect URIs and its scopes."""

    def validate_client_id(self, client_id: str, request: _Request) -> bool:
        """Tell whether the client exists, and remember it."""
        client = clients.find(request.context.reader, client_id)
        if client is None:
            return False
        request.client = client
        return True

    def validate_redirect_uri(self, _client_id: str, redirect_uri: str, request: _Request) -> bool:
        """Tell whether the redirect URI is one of the client's."""
        return request.client.allows_redirect_to(redirect_uri)

    def get_default_scopes(self, *_: object) -> list[str]:
        """Return what an omitted scope means."""
        return ["openid"]

    def validate_scopes(
        self, _client_id: str, scopes: Sequence[str], client: Client, _request: object
    ) -> bool:
        """Accept the scopes that the client may ask for."""
        if not all(client.may_ask_for(scope) for scope in scopes):
            if groups.SCOPE in scopes and not client.groups:
                raise InvalidScopeError(
                    description="scope groups is for clients that are registered with --groups."
                )
            known = (*clients.SCOPES, groups.SCOPE)
            allowed = " ".join(scope for scope in known if client.may_ask_for(scope))
            raise InvalidScopeError(description=f"scope may hold these values only: {allowed}.")
        return True


class _AuthorizationCodeGrant(GrantTypeBase):  # type: ignore[misc]  # oauthlib has no types
    """The first half of the authorization code grant."""

    def validate_authorization_request(self, request: _Request) -> AuthorizationRequest:
        """Return what is asked for, after every check; raises as ``validate``, or OAuth2Error."""
        parameters = request.parameters
        # Shown to the person: the browser may not be redirected yet.
        for name in ("client_id", "redirect_uri"):
            sent_once(parameters, name)
        self._check_client(request)
        self._check_redirect_uri(request)
        client = request.client

        # Answered at the redirect URI. Request objects come first: what they carry may be missing
        # outside.
        refuse_request_objects(parameters)
        parameters.refuse_repeated()
        response_mode(parameters)
        response_type(parameters)
        pkce.check_challenge(parameters)
        self.validate_scopes(request)
        prompt(parameters)
        max_age(parameters)
        claims = _requested_claims(parameters, client)
        hinted_user_id = _hinted_user_id(parameters, request.context) or claims.user_id
        resources = _resources(parameters, request.context, client)

        oldest = parameters.get("max_age")
        return AuthorizationRequest(
            client=client,
            redirect_uri=parameters.values["redirect_uri"],
            response_mode=parameters.get("response_mode") or "query",
            state=parameters.get("state"),
            scopes=tuple(dict.fromkeys(request.scopes)),
            code_challenge=parameters.values["code_challenge"],
            nonce=parameters.get("nonce"),
            prompt=frozenset((parameters.get("prompt") or "").split()),
            max_age=timedelta(seconds=int(oldest)) if oldest else None,
            hinted_user_id=hinted_user_id,
            login_hint=parameters.get("login_hint"),
            resources=resources,
            requested_claims=claims,
        )

    def _check_client(self, request: _Request) -> None:
        if not self.request_validator.validate_client_id(request.client_id, request):
            raise FatalAuthorizationError("invalid_client", "client_id names no client known here.")

    def _check_redirect_uri(self, request: _Request) -> None:
        try:
            self._handle_redirects(request)
        except FatalClientError:
            raise foreign_redirect_uri(request.redirect_uri, request.client) from None


_GRANT = _AuthorizationCodeGrant(_Validator())


def sent_once(parameters: Parameters, name: str) -> None:
    """Demand a parameter without which there is no redirection."""
    if name in parameters.repeated:
        raise FatalAuthorizationError("invalid_request", f"{name} is given more than once.")
    if parameters.get(name) is None:
        raise FatalAuthorizationError("invalid_request", f"{name} is missing.")


def refuse_request_objects(parameters: Parameters) -> None:
    """Refuse what would override the parameters that are checked here (OIDC Core, 3.1.2.6)."""
    if parameters.get("request") is not None:
        raise CustomOAuth2Error(
            "request_not_supported",
            description="Request objects are not supported: send the parameters themselves.",
        )
    if parameters.get("request_uri") is not None:
        raise CustomOAuth2Error(
            "request_uri_not_supported",
            description="request_uri is not supported: send the parameters themselves.",
        )


def response_mode(parameters: Parameters) -> None:
    """Accept query and form_post, query when it is absent."""
    if parameters.get("response_mode") not in {None, *response.MODES}:
        raise InvalidRequestError(description="response_mode must be query or form_post.")


def response_type(parameters: Parameters) -> None:
    """Accept exactly ``code``."""
    if parameters.get("response_type") is None:
        raise InvalidRequestError(description="response_type is missing; it must be code.")
    if parameters.get("response_type") != "code":
        raise UnsupportedResponseTypeError(description="response_type must be code.")


def prompt(parameters: Parameters) -> None:
    """Accept the known values, and ``none`` only by itself (OIDC Core, 3.1.2.1)."""
    values = set((parameters.get("prompt") or "").split())
    if not values <= set(PROMPTS):
        raise InvalidRequestError(description=f"prompt may hold {', '.join(PROMPTS)} only.")
    if "none" in values and len(values) > 1:
        raise InvalidRequestError(description="prompt none cannot be combined with other values.")


def max_age(parameters: Parameters) -> None:
    """Accept a number of seconds."""
    if not _MAX_AGE.fullmatch(parameters.get("max_age") or "0"):
        raise InvalidRequestError(description="max_age must be a whole number of seconds.")


def _requested_claims(parameters: Parameters, client: Client) -> RequestedClaims:
    """Return the single claims that are asked for (OIDC Core, 5.5)."""
    try:
        claims = RequestedClaims.parse(parameters.get("claims"))
    except ValueError as error:
        raise InvalidRequestError(description=str(error)) from None
    if not client.groups:
        # Older clients ask for it of every server; what is not known is ignored (OIDC Core, 5.5).
        claims = claims.without({groups.SCOPE})
    if not all(client.may_ask_for(scope) for scope in claims.scopes):
        raise InvalidScopeError(
            description="claims asks for what lies outside the scopes of this client."
        )
    if claims.acr_values and id_token.ACR not in claims.acr_values:
        raise CustomOAuth2Error(
            "unmet_authentication_requirements",
            description=f"The only acr that this server knows is {id_token.ACR}.",
        )
    return claims


def _hinted_user_id(parameters: Parameters, context: ServerContext) -> str | None:
    """Return the user that id_token_hint names (OIDC Core, 3.1.2.1)."""
    hint = parameters.get("id_token_hint")
    if hint is None:
        return None
    claims = id_token.verified_hint(hint, context.settings, context.keys)
    if claims is None:
        raise InvalidRequestError(
            description="id_token_hint must be an ID token that this server issued."
        )
    user_id: str = claims["sub"]
    return user_id


def _resources(parameters: Parameters, context: ServerContext, client: Client) -> tuple[str, ...]:
    """Return the resources that tokens are asked for (RFC 8707, section 2)."""
    resources = parameters.resources
    if not set(resources) <= set(context.settings.resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that this server is configured to issue tokens for.",
        )
    if not all(client.may_have_tokens_for(resource) for resource in resources):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that this client is registered for.",
        )
    return resources
