"""Asking the identity provider as the service will: the same way, over TLS, within seconds."""

from urllib.parse import urlencode

from authservice import outgoing
from authservice.httpclient import Client, Method, Request, Response, Timeouts
from authservice.settings import AuthSettings

# No code of any provider: codes are hexadecimal or base64, without spaces.
_NO_CODE = "no code, a check of the credentials"


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
