"""Health: behind the address there is this service, and it runs."""

from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error, ok
from authservice.diagnosis.site import Site, content, described
from authservice.httpclient import TooManyRedirectsError

IN_ORDER = "The service runs."

NO_SERVICE = error(
    "health.no_service",
    "The proxy answers, but cannot reach the service.",
    "Start the service, and give the proxy the address in listen_host and listen_port.",
)
LOCAL_MODE = error(
    "health.local_mode",
    "The service runs in local mode, in which any visitor can sign in with one click.",
    "Stop it at once. Start it with production.ini, where auth.mode = production.",
)
REDIRECTS = error(
    "health.redirects",
    "The address redirects to another host, but issuer and cookies are for one host only.",
    "Let the proxy pass requests of this host on to the service, or verify the other address.",
)
ANOTHER_SITE = error(
    "health.another_site",
    "Another program answers at this address.",
    "Let the proxy pass all paths of this host on to the service: location / { proxy_pass …; }",
)

_PATH = "/api/health"
_FROM_THE_PROXY = {502, 503, 504}


def examine(site: Site) -> Iterator[Finding]:
    """Yield what answers instead of the service, or that it is the service."""
    try:
        answer = site.get(_PATH)
    except TooManyRedirectsError:
        yield REDIRECTS.at(f"{site.url}{_PATH}")
        return
    said = content(answer)
    if answer.status_code in _FROM_THE_PROXY:
        yield NO_SERVICE.at(f"{site.url}{_PATH}", found=described(answer))
    elif isinstance(said, dict) and said.get("code") == "HOST_NOT_ALLOWED":
        yield LOCAL_MODE.at(f"{site.url}{_PATH}", found=described(answer))
    elif not isinstance(said, dict) or said.get("status") != "ok" or "service" not in said:
        yield ANOTHER_SITE.at(f"{site.url}{_PATH}", found=described(answer))
    else:
        yield ok("health", IN_ORDER, found=str(said["service"]))
