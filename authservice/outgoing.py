"""Outgoing calls: to the identity provider, and to clients that are notified of a logout."""

from authservice.httpclient import AddressPolicy, Client, Timeouts
from authservice.settings import OutgoingSettings


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
