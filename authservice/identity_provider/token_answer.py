"""The answer to the exchange of a code, which GitHub gives status 200 also when it is an error."""

import re

from authservice.httpclient import Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.provider_calls import parsed

_OK = 200
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750 section 2.1
_ERROR_CODE = re.compile(r"[A-Za-z0-9_. -]{1,64}")


def bearer_token(response: Response) -> str:
    """Return the access token; raises SignInFailedError that names the provider's error."""
    answer = parsed(response)
    if not isinstance(answer, dict):
        raise _refused(f"status {response.status_code} without a JSON object")
    error = answer.get("error")
    if error == "unverified_user_email":
        raise SignInFailedError("email_not_verified", "the primary address is not verified")
    if error is not None:
        raise _refused(f"the provider answered {_printable(error)}")
    token, token_type = answer.get("access_token"), answer.get("token_type")
    if response.status_code != _OK or not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise _refused(f"status {response.status_code} without a token")
    # A token of a kind we do not know must not be used (RFC 6749 7.1).
    if not isinstance(token_type, str) or token_type.lower() != "bearer":
        raise _refused("the token is not a bearer token")
    return token


def _refused(reason: str) -> SignInFailedError:
    return SignInFailedError("invalid_code", reason)


def _printable(error: object) -> str:
    """Return an error code as it may stand in the log."""
    return error if isinstance(error, str) and _ERROR_CODE.fullmatch(error) else "an unknown error"
