"""Asking the identity provider as the service will: the same way, over TLS, within seconds.

Whether it refuses our callback address is told as far as it says so. GitHub sends the browser to
the callback address that it knows instead, with an error. Others answer with a page, whose text
says it, or which does not come when the address is left out.
"""

from urllib.parse import parse_qs, urlencode, urlsplit

from authservice import outgoing
from authservice.httpclient import (
    Client,
    Method,
    RedirectError,
    Request,
    Response,
    SendError,
    Timeouts,
)
from authservice.settings import AuthSettings

# No code of any provider: codes are hexadecimal or base64, without spaces.
_NO_CODE = "no code, a check of the credentials"

_MISMATCH = {"redirect_uri_mismatch", "invalid_redirect_uri"}
_BAD_REQUEST = 400
_OF_THE_ADDRESS = (b"redirect_uri", b"redirect uri", b"redirect url", b"callback")
_OF_THE_CLIENT = (b"client_id", b"client id", b"invalid_client", b"unauthorized_client")


def client(settings: AuthSettings) -> Client:
    """Return a client that reaches the provider as the service does, and follows no redirect."""
    timeouts = Timeouts(connect=5, read=5, total=10)
    return outgoing.client(settings.outgoing, timeouts, 1024 * 1024)


def of_authorize_url(
    asking: Client, settings: AuthSettings, *, with_callback: bool = True
) -> Response:
    """Return the answer that a browser would get at first; raises SendError."""
    provider = settings.provider
    question = {"response_type": "code", "client_id": provider.client_id}
    if with_callback:
        question["redirect_uri"] = callback_address(settings)
    return asking.send(Request(Method.GET, provider.authorize_url, query_params=question))


def callback_address(settings: AuthSettings) -> str:
    """Return where the provider sends browsers back to, which it has to know."""
    return f"{settings.issuer}/callback/{settings.provider.id}"


def of_token_url(asking: Client, settings: AuthSettings) -> Response:
    """Return the answer to our credentials with a code that is none; raises SendError."""
    provider = settings.provider
    form = {
        "grant_type": "authorization_code",
        "client_id": provider.client_id,
        "client_secret": provider.client_secret,
        "code": _NO_CODE,
        "redirect_uri": callback_address(settings),
    }
    headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    return asking.send(
        Request(Method.POST, provider.token_url, headers, body=urlencode(form).encode())
    )


def of_api(asking: Client, settings: AuthSettings) -> Response:
    """Return the answer of the API to a request without a token; raises SendError."""
    headers = {"Accept": "application/vnd.github+json"}
    return asking.send(Request(Method.GET, f"{settings.provider.api_url}/user", headers))


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
        without = of_authorize_url(asking, settings, with_callback=False)
    except RedirectError as failure:
        return not redirect_says_so(failure)
    except SendError:
        return False
    return without.status_code < _BAD_REQUEST
