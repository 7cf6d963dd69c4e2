"""The proxy in front: which proxies may name the sender of a request."""

import ipaddress
from collections.abc import Iterator

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, skipped, warning

IN_ORDER = "The service trusts the proxy, and no other sender."

EVERYBODY = error(
    "proxies.everybody",
    "Every sender may choose its own address, so every sender can avoid the rate limits.",
    "Name the proxy's own address or network in auth.trusted_proxies.",
)
NOBODY = warning(
    "proxies.nobody",
    "No proxy is trusted, so all people count as one sender and use up one rate limit.",
    "Name the proxy's address in auth.trusted_proxies.",
)
GRANIAN_ALONE = warning(
    "proxies.granian_alone",
    "granian needs a proxy in front that passes whole requests on and limits connections: clients"
    " that are silent or slow take its places and threads. No proxy is trusted.",
    "Name the proxy's address in auth.trusted_proxies, or serve with pserve and remove"
    " [server:granian].",
)
NOT_THIS_MACHINE = warning(
    "proxies.not_this_machine",
    "Only this machine can reach the service, but its proxy is not trusted.",
    "Add 127.0.0.1 to auth.trusted_proxies.",
)
HEADERS_CLEARED = error(
    "proxies.headers_cleared",
    "The server removes X-Forwarded-For before the service reads it, so all people count as one.",
    "Write into [server:main]: clear_untrusted_proxy_headers = false",
)

# No operator's proxies fill a network of this size.
_WIDEST = {4: 7, 6: 15}
_FALSE = {"false", "no", "off", "0"}
_THIS_MACHINE = {"127.0.0.1", "localhost"}


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what is wrong with whom we believe."""
    settings = deployment.settings
    if settings.local_mode:
        yield skipped("proxies", "Local mode has no rate limits.")
        return
    for network in settings.trusted_proxies:
        if network.prefixlen <= _WIDEST[network.version]:
            yield EVERYBODY.at("auth.trusted_proxies", found=str(network))
    if not settings.trusted_proxies:
        yield NOBODY.at("auth.trusted_proxies", expected="for example 127.0.0.1")
        if deployment.granian:
            yield GRANIAN_ALONE.at("[server:granian]")
        return
    host = deployment.server.get("host", "")
    loopback = ipaddress.ip_address("127.0.0.1")
    if host in _THIS_MACHINE and not any(loopback in each for each in settings.trusted_proxies):
        found = ", ".join(map(str, settings.trusted_proxies))
        yield NOT_THIS_MACHINE.at("auth.trusted_proxies", found=found, expected="127.0.0.1")
    cleared = deployment.server.get("clear_untrusted_proxy_headers", "true").lower()
    if deployment.server.get("use", "").endswith("#waitress") and cleared not in _FALSE:
        yield HEADERS_CLEARED.at("[server:main] clear_untrusted_proxy_headers", found=cleared)
