"""How an access token travels: in the header, or in the form body of a POST, never both.

The query is not read at all: addresses end up in logs (RFC 6750, section 2.3; OAuth 2.1, 5.1).
"""

from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import ProtocolAnswer, bearer_error_answer


def presented_token(authorization: str | None, form: Parameters) -> str | ProtocolAnswer:
    """Return the token of a request, or the answer that says what is wrong with it."""
    in_form = form.get("access_token")
    if form.repeated or (authorization is not None and in_form is not None):
        return bearer_error_answer(
            400, "invalid_request", "Send one access token, in the header or in the form body."
        )
    if authorization is None:
        return in_form if in_form is not None else bearer_error_answer(401)
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return bearer_error_answer(401)
    token = token.strip()
    if not token or " " in token:
        return bearer_error_answer(
            400, "invalid_request", "The Authorization header must be: Bearer, a space, the token."
        )
    return token
