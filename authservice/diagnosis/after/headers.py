"""Headers: the protecting ones arrive, once each, and none tells strangers too much."""

import re
from collections.abc import Iterator

from authservice.diagnosis.after.metadata import PATHS
from authservice.diagnosis.after.pages import PATH as SIGN_IN
from authservice.diagnosis.finding import Finding, error, warning
from authservice.diagnosis.site import Site
from authservice.httpclient import Headers

IN_ORDER = "The headers that protect arrive, once each."

NO_HSTS = error(
    "headers.no_hsts",
    "Browsers are not told to use https only (RFC 6797).",
    "Let the proxy pass Strict-Transport-Security on; remove proxy_hide_header for it.",
)
NO_NOSNIFF = error(
    "headers.no_nosniff",
    "Browsers may guess another content type for an answer.",
    "Let the proxy pass X-Content-Type-Options on; remove proxy_hide_header for it.",
)
NO_POLICY = error(
    "headers.no_policy",
    "The sign-in page lacks its content security policy, so an injected script would run.",
    "Let the proxy pass Content-Security-Policy on; remove proxy_hide_header for it.",
)
STORED = error(
    "headers.stored",
    "A cache may store the answer for one person and give it to another.",
    "Let the proxy pass Cache-Control on unchanged, and switch its cache off for this host.",
)
DOUBLED = error(
    "headers.doubled",
    "A header comes twice: once from the service and once from the proxy; browsers may ignore it.",
    "Remove add_header for it from the proxy: the service sends the header itself.",
)
TELLING = warning(
    "headers.telling",
    "A header shows strangers which software and version answers.",
    "Switch it off in the proxy: server_tokens off;",
)

_ONCE = (
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Referrer-Policy",
    "Content-Security-Policy",
    "Access-Control-Allow-Origin",
)
_VERSION = re.compile(r"\d")


def examine(site: Site) -> Iterator[Finding]:
    """Yield what is missing, doubled or too much."""
    page = site.get(SIGN_IN).headers
    session = site.get("/api/auth/get-session").headers
    # A page of another origin asks, so that the answer says that it may.
    document = site.get(PATHS[0], {"Origin": "https://relying-party.invalid"}).headers
    if site.https and not _has(page, "Strict-Transport-Security", "max-age="):
        yield NO_HSTS.at("Strict-Transport-Security", expected="max-age=63072000")
    if not _has(page, "X-Content-Type-Options", "nosniff"):
        yield NO_NOSNIFF.at("X-Content-Type-Options", expected="nosniff")
    if not _has(page, "Content-Security-Policy", "default-src 'none'"):
        yield NO_POLICY.at("Content-Security-Policy", expected="default-src 'none'; …")
    for path, headers in ((SIGN_IN, page), ("/api/auth/get-session", session)):
        if not _has(headers, "Cache-Control", "no-store"):
            found = ", ".join(headers.get("Cache-Control", []))
            yield STORED.at(f"Cache-Control of {path}", found=found, expected="no-store")
    for name in _ONCE:
        if any(len(headers.get(name, [])) > 1 for headers in (page, session, document)):
            yield DOUBLED.at(name)
    for name in ("Server", "X-Powered-By"):
        said = ", ".join(page.get(name, []))
        if _VERSION.search(said) or (said and name == "X-Powered-By"):
            yield TELLING.at(name, found=said)


def _has(headers: Headers, name: str, words: str) -> bool:
    return any(words in value for value in headers.get(name, []))
