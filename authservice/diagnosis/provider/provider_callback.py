"""Our callback address: whether the identity provider refuses it, as far as it says so.

GitHub sends the browser to the callback address that it knows instead, with an error. Others answer
with a page, whose text says it, or which does not come when the address is left out.
"""

from urllib.parse import parse_qs, urlsplit

from authservice.diagnosis.provider import provider_answers
from authservice.httpclient import Client, RedirectError, Response, SendError
from authservice.settings import AuthSettings

_MISMATCH = {"redirect_uri_mismatch", "invalid_redirect_uri"}
_BAD_REQUEST = 400
_OF_THE_ADDRESS = (b"redirect_uri", b"redirect uri", b"redirect url", b"callback")
_OF_THE_CLIENT = (b"client_id", b"client id", b"invalid_client", b"unauthorized_client")


def is_mismatch(error: str) -> bool:
    """Tell whether an error code says that the callback address is another one."""
    return error in _MISMATCH


def redirect_says_so(failure: RedirectError) -> bool:
    """Tell whether a redirect brings the browser an error about the callback address."""
    try:
        given = parse_qs(urlsplit(failure.location).query)
    except ValueError:
        return False
    return any(is_mismatch(error) for error in given.get("error", []))


def page_says_so(response: Response, asking: Client, settings: AuthSettings) -> bool:
    """Tell whether a refusal at the authorization endpoint is about the callback address."""
    text = response.body.lower()
    if any(word in text for word in _OF_THE_ADDRESS):
        return not any(word in text for word in _OF_THE_CLIENT)
    try:
        without = provider_answers.of_authorize_url(asking, settings, with_callback=False)
    except RedirectError as failure:
        return not redirect_says_so(failure)
    except SendError:
        return False
    return without.status_code < _BAD_REQUEST
