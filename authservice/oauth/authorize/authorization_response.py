"""The answer to an authorization request: where it goes with what, or why it goes nowhere.

Every answer to a client, an error too, carries ``iss`` (RFC 9207) and the request's ``state``.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import urlencode

from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.oauth_request import ServerContext
from authservice.oauth.parameters import Parameters
from authservice.services.admission import confirmation
from authservice.services.clients.clients import Client
from authservice.services.sessions.sessions import CentralSession
from authservice.services.tokens import authorization_codes
from authservice.services.tokens.authorization_codes import CodeGrant

MODES = ("query", "form_post")


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """Parameters for a client's redirect URI, by redirect or by a form that posts itself."""

    redirect_uri: str
    response_mode: str
    parameters: Mapping[str, str]

    @property
    def location(self) -> str:
        """Return the redirect URI with the parameters added to the query it may have."""
        separator = "&" if "?" in self.redirect_uri else "?"
        return f"{self.redirect_uri}{separator}{urlencode(self.parameters)}"


class AuthorizationRefusedError(Exception):
    """An authorization request is answered with an error, at the client's redirect URI."""

    def __init__(self, response: AuthorizationResponse) -> None:
        super().__init__(response.parameters.get("error"))
        self.response = response


def issue_code(
    context: ServerContext, authorization_request: AuthorizationRequest, session: CentralSession
) -> AuthorizationResponse | None:
    """Return the answer that carries a new authorization code.

    None when the session has ended, or its user was deleted or is no longer admitted, since the
    session was read.
    """
    grant = CodeGrant(
        client_id=authorization_request.client.client_id,
        user_id=session.user.id,
        session_id=session.id,
        redirect_uri=authorization_request.redirect_uri,
        code_challenge=authorization_request.code_challenge,
        scopes=authorization_request.scopes,
        ignored_scopes=authorization_request.ignored_scopes,
        declined_scopes=authorization_request.declined_scopes,
        nonce=authorization_request.nonce,
        auth_time=session.auth_time,
        resources=authorization_request.resources,
        requested_claims=authorization_request.requested_claims.to_json(),
    )
    settings = context.settings
    code = authorization_codes.issue(
        context.transaction().connection,
        grant,
        settings.lifetimes.code,
        confirmed_after=confirmation.confirmed_after(
            session.user, settings.admission, context.reader
        ),
    )
    return None if code is None else _answer(authorization_request, settings.issuer, {"code": code})


def refuse(
    authorization_request: AuthorizationRequest, issuer: str, error: str, description: str
) -> AuthorizationResponse:
    """Return the answer that tells the client why it gets no code."""
    return _answer(
        authorization_request, issuer, {"error": error, "error_description": description}
    )


def _answer(
    authorization_request: AuthorizationRequest, issuer: str, content: dict[str, str]
) -> AuthorizationResponse:
    if authorization_request.state is not None:
        content["state"] = authorization_request.state
    content["iss"] = issuer
    return AuthorizationResponse(
        authorization_request.redirect_uri, authorization_request.response_mode, content
    )


def refuse_unchecked(
    parameters: Parameters, issuer: str, error: OAuth2Error
) -> AuthorizationResponse:
    """Return the refusal of a request that failed a check: what it asks for is not known yet."""
    content = {"error": error.error}
    if error.description:
        content["error_description"] = error.description
    if "state" in parameters.values and "state" not in parameters.repeated:
        content["state"] = parameters.values["state"]
    content["iss"] = issuer
    wanted = parameters.get("response_mode") or _mode_in(parameters.get("request") or "")
    mode = "form_post" if wanted == "form_post" else "query"
    return AuthorizationResponse(parameters.values["redirect_uri"], mode, content)


def _mode_in(request_object: str) -> str | None:
    """Return the response mode that a request object names; None where it names none.

    Request objects are refused. Nothing is verified, and nothing but the way back of the refusal
    depends on it: the mode may stand in the object alone (OIDC Core, 6.1), and a client that waits
    for a form post does not read the query.
    """
    try:
        payload = request_object.split(".")[1]
        content = json.loads(base64.urlsafe_b64decode(f"{payload}{'=' * (-len(payload) % 4)}"))
    except (IndexError, RecursionError, ValueError):
        return None
    mode = content.get("response_mode") if isinstance(content, dict) else None
    return mode if isinstance(mode, str) else None


_LONGEST_SHOWN = 2048


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a received redirect URI and the registered one most like it part."""

    received_before: str
    received_at: str
    registered_before: str
    registered_at: str


class FatalAuthorizationError(Exception):
    """An authorization request that names no client or no redirect URI of its client.

    It is shown to the person and never redirected (RFC 6749, section 4.1.2.1). What was received
    and what is registered is for developers in local mode, and for the log.
    """

    def __init__(
        self,
        error: str,
        description: str,
        *,
        received: str | None = None,
        registered: tuple[str, ...] = (),
    ) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.received = received
        self.registered = registered

    @property
    def difference(self) -> Difference | None:
        """Return where the received URI parts from the registered one that is most like it."""
        if self.received is None or not self.registered:
            return None
        # No registered one is longer; a page would take long to mark what else there is.
        received = self.received[:_LONGEST_SHOWN]
        nearest = max(self.registered, key=lambda uri: len(_common_start(uri, received)))
        common = _common_start(nearest, received)
        return Difference(common, received[len(common) :], common, nearest[len(common) :])


def _common_start(one: str, other: str) -> str:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(character for character, _ in pairs)


def foreign_redirect_uri(received: str | None, client: Client) -> FatalAuthorizationError:
    """Return the refusal of a redirect URI that is not the client's."""
    return FatalAuthorizationError(
        "invalid_redirect_uri",
        "redirect_uri is not one of those registered for this client; it must be the same,"
        " character by character.",
        received=received,
        registered=client.redirect_uris,
    )
