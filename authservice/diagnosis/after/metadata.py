"""The metadata: at its three addresses, the same, and true of the address that was asked."""

from collections.abc import Iterator
from typing import Any

from authservice.diagnosis.finding import Finding, error
from authservice.diagnosis.site import Site, content, described
from authservice.httpclient import TooManyRedirectsError

IN_ORDER = "The metadata is at its three addresses, and true of this address."

MISSING = error(
    "metadata.missing",
    "The metadata is missing at an address where clients look for it.",
    "Let the proxy pass this path on too; often a location for /.well-known/ intercepts it.",
)
ISSUER = error(
    "metadata.issuer",
    "The service names another address as its issuer, so clients refuse its tokens.",
    "Set AUTH_URL to the address at which clients reach the service, and restart it.",
)
ENDPOINT = error(
    "metadata.endpoint",
    "An endpoint in the metadata is not at this address.",
    "Let the proxy pass answers on unchanged.",
)
DIFFERENT = error(
    "metadata.different",
    "The metadata differs from one of its addresses to another.",
    "Let the proxy pass all of them on to the same service, without a cache.",
)

PATHS = (
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/auth",
)


def examine(site: Site) -> Iterator[Finding]:
    """Yield where the metadata is missing or wrong."""
    found: list[dict[str, Any]] = []
    for path in PATHS:
        try:
            answer = site.get(path)
        except TooManyRedirectsError:
            yield MISSING.at(f"{site.url}{path}", found="a redirect")
            continue
        document = content(answer)
        if isinstance(document, dict) and "issuer" in document:
            found.append(document)
        else:
            yield MISSING.at(f"{site.url}{path}", found=described(answer), expected="JSON")
    issuer = f"{site.url}/api/auth"
    wrong = [document["issuer"] for document in found if document["issuer"] != issuer]
    if wrong:
        yield ISSUER.at("issuer", found=str(wrong[0]), expected=issuer)
    elif found:
        yield from _endpoints(site, found[0])
    if any(document != found[0] for document in found):
        yield DIFFERENT.at(site.url)


def _endpoints(site: Site, document: dict[str, Any]) -> Iterator[Finding]:
    for name, value in document.items():
        addresses = name == "jwks_uri" or name.endswith("_endpoint")
        if addresses and not str(value).startswith(f"{site.url}/"):
            yield ENDPOINT.at(name, found=str(value), expected=f"{site.url}/…")
