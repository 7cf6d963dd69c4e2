"""Cookies: they arrive with everything that keeps them safe, and browsers accept them."""

from collections.abc import Iterator
from dataclasses import dataclass

from authservice.diagnosis.after.pages import PATH as SIGN_IN
from authservice.diagnosis.finding import Finding, error, ok
from authservice.diagnosis.site import Site
from authservice.settings.hosts import within_domain

IN_ORDER = "Cookies arrive with everything that keeps them safe."

MISSING = error(
    "cookies.missing",
    "No cookie arrives, so no person can sign in.",
    "Let the proxy pass Set-Cookie on: no proxy_hide_header or cache for it.",
)
NOT_SECURE = error(
    "cookies.not_secure",
    "Browsers may send a cookie unencrypted.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
READABLE = error(
    "cookies.readable",
    "Scripts of a page may read a cookie.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
SAME_SITE = error(
    "cookies.same_site",
    "Browsers send a cookie with requests from other sites, or drop it.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
PATH = error(
    "cookies.path",
    "A cookie is valid for a part of the service only.",
    "Remove what changes cookies from the proxy: proxy_cookie_path.",
)
PREFIX = error(
    "cookies.prefix",
    "The prefix of a cookie's name contradicts its attributes, so browsers drop it.",
    "Remove what changes cookies from the proxy: proxy_cookie_domain, proxy_cookie_path.",
)
DOMAIN = error(
    "cookies.domain",
    "The domain of the shared cookie does not cover this host, so browsers drop it.",
    "Set AUTH_COOKIE_DOMAIN to a parent of this host; remove proxy_cookie_domain from the proxy.",
)


@dataclass(frozen=True, slots=True)
class _Cookie:
    name: str
    attributes: dict[str, str]

    @property
    def for_one_host(self) -> bool:
        return self.name.startswith("__Host-")


def examine(site: Site) -> Iterator[Finding]:
    """Yield what is wrong with cookies that need no session: a browser's, and cleared ones."""
    page = site.get(SIGN_IN).headers.get("Set-Cookie", [])
    # Signing out without a session clears the session's cookies all the same.
    ended = site.post("/api/auth/sign-out", {}).headers.get("Set-Cookie", [])
    cookies = [_parsed(text) for text in (*page, *ended)]
    if not page or not ended:
        yield MISSING.at(SIGN_IN if not page else "/api/auth/sign-out")
    for cookie in cookies:
        yield from _attributes(site, cookie)
        yield from _reach(site, cookie)
    domains = {cookie.attributes.get("domain") for cookie in cookies} - {None}
    if domains and all(within_domain(site.host, str(each).lstrip(".")) for each in domains):
        shared = ", ".join(sorted(map(str, domains)))
        yield ok("cookies", "The session is shared below this domain.", found=shared)


def _parsed(text: str) -> _Cookie:
    pair, *rest = text.split(";")
    attributes = {
        name.strip().lower(): value.strip() for name, _, value in (a.partition("=") for a in rest)
    }
    return _Cookie(pair.partition("=")[0].strip(), attributes)


def _attributes(site: Site, cookie: _Cookie) -> Iterator[Finding]:
    attributes = cookie.attributes
    if site.https and "secure" not in attributes:
        yield NOT_SECURE.at(cookie.name, expected="Secure")
    if "httponly" not in attributes:
        yield READABLE.at(cookie.name, expected="HttpOnly")
    if attributes.get("samesite", "").lower() not in {"lax", "strict"}:
        yield SAME_SITE.at(cookie.name, found=attributes.get("samesite", ""), expected="Lax")


def _reach(site: Site, cookie: _Cookie) -> Iterator[Finding]:
    path, domain = cookie.attributes.get("path", ""), cookie.attributes.get("domain")
    if cookie.for_one_host and (path != "/" or domain is not None):
        found = f"Path={path}" + (f"; Domain={domain}" if domain is not None else "")
        yield PREFIX.at(cookie.name, found=found, expected="Path=/ and no Domain")
        return
    if path != "/":
        yield PATH.at(cookie.name, found=path, expected="/")
    if domain is not None and not within_domain(site.host, domain.lstrip(".")):
        yield DOMAIN.at(cookie.name, found=domain, expected=f"a parent of {site.host}")
