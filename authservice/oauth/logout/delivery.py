"""Delivering a logout token: one POST, to an allowed address only, within a few seconds.

The address was registered by an operator, but its name is resolved here: where it leads is checked
on each connection, so that a client's domain cannot be pointed at our own network. Through a proxy
that is for the proxy to check.
"""

from urllib.parse import urlencode, urlsplit

from authservice import outgoing
from authservice.httpclient import (
    AddressPolicy,
    Method,
    Request,
    SendError,
    Timeouts,
    allow_networks,
    public_addresses_only,
)
from authservice.httpclient.address_policy import destination
from authservice.settings import AuthSettings
from authservice.settings.hosts import is_loopback

_TIMEOUTS = Timeouts(connect=3.0, read=5.0, total=8.0)
_MAX_ANSWER = 64 * 1024
# What a client answers that has taken note (OIDC Back-Channel Logout 1.0, 2.8).
_ACCEPTED = {200, 204}


class LogoutDelivery:
    """Sends logout tokens."""

    def __init__(self, settings: AuthSettings) -> None:
        reached = settings.outgoing
        named = settings.local_mode or bool(settings.backchannel_networks)
        # Named networks are our own: no proxy on the way out leads there.
        self._by_proxy = reached.proxy is not None and not named
        policy = None if self._by_proxy else _address_policy(settings)
        self._http = outgoing.client(reached, _TIMEOUTS, _MAX_ANSWER, policy)

    def deliver(self, uri: str, logout_token: str) -> str | None:
        """Post a logout token and return why that failed, or None when the client took note."""
        request = Request(
            Method.POST,
            uri,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            body=urlencode({"logout_token": logout_token}).encode(),
        )
        if self._by_proxy and (refused := _refused_for_proxy(uri)) is not None:
            return refused
        try:
            status = self._http.send(request).status_code
        except SendError as error:
            return str(error)
        return None if status in _ACCEPTED else f"it answered {status}"


def _refused_for_proxy(uri: str) -> str | None:
    """Return why an address is not given to the proxy, which looks its name up by itself.

    Where a name leads is for the proxy to judge. What is sent is encrypted for the host of that
    name, whose certificate is checked here: a name that leads elsewhere learns nothing.
    """
    parts = urlsplit(uri)
    host = parts.hostname or ""
    if parts.scheme != "https":
        return "only an https address is told through outgoing.proxy"
    if is_loopback(host):
        return f"the address policy refuses {host}"
    try:
        address = destination(host)
    except ValueError:
        return None  # a name
    return None if public_addresses_only(address) else f"the address policy refuses {host}"


def _address_policy(settings: AuthSettings) -> AddressPolicy:
    """Return which addresses may be told: loopback in local mode, else the named networks."""
    if settings.local_mode:
        return allow_networks("127.0.0.0/8", "::1/128")
    networks = settings.backchannel_networks
    return allow_networks(*map(str, networks)) if networks else public_addresses_only
