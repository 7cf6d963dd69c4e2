"""The public address: its host resolves, and the cookie reaches the applications that share it."""

import socket
from collections.abc import Iterator

from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, warning
from authservice.settings.hosts import host_of, within_domain

IN_ORDER = "The host of AUTH_URL has an address, and the cookie domain fits the applications."

UNRESOLVED = warning(
    "address.unresolved",
    "This machine cannot resolve the host of AUTH_URL, so browsers cannot either.",
    "Add its record to your domain's name server before the deployment, or correct AUTH_URL.",
)
TOO_NARROW = warning(
    "address.cookie_domain_too_narrow",
    "The cookie domain is the service's own host, so no other application gets the session.",
    "Name the parent domain that your applications share, or remove the setting.",
)
OUTSIDE = warning(
    "address.origin_outside_cookie_domain",
    "A trusted origin is outside the cookie domain, so browsers do not send it the session cookie.",
    "Widen AUTH_COOKIE_DOMAIN, or register the application as an OpenID Connect client.",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what keeps browsers, or the session cookie, from getting where they should."""
    settings = deployment.settings
    if settings.local_mode:
        return
    if not resolves(settings.host):
        yield UNRESOLVED.at("auth.url", found=settings.host)
    domain = settings.cookie_domain
    if domain == settings.host:
        parent = f".{domain.partition('.')[2]}"
        yield TOO_NARROW.at("auth.cookie_domain", found=f".{domain}", expected=parent)
    for origin in settings.trusted_origins:
        if not within_domain(host_of(origin), domain or settings.host):
            yield OUTSIDE.at("auth.trusted_origins", found=origin)


def resolves(host: str) -> bool:
    """Tell whether this machine finds an address for a host."""
    try:
        return bool(socket.getaddrinfo(host.strip("[]"), None))
    except (OSError, UnicodeError):
        return False
