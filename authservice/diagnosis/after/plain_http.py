"""Plain HTTP: closed, or nothing but the way to https."""

from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error, skipped
from authservice.diagnosis.site import Site
from authservice.httpclient import Method, Request, SendError, TooManyRedirectsError

IN_ORDER = "Plain HTTP is closed, or leads to https."

SERVED = error(
    "plain_http.served",
    "The service answers over plain HTTP, which others in the network can read and change.",
    "Let the proxy redirect: server { listen 80; return 301 https://HOST$request_uri; }",
)
OTHER_SITE = error(
    "plain_http.other_site",
    "Plain HTTP at this name leads to another site.",
    "Name the host in the proxy's redirect from port 80 to https.",
)

_HTTPS = 443


def examine(site: Site) -> Iterator[Finding]:
    """Yield what plain HTTP gives away."""
    if not site.https or site.port != _HTTPS:
        yield skipped("plain_http", "The service is not at the default port of https.")
        return
    address = f"http://{site.url.removeprefix('https://')}/api/health"
    try:
        answer = site.client.send(Request(Method.GET, address))
    except TooManyRedirectsError:
        return
    except SendError:
        return  # closed
    kind = SERVED if b'"status"' in answer.body else OTHER_SITE
    yield kind.at(address, found=f"status {answer.status_code}", expected="a redirect to https")
