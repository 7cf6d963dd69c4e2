"""An application behind forward authentication: whether it is really closed.

It is asked as anyone may who has no session. What is asked matters to the octet, so the requests
go out as they stand here: a request of the HTTP client has its path normalized.
"""

import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from urllib.parse import parse_qs, urlsplit

from authservice.diagnosis.after import reach
from authservice.diagnosis.before.network import resolves
from authservice.diagnosis.finding import Finding, Severity, error, subject, warning
from authservice.diagnosis.site import Site
from authservice.httpclient import SendError, SendTimeoutError
from authservice.settings.hosts import origin_of

_CONNECT_SECONDS = 5
_FORBIDDEN, _SERVER_ERROR = 403, 500
_REALM = re.compile(r'Session realm="([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedApplication:
    """An address of an application, as its visitors and its operator know it.

    ``path`` begins with a slash. ``service`` is the origin of the service that its proxy asks, and
    ``upstream`` host and port where the application itself listens; both may be unknown.
    """

    site: Site
    path: str
    service: str | None
    upstream: tuple[str, int] | None

    @property
    def address(self) -> str:
        """Return the absolute address."""
        return f"{self.site.url}{self.path}"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: HTTPMessage

    def __str__(self) -> str:
        named = self.headers.get("Location") or self.headers.get("Content-Type", "no content type")
        return f"status {self.status}, {named}"

    @property
    def back_to(self) -> str | None:
        """Return where the sign-in leads back to; None where the answer does not lead to it."""
        location = self.headers.get("Location", "")
        if origin_of(location) is None or urlsplit(location).path != "/sign-in":
            return None
        return parse_qs(urlsplit(location).query).get("callbackURL", [None])[-1]

    @property
    def service(self) -> str | None:
        """Return the origin of the service that refuses the request; None where none does."""
        if self.back_to is not None:
            return origin_of(self.headers["Location"])
        realm = _REALM.fullmatch(self.headers.get("WWW-Authenticate", ""))
        return None if realm is None else realm[1]


# As browsers say that a person opens a page.
_NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}


def _ask(
    application: ClosedApplication,
    target: str,
    headers: Mapping[str, str],
    *,
    method: str = "GET",
    origin: str | None = None,
) -> _Answer | None:
    """Return the answer, or None where there is none; raises SendTimeoutError for silence."""
    site = application.site
    written = HTTPConnection(site.host, site.port)
    try:
        with site.client.connected(origin or site.url) as written.sock:
            written.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            written.putheader("Host", site.url.partition("://")[2])
            for name, value in headers.items():
                written.putheader(name, value)
            written.endheaders()
            with written.getresponse() as answer:
                return _Answer(answer.status, answer.headers)
    except SendTimeoutError as silence:
        raise silence.at(method, f"{site.url}{target}") from None
    except SendError:
        return None


WITHOUT_SESSION_OPEN = error(
    "without_session.open",
    "Who is not signed in gets another answer than that of the service: the application is open.",
    "Let the proxy ask the service about every request, as in docs/forward-auth.",
)
WITHOUT_SESSION_NO_ANSWER = error(
    "without_session.no_answer",
    "The proxy answers with an error or not at all, as when it cannot ask the service.",
    "Start the service, and give the proxy the address at which it listens.",
)
WITHOUT_SESSION_REFUSED = error(
    "without_session.refused",
    "The answer is 403: the service refuses to answer the proxy, or the application is open.",
    "Read in the log of the service why it refuses; if it says nothing, it was not asked.",
)
WITHOUT_SESSION_OTHER_SERVICE = error(
    "without_session.other_service",
    "The proxy asks another service.",
    "Give the proxy the address of the service, or verify with the other one.",
)
WITHOUT_SESSION_NOT_LED_BACK = warning(
    "without_session.not_led_back",
    "Who opens a page is not led to the sign-in and back to the same page.",
    "Let the proxy tell the service the whole address, and pass its redirect on.",
)


@subject(
    "without_session",
    order=1,
    in_order="Who is not signed in is led to the sign-in, and programs are told 401.",
)
def without_session(application: ClosedApplication) -> Iterator[Finding]:
    """Yield what somebody without a session gets."""
    address = application.address
    page = _ask(application, application.path, _NAVIGATION)
    if page is None or page.status >= _SERVER_ERROR:
        yield WITHOUT_SESSION_NO_ANSWER.at(address, found=str(page or "no answer"))
        return
    if page.status == _FORBIDDEN:
        yield WITHOUT_SESSION_REFUSED.at(address, found=str(page))
        return
    program = _ask(application, application.path, {})
    for answer in (page, program):
        # The application may have a sign-in of its own.
        if answer is None or answer.service in {None, application.site.url}:
            yield WITHOUT_SESSION_OPEN.at(address, found=str(answer or "no answer"))
            return
    if application.service not in {None, page.service}:
        yield WITHOUT_SESSION_OTHER_SERVICE.at(
            address, found=str(page.service), expected=str(application.service)
        )
    elif page.back_to != address:
        yield WITHOUT_SESSION_NOT_LED_BACK.at(address, found=str(page), expected=address)
    else:
        yield without_session.ok(about=address, found=str(page.service))


FORGED_HEADERS_BELIEVED = error(
    "forged_headers.believed",
    "A header of the visitor changes the answer: the proxy or the application goes by it.",
    "Let the proxy remove the header, or replace it by what it knows itself.",
)

_LOCAL = "127.0.0.1"
# All that may stand in a name beside letters, digits and hyphens (RFC 9110, section 5.6.2). Some
# servers read each of them like a hyphen.
_SIGNS = "!#$%&'*+.^_`|~"


def _forged(application: ClosedApplication) -> dict[str, str]:
    host = application.site.host
    other = f"forged.{host}"
    return {
        "X-Original-URL": f"https://{host}/forged",
        "X-Original-URI": "/forged",
        "X-Rewrite-URL": "/forged",
        "X-Forwarded-Uri": "/forged",
        "X-Forwarded-Host": other,
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Method": "OPTIONS",
        "X-Original-Method": "OPTIONS",
        "X-HTTP-Method-Override": "OPTIONS",
        "Forwarded": f"for={_LOCAL};host={other};proto=http",
        "X-Forwarded-For": _LOCAL,
        "X-Real-IP": _LOCAL,
        "X_Original_URL": f"https://{host}/forged",
        "X_Forwarded_Uri": "/forged",
        "X_Forwarded_Host": other,
        "X_Forwarded_Method": "OPTIONS",
        "Remote-User": "root",
        **{f"Remote{sign}User": "root" for sign in _SIGNS},
        "X-Forwarded-User": "root",
        "Authorization": "Bearer forged",
        "Cookie": "__Secure-authservice.session_token=forged.forged",
        "Connection": "X-Original-URL, X-Forwarded-Uri, X-Forwarded-Host, X-Forwarded-Method",
    }


@subject("forged_headers", order=2, in_order="No header of a visitor changes the answer.")
def forged_headers(application: ClosedApplication) -> Iterator[Finding]:
    """Yield what is believed."""
    # A forged method could make these a preflight, which may pass.
    sent = _NAVIGATION | {
        "Origin": "https://forged.example",
        "Access-Control-Request-Method": "GET",
    }
    honest = _ask(application, application.path, sent)
    for name, value in _forged(application).items():
        answer = _ask(application, application.path, sent | {name: value})
        if str(answer) != str(honest):
            yield FORGED_HEADERS_BELIEVED.at(f"{name}: {value}", found=str(answer))


ODD_PATHS_OPEN = error(
    "odd_paths.open",
    "A path that is written in an odd way leads past the service to the application.",
    "Let the proxy ask about every path of this host, not about certain ones.",
)

_BAD_REQUEST = 400


def _odd_paths(application: ClosedApplication) -> list[str]:
    path = application.path
    letter = re.search(r"[a-zA-Z]", path)
    encoded = [path.replace(letter[0], f"%{ord(letter[0]):x}", 1)] if letter else []
    fronts = ["/", "/.", "/%2e", "/%2f", "/x/..", "/x/%2e%2e", "/x/..%2f", "/x%2f..", "/;x"]
    return [*(f"{front}{path}" for front in fronts), *encoded, application.address]


@subject("odd_paths", order=3, in_order="No spelling of the path leads past the service.")
def odd_paths(application: ClosedApplication) -> Iterator[Finding]:
    """Yield which spellings lead to the application."""
    for target in _odd_paths(application):
        answer = _ask(application, target, {})
        # Proxies may refuse such a path themselves.
        if answer and answer.service is None and answer.status != _BAD_REQUEST:
            yield ODD_PATHS_OPEN.at(f"GET {target}", found=str(answer))


OTHER_METHODS_OPEN = error(
    "other_methods.open",
    "Another method than GET, or another protocol, leads past the service to the application.",
    "Let the proxy ask about every request, also OPTIONS and websockets.",
)

_METHODS = ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND")
# Where nothing is that a method could change.
_NOWHERE = "authservice-verify"


@subject("other_methods", order=4, in_order="No method or protocol leads past the service.")
def other_methods(application: ClosedApplication) -> Iterator[Finding]:
    """Yield which of them lead to the application."""
    target = f"{application.path.rpartition('/')[0]}/{_NOWHERE}"
    requests = [(method, method, {"Content-Length": "0"}) for method in _METHODS]
    requests += [
        (f"Upgrade: {protocol}", "GET", {"Connection": "Upgrade", "Upgrade": protocol})
        for protocol in ("websocket", "h2c")
    ]
    for name, method, headers in requests:
        answer = _ask(application, target, headers, method=method)
        if answer and answer.service is None:
            yield OTHER_METHODS_OPEN.at(f"{name} {target}", found=str(answer))


UNENCRYPTED_OPEN = error(
    "unencrypted.open",
    "Plain HTTP gets another answer than that of the service.",
    "Let the proxy redirect: server { listen 80; return 301 https://$host$request_uri; }",
)

_HTTPS = 443
_NO_SUCH_SITE = {404, 421, 426}


@subject("unencrypted", order=5, in_order="Plain HTTP is closed, or leads to https.")
def unencrypted(application: ClosedApplication) -> Iterator[Finding]:
    """Yield what plain HTTP gives away."""
    site = application.site
    if not site.https or site.port != _HTTPS:
        yield unencrypted.skipped("The application is not at the default port of https.")
        return
    try:
        answer = _ask(application, application.path, _NAVIGATION, origin=f"http://{site.host}")
    except SendTimeoutError:
        return  # A firewall drops what comes to a port that is closed.
    if answer is None or answer.service is not None or answer.status in _NO_SUCH_SITE:
        return
    if not answer.headers.get("Location", "").startswith("https://"):
        yield UNENCRYPTED_OPEN.at(
            application.address.replace("https://", "http://", 1),
            found=str(answer),
            expected="a redirect to https",
        )


UPSTREAM_OPEN = error(
    "upstream.open",
    "The application's own port accepts connections, past the proxy.",
    "Let it listen on 127.0.0.1, or where only the proxy reaches it. Docker opens a port that it"
    " publishes in the firewall too: publish 127.0.0.1:3000:3000.",
)


@subject("upstream", order=6, in_order="The application's own port is closed.")
def upstream(application: ClosedApplication) -> Iterator[Finding]:
    """Yield whether the port can be reached from here."""
    if application.upstream is None:
        yield upstream.skipped("Name where the application itself listens: --upstream HOST:PORT")
        return
    host, port = application.upstream
    if not resolves(host):
        yield upstream.skipped(f"{host} has no address.")
        return
    try:
        socket.create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError:
        return
    yield UPSTREAM_OPEN.at(f"{host}:{port}", found="a connection", expected="none")


SUBJECTS = (without_session, forged_headers, odd_paths, other_methods, unencrypted, upstream)


def examine(application: ClosedApplication) -> list[Finding]:
    """Return what is found of every subject; the rest is skipped where the first ones fail."""
    findings = reach.reach.findings(application.site)
    failed = any(each.severity is Severity.ERROR for each in findings)
    for examined in SUBJECTS:
        if failed:
            findings.append(examined.skipped("The application is open, or nobody can reach it."))
            continue
        try:
            here = examined.findings(application)
        except SendTimeoutError as silence:
            here = [reach.REACH_TOO_SLOW.at(silence.url, found=silence.reason)]
        findings += here
        failed = examined is without_session and any(
            each.severity is Severity.ERROR for each in here
        )
    return findings
