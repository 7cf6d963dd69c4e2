"""Delivering a logout token: one POST, to an allowed address only, within a few seconds.

The address was registered by an operator, but its name is resolved here: where it leads is checked
on each connection, so that a client's domain cannot be pointed at our own network.
"""

from urllib.parse import urlencode

from authservice.httpclient import (
    AddressPolicy,
    Client,
    Method,
    Request,
    SendError,
    Timeouts,
    allow_networks,
    public_addresses_only,
)
from authservice.settings import AuthSettings

_TIMEOUTS = Timeouts(connect=3.0, read=5.0, total=8.0)
_MAX_ANSWER = 64 * 1024
# What a client answers that has taken note (OIDC Back-Channel Logout 1.0, 2.8).
_ACCEPTED = {200, 204}


class LogoutDelivery:
    """Sends logout tokens."""

    def __init__(self, settings: AuthSettings) -> None:
        """Take the settings that say which networks may be reached."""
        self._http = Client(
            timeouts=_TIMEOUTS,
            max_redirects=0,
            max_body_bytes=_MAX_ANSWER,
            user_agent="authservice",
            address_policy=_address_policy(settings),
        )

    def deliver(self, uri: str, logout_token: str) -> str | None:
        """Post a logout token and return why that failed, or None when the client took note."""
        request = Request(
            Method.POST,
            uri,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            body=urlencode({"logout_token": logout_token}).encode(),
        )
        try:
            status = self._http.send(request).status_code
        except SendError as error:
            return str(error)
        return None if status in _ACCEPTED else f"it answered {status}"


def _address_policy(settings: AuthSettings) -> AddressPolicy:
    """Return which addresses may be told: loopback in local mode, else the named networks."""
    if settings.local_mode:
        return allow_networks("127.0.0.0/8", "::1/128")
    networks = settings.backchannel_networks
    return allow_networks(*map(str, networks)) if networks else public_addresses_only
