"""The session API: what applications ask on every page view, and its errors, arrive as sent."""

from collections.abc import Iterator

from authservice.diagnosis.finding import Finding, error
from authservice.diagnosis.site import Site, content, described

IN_ORDER = "The session API answers, and its errors arrive as JSON."

SOMEBODY = error(
    "session_api.somebody",
    "A request without a cookie gets a session: a cache gives the answer for one person to others.",
    "Switch off the cache of the proxy for this host at once.",
)
NO_SESSION = error(
    "session_api.no_session",
    "Without a session, get-session does not answer with null.",
    "Let the proxy pass /api/auth/ on, with all methods and without its own sign-in.",
)
NO_POST = error(
    "session_api.no_post",
    "POST requests do not arrive, so people can sign neither in nor out.",
    "Let the proxy pass every method on, and bodies of 64 KiB.",
)
ERRORS_REPLACED = error(
    "session_api.errors_replaced",
    "The proxy replaces errors by its own pages, which programs cannot read.",
    "Remove proxy_intercept_errors and error_page for this host from the proxy.",
)

_OK, _NOT_FOUND = 200, 404


def examine(site: Site) -> Iterator[Finding]:
    """Yield what applications would stumble over."""
    session = site.get("/api/auth/get-session")
    said = content(session)
    if isinstance(said, dict) and "user" in said:
        yield SOMEBODY.at(f"{site.url}/api/auth/get-session")
    elif session.status_code != _OK or said is not None:
        found = described(session)
        yield NO_SESSION.at(f"{site.url}/api/auth/get-session", found=found, expected="null")
    ended = site.post("/api/auth/sign-out", {})
    if ended.status_code != _OK or not isinstance(content(ended), dict):
        yield NO_POST.at(f"{site.url}/api/auth/sign-out", found=described(ended))
    unknown = site.get("/api/auth/no-such-endpoint")
    if unknown.status_code != _NOT_FOUND or not isinstance(content(unknown), dict):
        yield ERRORS_REPLACED.at(
            f"{site.url}/api/auth/no-such-endpoint",
            found=described(unknown),
            expected="status 404, application/json",
        )
