"""Delivering a logout token: one POST, to an allowed address only, within a few seconds."""

from urllib.parse import urlencode

from authservice.httpclient import Method, Request, SendError, Timeouts
from authservice.outgoing import CallsToClients
from authservice.settings import AuthSettings

_TIMEOUTS = Timeouts(connect=3.0, read=5.0, total=8.0)
_MAX_ANSWER = 64 * 1024
# What a client answers that has taken note (OIDC Back-Channel Logout 1.0, 2.8).
_ACCEPTED = {200, 204}


class LogoutDelivery:
    """Sends logout tokens."""

    def __init__(self, settings: AuthSettings) -> None:
        self._calls = CallsToClients(settings, _TIMEOUTS, _MAX_ANSWER)

    def deliver(self, uri: str, logout_token: str) -> str | None:
        """Post a logout token and return why that failed, or None when the client took note."""
        request = Request(
            Method.POST,
            uri,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            body=urlencode({"logout_token": logout_token}).encode(),
        )
        try:
            status = self._calls.send(request).status_code
        except SendError as error:
            return str(error)
        return None if status in _ACCEPTED else f"it answered {status}"
