"""The token endpoint: codes and refresh tokens into tokens (RFC 6749, 3.2)."""

import json
from dataclasses import replace
from typing import Any

from oauthlib.oauth2.rfc6749.errors import (
    InvalidClientError,
    InvalidRequestError,
    OAuth2Error,
    UnsupportedGrantTypeError,
)
from oauthlib.oauth2.rfc6749.tokens import BearerToken

from authservice import events
from authservice.crypto.secret_values import random_token
from authservice.events import TokenRefused
from authservice.oauth import parameters
from authservice.oauth.client_authentication import authenticated_client
from authservice.oauth.grants import (
    AUTHORIZATION_CODE,
    GRANT_TYPES,
    REFRESH_TOKEN,
    AuthorizationCodeGrant,
    RefreshTokenGrant,
)
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import (
    NO_STORE,
    ProtocolAnswer,
    client_error_answer,
    error_answer,
)
from authservice.oauth.server_context import Pairs, ServerContext
from authservice.oauth.token_request import TokenRequest
from authservice.oauth.token_request_validator import TokenRequestValidator
from authservice.oauth.token_response import ConsentChangedError
from authservice.services import authorization_codes
from authservice.services.clients import Client

_OK = 200
_VALIDATOR = TokenRequestValidator()
_GRANTS: dict[str, Any] = {
    AUTHORIZATION_CODE: AuthorizationCodeGrant(_VALIDATOR),
    REFRESH_TOKEN: RefreshTokenGrant(_VALIDATOR),
}
_TOKENS = BearerToken(
    _VALIDATOR,
    _VALIDATOR.new_access_token,
    expires_in=lambda request: int(request.context.settings.lifetimes.access_token.total_seconds()),
    refresh_token_generator=lambda _request: random_token(),
)


class TokenEndpoint:
    """Answers one token request. The client shows who it is before anything else is looked at."""

    def __init__(self, context: ServerContext) -> None:
        """Take what the request works with."""
        self._context = context

    def respond(self, authorization: str | None, pairs: Pairs) -> ProtocolAnswer:
        """Return the answer to a token request (RFC 6749, 4.1.3 and 6)."""
        sent = Parameters.read(pairs, parameters.TOKEN)
        client = None
        try:
            sent.refuse_repeated()
            client = authenticated_client(self._context, authorization, sent)
            _check(sent)
            answer = self._grant(client, sent)
        except InvalidClientError as error:
            answer = client_error_answer(error)
        except OAuth2Error as error:
            answer = error_answer(error)
        if answer.status != _OK:
            events.log(_refused(client, sent, answer))
        return answer

    def _grant(self, client: Client, sent: Parameters) -> ProtocolAnswer:
        try:
            return self._granted(self._context, client, sent)
        except ConsentChangedError:
            # The transaction shares the person by now: what it reads stays as it is.
            context = replace(self._context, reader=self._context.open_writer())
            return self._granted(context, client, sent)

    def _granted(self, context: ServerContext, client: Client, sent: Parameters) -> ProtocolAnswer:
        request = TokenRequest(context, sent, client)
        grant = _GRANTS[sent.values["grant_type"]]
        _, body, status = grant.create_token_response(request, _TOKENS)
        if status != _OK and request.found_code is not None:
            # A failed redemption burns the code: nobody may try verifiers.
            code = request.found_code
            authorization_codes.spend(context.open_writer(), code, code.row.expires_at)
        return ProtocolAnswer(status, NO_STORE, body)


def _refused(client: Client | None, sent: Parameters, answer: ProtocolAnswer) -> TokenRefused:
    grant_type = sent.get("grant_type")
    return TokenRefused(
        # Anybody may send any text.
        grant_type=grant_type if grant_type in GRANT_TYPES else None,
        client_id=None if client is None else client.client_id,
        error=json.loads(answer.body)["error"],
    )


def _check(sent: Parameters) -> None:
    grant_type = sent.get("grant_type")
    expected = " or ".join(GRANT_TYPES)
    if grant_type is None:
        raise InvalidRequestError(description=f"grant_type is missing; it must be {expected}.")
    if grant_type not in GRANT_TYPES:
        raise UnsupportedGrantTypeError(description=f"grant_type must be {expected}.")
    needed = ("code", "redirect_uri") if grant_type == AUTHORIZATION_CODE else ("refresh_token",)
    sent.require(*needed)
