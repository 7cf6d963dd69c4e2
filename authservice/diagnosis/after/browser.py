"""What browsers and their pages get: documents, headers, cookies and the session API."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from authservice.diagnosis.after.client_documents import METADATA_PATHS
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.diagnosis.site import Site, content, described
from authservice.httpclient import Headers, RedirectError
from authservice.settings.hosts import within_domain

PAGES_NO_SIGN_IN = error(
    "pages.no_sign_in",
    "The sign-in page is missing.",
    "Let the proxy pass all paths of this host on to the service, not only /api/.",
)
PAGES_NO_STYLE = error(
    "pages.no_style",
    "The style sheet is missing, so pages look broken.",
    "Let the proxy pass /static/ of this host on to the service.",
)

_SIGN_IN = "/sign-in"
_STYLE = re.compile(rb'href="(/static/[^"]+\.css[^"]*)"')
_OK, _NOT_FOUND = 200, 404


@subject("pages", order=7, in_order="The sign-in page is there, with its style sheet.")
def pages(site: Site) -> Iterator[Finding]:
    """Yield which page is not what the service would send."""
    try:
        page = site.get(_SIGN_IN)
        style = _STYLE.search(page.body)
        if page.status_code != _OK or style is None:
            yield PAGES_NO_SIGN_IN.at(
                f"{site.url}{_SIGN_IN}", found=described(page), expected="status 200"
            )
            return
        path = style[1].decode("latin-1")
        sheet = site.get(path)
        if sheet.status_code != _OK or "css" not in described(sheet):
            yield PAGES_NO_STYLE.at(
                f"{site.url}{path}", found=described(sheet), expected="text/css"
            )
    except RedirectError:
        yield PAGES_NO_SIGN_IN.at(
            f"{site.url}{_SIGN_IN}", found="a redirect", expected="status 200"
        )


HEADERS_NO_HSTS = error(
    "headers.no_hsts",
    "Browsers are not told to use https only (RFC 6797).",
    "Let the proxy pass Strict-Transport-Security on; remove proxy_hide_header for it.",
)
HEADERS_NO_NOSNIFF = error(
    "headers.no_nosniff",
    "Browsers may guess another content type for an answer.",
    "Let the proxy pass X-Content-Type-Options on; remove proxy_hide_header for it.",
)
HEADERS_NO_POLICY = error(
    "headers.no_policy",
    "The sign-in page lacks its content security policy, so an injected script would run.",
    "Let the proxy pass Content-Security-Policy on; remove proxy_hide_header for it.",
)
HEADERS_STORED = error(
    "headers.stored",
    "A cache may store the answer for one person and give it to another.",
    "Let the proxy pass Cache-Control on unchanged, and switch its cache off for this host.",
)
HEADERS_DOUBLED = error(
    "headers.doubled",
    "A header comes twice: once from the service and once from the proxy; browsers may ignore it.",
    "Remove add_header for it from the proxy: the service sends the header itself.",
)
HEADERS_TELLING = warning(
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


@subject("headers", order=9, in_order="The headers that protect arrive, once each.")
def headers(site: Site) -> Iterator[Finding]:
    """Yield what is missing, doubled or too much."""
    page = site.get(_SIGN_IN).headers
    session = site.get("/api/auth/get-session").headers
    # A page of another origin asks, so that the answer says that it may.
    document = site.get(METADATA_PATHS[0], {"Origin": "https://relying-party.invalid"}).headers
    if site.https and not _has(page, "Strict-Transport-Security", "max-age="):
        yield HEADERS_NO_HSTS.at("Strict-Transport-Security", expected="max-age=63072000")
    if not _has(page, "X-Content-Type-Options", "nosniff"):
        yield HEADERS_NO_NOSNIFF.at("X-Content-Type-Options", expected="nosniff")
    if not _has(page, "Content-Security-Policy", "default-src 'none'"):
        yield HEADERS_NO_POLICY.at("Content-Security-Policy", expected="default-src 'none'; …")
    for path, given in ((_SIGN_IN, page), ("/api/auth/get-session", session)):
        if not _has(given, "Cache-Control", "no-store"):
            cache_control = ", ".join(given.get("Cache-Control", []))
            yield HEADERS_STORED.at(
                f"Cache-Control of {path}", found=cache_control, expected="no-store"
            )
    for name in _ONCE:
        if any(len(given.get(name, [])) > 1 for given in (page, session, document)):
            yield HEADERS_DOUBLED.at(name)
    for name in ("Server", "X-Powered-By"):
        said = ", ".join(page.get(name, []))
        if _VERSION.search(said) or (said and name == "X-Powered-By"):
            yield HEADERS_TELLING.at(name, found=said)


def _has(given: Headers, name: str, words: str) -> bool:
    return any(words in value for value in given.get(name, []))


COOKIES_MISSING = error(
    "cookies.missing",
    "No cookie arrives, so no person can sign in.",
    "Let the proxy pass Set-Cookie on: no proxy_hide_header or cache for it.",
)
COOKIES_NOT_SECURE = error(
    "cookies.not_secure",
    "Browsers may send a cookie unencrypted.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
COOKIES_READABLE = error(
    "cookies.readable",
    "Scripts of a page may read a cookie.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
COOKIES_SAME_SITE = error(
    "cookies.same_site",
    "Browsers send a cookie with requests from other sites, or drop it.",
    "Remove what changes cookies from the proxy: proxy_cookie_flags.",
)
COOKIES_PATH = error(
    "cookies.path",
    "A cookie is valid for a part of the service only.",
    "Remove what changes cookies from the proxy: proxy_cookie_path.",
)
COOKIES_PREFIX = error(
    "cookies.prefix",
    "The prefix of a cookie's name contradicts its attributes, so browsers drop it.",
    "Remove what changes cookies from the proxy: proxy_cookie_domain, proxy_cookie_path.",
)
COOKIES_DOMAIN = error(
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


@subject("cookies", order=10, in_order="Cookies arrive with everything that keeps them safe.")
def cookies(site: Site) -> Iterator[Finding]:
    """Yield what is wrong with cookies that need no session: a browser's, and cleared ones."""
    page = site.get(_SIGN_IN).headers.get("Set-Cookie", [])
    # Signing out without a session clears the session's cookies all the same.
    ended = site.post("/api/auth/sign-out", {}).headers.get("Set-Cookie", [])
    sent = [_parsed(text) for text in (*page, *ended)]
    if not page or not ended:
        yield COOKIES_MISSING.at(_SIGN_IN if not page else "/api/auth/sign-out")
    for cookie in sent:
        yield from _attributes(site, cookie)
        yield from _place(site, cookie)
    domains = {cookie.attributes.get("domain") for cookie in sent} - {None}
    if domains and all(within_domain(site.host, str(each).lstrip(".")) for each in domains):
        shared = ", ".join(sorted(map(str, domains)))
        yield cookies.ok("The session is shared below this domain.", found=shared)


def _parsed(text: str) -> _Cookie:
    pair, *rest = text.split(";")
    attributes = {
        name.strip().lower(): value.strip() for name, _, value in (a.partition("=") for a in rest)
    }
    return _Cookie(pair.partition("=")[0].strip(), attributes)


def _attributes(site: Site, cookie: _Cookie) -> Iterator[Finding]:
    attributes = cookie.attributes
    if site.https and "secure" not in attributes:
        yield COOKIES_NOT_SECURE.at(cookie.name, expected="Secure")
    if "httponly" not in attributes:
        yield COOKIES_READABLE.at(cookie.name, expected="HttpOnly")
    if attributes.get("samesite", "").lower() not in {"lax", "strict"}:
        yield COOKIES_SAME_SITE.at(
            cookie.name, found=attributes.get("samesite", ""), expected="Lax"
        )


def _place(site: Site, cookie: _Cookie) -> Iterator[Finding]:
    path, domain = cookie.attributes.get("path", ""), cookie.attributes.get("domain")
    if cookie.for_one_host and (path != "/" or domain is not None):
        attributes = f"Path={path}" + (f"; Domain={domain}" if domain is not None else "")
        yield COOKIES_PREFIX.at(cookie.name, found=attributes, expected="Path=/ and no Domain")
        return
    if path != "/":
        yield COOKIES_PATH.at(cookie.name, found=path, expected="/")
    if domain is not None and not within_domain(site.host, domain.lstrip(".")):
        yield COOKIES_DOMAIN.at(cookie.name, found=domain, expected=f"a parent of {site.host}")


SESSION_API_SOMEBODY = error(
    "session_api.somebody",
    "A request without a cookie gets a session: a cache gives the answer for one person to others.",
    "Switch off the cache of the proxy for this host at once.",
)
SESSION_API_NO_SESSION = error(
    "session_api.no_session",
    "Without a session, get-session does not answer with null.",
    "Let the proxy pass /api/auth/ on, with all methods and without its own sign-in.",
)
SESSION_API_NO_POST = error(
    "session_api.no_post",
    "POST requests do not arrive, so people can sign neither in nor out.",
    "Let the proxy pass every method on, and bodies of 64 KiB.",
)
SESSION_API_ERRORS_REPLACED = error(
    "session_api.errors_replaced",
    "The proxy replaces errors by its own pages, which programs cannot read.",
    "Remove proxy_intercept_errors and error_page for this host from the proxy.",
)


@subject(
    "session_api", order=11, in_order="The session API answers, and its errors arrive as JSON."
)
def session_api(site: Site) -> Iterator[Finding]:
    """Yield what applications would stumble over."""
    session = site.get("/api/auth/get-session")
    said = content(session)
    if isinstance(said, dict) and "user" in said:
        yield SESSION_API_SOMEBODY.at(f"{site.url}/api/auth/get-session")
    elif session.status_code != _OK or said is not None:
        answer = described(session)
        yield SESSION_API_NO_SESSION.at(
            f"{site.url}/api/auth/get-session", found=answer, expected="null"
        )
    ended = site.post("/api/auth/sign-out", {})
    if ended.status_code != _OK or not isinstance(content(ended), dict):
        yield SESSION_API_NO_POST.at(f"{site.url}/api/auth/sign-out", found=described(ended))
    unknown = site.get("/api/auth/no-such-endpoint")
    if unknown.status_code != _NOT_FOUND or not isinstance(content(unknown), dict):
        yield SESSION_API_ERRORS_REPLACED.at(
            f"{site.url}/api/auth/no-such-endpoint",
            found=described(unknown),
            expected="status 404, application/json",
        )
