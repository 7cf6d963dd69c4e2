"""The checks of an authorization request, in the order in which they are made.

A request is answered at its redirect URI once client and redirect URI are known to belong together.
Before that it is answered to the person alone.
"""

import re
from collections.abc import Collection
from datetime import timedelta

from oauthlib.oauth2.rfc6749.errors import (
    CustomOAuth2Error,
    FatalClientError,
    InvalidRequestError,
    UnsupportedResponseTypeError,
)
from oauthlib.oauth2.rfc6749.grant_types.base import GrantTypeBase

from authservice.oauth import id_token, pkce
from authservice.oauth.authorize import authorization_response
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.authorization_response import (
    FatalAuthorizationError,
    foreign_redirect_uri,
)
from authservice.oauth.claims_parameter import RequestedClaims
from authservice.oauth.oauth_request import OAuthRequest, ServerContext
from authservice.oauth.parameters import Parameters
from authservice.services.clients.clients import ignored
from authservice.settings.resource_file import owners
from authservice.settings.resource_indicators import as_named

PROMPTS = ("none", "login", "consent", "select_account")
# Anything beyond is no age; a longer number would not fit into a duration either.
_MAX_AGE = re.compile(r"[0-9]{1,9}")


class CodeResponseType(GrantTypeBase):
    """The first half of the authorization code grant."""

    def validate_authorization_request(self, request: OAuthRequest) -> AuthorizationRequest:
        """Return the request, after every check.

        Raises FatalAuthorizationError where the browser may not be redirected, else OAuth2Error.
        """
        parameters, context = request.parameters, request.context
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
        requested = (request.scope or "").split()
        request.scopes = requested
        self.validate_scopes(request)
        prompt(parameters)
        max_age(parameters)
        claims = _requested_claims(parameters, request.allowed_scopes)
        hinted_user_id = _hinted_user_id(parameters, context) or claims.user_id
        resources = _resources(request)

        oldest = parameters.get("max_age")
        return AuthorizationRequest(
            client=client,
            redirect_uri=parameters.values["redirect_uri"],
            response_mode=parameters.get("response_mode") or "query",
            state=parameters.get("state"),
            scopes=tuple(dict.fromkeys(request.scopes)),
            ignored_scopes=ignored(requested, request.allowed_scopes),
            code_challenge=parameters.values["code_challenge"],
            nonce=parameters.get("nonce"),
            prompt=frozenset((parameters.get("prompt") or "").split()),
            max_age=timedelta(seconds=int(oldest)) if oldest else None,
            hinted_user_id=hinted_user_id,
            login_hint=parameters.get("login_hint"),
            resources=resources,
            requested_claims=claims,
        )

    def _check_client(self, request: OAuthRequest) -> None:
        if not self.request_validator.validate_client_id(request.client_id, request):
            raise FatalAuthorizationError("invalid_client", "client_id names no client known here.")
        if not request.client.is_for_people:
            # It has no redirect URI where it could be told.
            description = "client_id names a resource server or a machine: nobody signs in to it."
            raise FatalAuthorizationError("unauthorized_client", description)

    def _check_redirect_uri(self, request: OAuthRequest) -> None:
        try:
            self._handle_redirects(request)
        except FatalClientError:
            raise foreign_redirect_uri(request.redirect_uri, request.client) from None


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
    if parameters.get("response_mode") not in {None, *authorization_response.MODES}:
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


def _requested_claims(parameters: Parameters, allowed: Collection[str]) -> RequestedClaims:
    """Return the single claims that are requested (OIDC Core, 5.5)."""
    try:
        claims = RequestedClaims.parse(parameters.get("claims"))
    except ValueError as error:
        raise InvalidRequestError(description=str(error)) from None
    # As with scopes, what the client may not have is ignored.
    claims = claims.without([each for each in claims.scopes if each not in allowed])
    if claims.acr_values and id_token.ACR not in claims.acr_values:
        raise CustomOAuth2Error(
            "unmet_authentication_requirements",
            description=f"The only acr that this server knows is {id_token.ACR}.",
        )
    return claims if parameters.get("acr_values") is None else claims.with_acr()


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


def _resources(request: OAuthRequest) -> tuple[str, ...]:
    """Return the resources that tokens are requested for (RFC 8707, section 2).

    A scope of a resource asks for that resource too: many programs send no other parameter.
    """
    described = request.context.settings.resources
    resources = as_named(request.parameters.resources, described)
    if not set(resources) <= set(described):
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that this server is configured to issue tokens for.",
        )
    if not set(resources) <= {each.uri for each in request.client.own_resources(described)}:
        raise CustomOAuth2Error(
            "invalid_target",
            description="resource must be one that this client is registered for.",
        )
    return tuple(dict.fromkeys((*resources, *owners(request.scopes, described))))
