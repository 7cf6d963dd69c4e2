"""Rules across settings: what local mode and production each demand and refuse.

The two can never be mixed up: local mode runs on a loopback address only, without a cookie
domain; production runs on https only and not without its secrets.
"""

from pathlib import Path

from authservice.settings import parsing
from authservice.settings.hosts import (
    host_of,
    is_ip_address,
    is_loopback,
    is_public_suffix,
    port_of,
    same_site,
    within_domain,
)
from authservice.settings.parsing import is_origin
from authservice.settings.sources import Source

_LOCAL_PORT = 37960
_LOCAL_DEVELOPER = Path(__file__).parents[1] / "identity_provider" / "local_developer.py"


def local_mode(source: Source) -> bool:
    """Tell whether local mode is asked for; a build without its account refuses it."""
    # Anything but the exact word is refused, and never taken for local mode meanwhile.
    local = parsing.choice(source, "auth.mode", ("local", "production")) == "local"
    if local and not _LOCAL_DEVELOPER.exists():
        source.refuse("auth.mode", "must be production; this build has no local mode")
    return local


def address(source: Source, auth_url: str, *, local_mode: bool) -> None:
    """Local mode answers on loopback only, production over https only."""
    name = source.name("auth.url")
    if not is_origin(auth_url):
        return
    if local_mode and not is_loopback(host_of(auth_url)):
        source.refuse(name, "local mode needs a loopback address such as http://localhost:37960")
    if not local_mode and not auth_url.startswith("https://"):
        source.refuse(name, "production needs an https address")


def cookie_prefix(auth_url: str, *, local_mode: bool) -> str:
    """Return how cookie names begin unless it is set.

    A browser sends the cookies of localhost to every port. So those of a second service there have
    names of their own.
    """
    if not local_mode or not is_origin(auth_url) or port_of(auth_url) == _LOCAL_PORT:
        return "authservice"
    return f"authservice-{port_of(auth_url)}"


def cookie_domain(source: Source, auth_url: str, *, local_mode: bool) -> str | None:
    """Return the domain that shares the session, without its leading dot."""
    text = source.text("auth.cookie_domain")
    name = source.name("auth.cookie_domain")
    domain = text.removeprefix(".")
    if not text:
        return None
    if local_mode:
        source.refuse(name, "local mode has no shared cookie domain; leave it unset")
    elif not is_origin(f"https://{domain}") or is_ip_address(domain):
        source.refuse(name, "must be a domain in lower case, such as .example.com")
    elif is_public_suffix(domain):
        source.refuse(name, "is a public suffix, below which anyone may have a host; name your own")
    elif is_origin(auth_url) and not _shares_cookies(host_of(auth_url), domain):
        source.refuse(name, "must be the host in AUTH_URL or a parent domain of it")
    return domain


def _shares_cookies(host: str, domain: str) -> bool:
    # The tail of an IP address looks like a parent domain and is none (RFC 6265, section 5.1.3).
    return within_domain(host, domain) and not is_ip_address(host)


def trusted_origins(source: Source, auth_url: str, *, local_mode: bool) -> tuple[str, ...]:
    """Return the further first-party origins; other sites would never get the session cookie."""
    origins = tuple(source.text("auth.trusted_origins").replace(",", " ").split())
    for origin in origins:
        if not is_origin(origin):
            source.refuse(
                "auth.trusted_origins",
                f"must list origins such as https://app.example.com: {origin!r}",
            )
        elif local_mode and not is_loopback(host_of(origin)):
            source.refuse("auth.trusted_origins", f"local mode trusts localhost only: {origin!r}")
        elif not local_mode and not origin.startswith("https://"):
            source.refuse("auth.trusted_origins", f"production trusts https only: {origin!r}")
        elif (
            is_origin(auth_url)
            and not local_mode
            and not same_site(host_of(origin), host_of(auth_url))
        ):
            source.refuse(
                "auth.trusted_origins",
                f"{origin!r} is on another site than AUTH_URL, where the session cookie is not"
                " sent; register an OAuth client for it",
            )
    return origins
