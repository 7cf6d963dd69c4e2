"""Outgoing calls: to the identity provider, and to addresses that clients are registered with."""

from urllib.parse import urlsplit

from authservice.httpclient import (
    AddressPolicy,
    AddressRefusedError,
    Client,
    Request,
    Response,
    Timeouts,
    allow_networks,
    public_addresses_only,
)
from authservice.httpclient.address_policy import destination
from authservice.httpclient.url import printable_address
from authservice.settings import AuthSettings, OutgoingSettings
from authservice.settings.hosts import is_loopback


def client(
    outgoing: OutgoingSettings,
    timeouts: Timeouts,
    max_body_bytes: int,
    address_policy: AddressPolicy | None = None,
) -> Client:
    """Return a client that follows no redirect and trusts whom the settings and the machine do.

    It takes the proxy of the settings for https, encrypted from end to end; plain http is for this
    machine itself. With an address policy it goes directly: a proxy looks names up by itself.
    """
    by_proxy = outgoing.proxy is not None and address_policy is None
    return Client(
        timeouts=timeouts,
        max_redirects=0,
        max_body_bytes=max_body_bytes,
        ca_bundle=outgoing.ca_bundle,
        system_authorities=True,
        proxies={"https": outgoing.proxy or ""} if by_proxy else {},
        user_agent="authservice",
        address_policy=address_policy,
    )


class CallsToClients:
    """Calls to addresses of clients, of which none may lead into our own network.

    An operator has registered them, but their names are resolved here: where one leads is checked
    on each connection. Through a proxy that is for the proxy to check.
    """

    def __init__(self, settings: AuthSettings, timeouts: Timeouts, max_body_bytes: int) -> None:
        reached = settings.outgoing
        named = settings.local_mode or bool(settings.backchannel_networks)
        # Named networks are our own: no proxy on the way out leads there.
        self._by_proxy = reached.proxy is not None and not named
        policy = None if self._by_proxy else _address_policy(settings)
        self._http = client(reached, timeouts, max_body_bytes, policy)

    def send(self, request: Request) -> Response:
        """Return the answer; raises SendError, for a refused address too."""
        if self._by_proxy and (refused := _refused_for_proxy(request.base_url)) is not None:
            address = printable_address(request.base_url)
            raise AddressRefusedError(refused, request.method, address)
        return self._http.send(request)


def _refused_for_proxy(address: str) -> str | None:
    """Return why an address is not given to the proxy, which looks its name up by itself.

    Where a name leads is for the proxy to judge. What is sent is encrypted for the host of that
    name, whose certificate is checked here: a name that leads elsewhere learns nothing.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme != "https":
        return "only an https address is called through outgoing.proxy"
    if is_loopback(host):
        return f"the address policy refuses {host}"
    try:
        end = destination(host)
    except ValueError:
        return None  # a name
    return None if public_addresses_only(end) else f"the address policy refuses {host}"


def _address_policy(settings: AuthSettings) -> AddressPolicy:
    """Return which addresses may be called: loopback in local mode, else the named networks."""
    if settings.local_mode:
        return allow_networks("127.0.0.0/8", "::1/128")
    networks = settings.backchannel_networks
    return allow_networks(*map(str, networks)) if networks else public_addresses_only
