"""Requests to the endpoints that strangers reach: a good one, and then things done to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from tools.prove.fuzz.encoding import Pairs, encoded
from tools.prove.fuzz.values import CANARY, ELSEWHERE, strange

FORM = "application/x-www-form-urlencoded"
API = "/api/auth"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address with its methods, and a good value for each thing that it reads."""

    path: str
    methods: tuple[str, ...]
    names: tuple[str, ...]
    content_type: str = FORM


_INTERACTION = ("interaction", "csrf_token", "decision")
_RETURN = ("callbackURL", "errorCallbackURL", "newUserCallbackURL")
ENDPOINTS = (
    Endpoint(
        f"{API}/oauth2/authorize",
        ("GET", "GET", "GET", "POST"),
        (
            *("response_type", "client_id", "redirect_uri", "scope", "state", "nonce"),
            *("code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint"),
            *("id_token_hint", "claims", "resource", "response_mode", "display", "ui_locales"),
            *("acr_values", "request", "request_uri", "claims_locales"),
        ),
    ),
    Endpoint(
        f"{API}/oauth2/token",
        ("POST",),
        (
            *("grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope"),
            *("client_id", "client_secret", "resource", "client_assertion"),
        ),
    ),
    Endpoint(
        f"{API}/oauth2/end-session",
        ("GET", "POST"),
        ("id_token_hint", "post_logout_redirect_uri", "state", "client_id", "logout_hint"),
    ),
    Endpoint(f"{API}/oauth2/end-session/confirm", ("POST",), ("request_token", *_INTERACTION)),
    Endpoint(f"{API}/oauth2/userinfo", ("GET", "POST"), ("access_token",)),
    Endpoint(
        f"{API}/oauth2/introspect",
        ("POST",),
        ("token", "token_type_hint", "client_id", "client_secret"),
    ),
    Endpoint(
        f"{API}/oauth2/revoke",
        ("POST",),
        ("token", "token_type_hint", "client_id", "client_secret"),
    ),
    Endpoint(f"{API}/callback/github", ("GET",), ("code", "state", "error", "iss")),
    Endpoint("/sign-in", ("GET", "POST"), (*_RETURN, "attempt", "choice", *_INTERACTION)),
    Endpoint("/consent", ("GET", "POST"), _INTERACTION),
    Endpoint("/sign-out", ("POST",), ("csrf_token",)),
    Endpoint("/account", ("GET",), ("sessions", "applications", "done")),
    Endpoint("/account/end-session", ("POST",), ("session", "csrf_token")),
    Endpoint("/account/disconnect", ("POST",), ("client_id", "csrf_token")),
    Endpoint("/account/sign-out-everywhere", ("POST",), ("csrf_token",)),
    Endpoint("/error", ("GET",), ("error", "error_description")),
    Endpoint("/", ("GET",), ("ui_locales",)),
    Endpoint(f"{API}/get-session", ("GET",), ("disableRefresh",)),
    Endpoint(f"{API}/token", ("GET",), ()),
    Endpoint(f"{API}/list-sessions", ("GET",), ()),
    Endpoint(f"{API}/oauth2/public-client", ("GET",), ("client_id",)),
    Endpoint(f"{API}/oauth2/get-consents", ("GET",), ()),
    Endpoint(
        f"{API}/sign-in/social",
        ("POST",),
        ("provider", *_RETURN, "disableRedirect"),
        "application/json",
    ),
    Endpoint(f"{API}/sign-in/begin", ("GET",), _RETURN),
    Endpoint(f"{API}/revoke-session", ("POST",), ("token",), "application/json"),
    Endpoint(f"{API}/oauth2/delete-consent", ("POST",), ("id",), "application/json"),
    Endpoint(f"{API}/sign-out", ("POST",), (), "application/json"),
)


@dataclass(slots=True)
class Request:
    """A request as a server hands it on: decoded where servers do so, bytes elsewhere."""

    method: str
    path: str
    query: bytes = b""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return what it takes to repeat the request."""
        shown = f"{self.method} {self.path!r} ?{self.query[:300]!r} {self.body[:300]!r}"
        return f"{shown} { ({name: value[:80] for name, value in self.headers.items()}) }"


# The first three have the most to read.
_ASKED = st.sampled_from((*ENDPOINTS, *ENDPOINTS[:3] * 3))
# What every request draws is made once: to make a strategy takes longer than to draw from it.
_METHODS_OF = {endpoint: st.sampled_from(endpoint.methods) for endpoint in ENDPOINTS}
_TIMES_SPOILT = st.sampled_from((0, 1, 1, 1, 2, 3, 5))
_TIMES_DISTURBED = st.sampled_from((0, 0, 0, 0, 1, 2))
_WHICH = st.integers(0, 7)
_IS_KEPT = st.sampled_from((False, True, True, True, True))
_IN_TEN = st.sampled_from((*[False] * 9, True))
_IN_TWENTY = st.sampled_from((*[False] * 19, True))


@st.composite
def requests(draw: st.DrawFn, good: Mapping[str, str]) -> Request:
    """Draw a request to some endpoint; good values are known by the names of parameters."""
    endpoint = draw(_ASKED)
    # In the smallest request nothing is there that need not be.
    pairs = [(name, good.get(name, "x")) for name in endpoint.names if draw(_IS_KEPT)]
    for _ in range(draw(_TIMES_SPOILT)):
        _spoil(draw, pairs)
    request = Request(draw(_METHODS_OF[endpoint]), endpoint.path)
    request.headers = {"Cookie": good["cookies"], "Origin": good["origin"]}
    if "token" in endpoint.path or "revoke" in endpoint.path or "introspect" in endpoint.path:
        request.headers["Authorization"] = good["authorization"]
    if endpoint.path.endswith("userinfo"):
        request.headers["Authorization"] = f"Bearer {good['access_token']}"
    _write(draw, endpoint, request, pairs)
    for _ in range(draw(_TIMES_DISTURBED)):
        _disturb(draw, request)
    return request


def _spoil(draw: st.DrawFn, pairs: Pairs) -> None:
    if not pairs or draw(_IN_TWENTY):
        pairs.append((strange(draw, "x"), strange(draw, "x")))
        return
    place = draw(st.integers(0, len(pairs) - 1))
    name, value = pairs[place]
    match draw(_WHICH):
        case 0:
            del pairs[place]
        case 1:
            pairs[place] = (name, "")
        case 2:
            pairs.append((name, value))
        case 3:
            near = (f"{name}[]", name.upper(), f" {name}", f"{name}\x00", f"{name}.x")
            pairs[place] = (draw(st.sampled_from(near)), value)
        case 4:
            pairs.append((name, strange(draw, value)))
        case _:
            pairs[place] = (name, strange(draw, value))


def _write(draw: st.DrawFn, endpoint: Endpoint, request: Request, pairs: Pairs) -> None:
    if request.method != "POST":
        request.query = encoded(draw, pairs)
        return
    if draw(_IN_TWENTY):
        request.query = encoded(draw, pairs)
    request.headers["Content-Type"] = endpoint.content_type
    if endpoint.content_type == FORM:
        request.body = encoded(draw, pairs)
        return
    content = {name: _typed(draw, value) for name, value in pairs}
    text = json.dumps(content, ensure_ascii=draw(st.booleans()))
    request.body = text.encode("utf-8", "surrogatepass")
    if draw(_IN_TEN):
        odd = (b"", b"{", b"[]", b"null", b"\xff", b"[" * 5000, request.body * 2, b'{"a":1,"a":2}')
        request.body = draw(st.sampled_from(odd))


def _typed(draw: st.DrawFn, value: str) -> object:
    if not draw(_IN_TEN):
        return value
    others: tuple[object, ...] = (None, 1, -1.5, True, [], {}, [value], {"a": value}, "\ud800")
    return draw(st.sampled_from(others))


_HEADERS = {
    "Cookie": ("", ";;==;;", "authservice.session_token=x", "\xff", "a=" + "b" * 9000, CANARY),
    "Origin": ("", "null", f"https://{ELSEWHERE}", "http://[", "\xff", CANARY),
    "Referer": (f"https://{ELSEWHERE}/", "http://[", "\xff"),
    "Authorization": (
        "",
        "Basic",
        "Basic !",
        "Basic Og==",
        "Bearer",
        "Bearer \x00",
        "Digest a",
        "\xff",
    ),
    "Content-Type": ("", "text/plain", "application/json", FORM, f"{FORM}; charset=utf-7", "\xff"),
    "Host": (
        "",
        ELSEWHERE,
        f"localhost@{ELSEWHERE}",
        "localhost:99999",
        "[::1",
        "localhost.",
        "\xff",
    ),
    "X-Forwarded-Host": (ELSEWHERE,),
    "X-Forwarded-Proto": ("javascript", "https"),
    "X-Forwarded-For": ("127.0.0.1, \xff", CANARY),
    "X-Original-Url": ("/api/auth/list-sessions",),
    "X-Http-Method-Override": ("DELETE", "POST"),
    "Forwarded": (f"host={ELSEWHERE};proto=javascript",),
    "Accept": ("", "*/*;q=x", "\xff"),
    "Accept-Language": ("", "xx", "*;q=1" * 500, "en;q=\xff", "ar-EG,fr;q=0.5", CANARY),
    "User-Agent": ("", CANARY, "\xff" * 3000),
    "If-None-Match": ("*", "\xff", 'W/"'),
    "Range": ("bytes=0-0", "bytes=9-1"),
    "Transfer-Encoding": ("chunked",),
}
_METHODS = st.sampled_from(
    ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "\xff")
)
_ENDINGS = st.sampled_from(
    ("/", "//", "/.", "/..", "%2e", ";a", "\x00", "\xff", ".json", "/../token", "?")
)
_PATHS = st.sampled_from(
    (f"//{ELSEWHERE}", "", "*", "/\\", f"/{CANARY}", "/static/../local.ini", "/static/%2e")
)
_LEFT_OUT = st.sampled_from(("Cookie", "Origin", "Authorization"))
_CHANGED = st.sampled_from([(name, value) for name in _HEADERS for value in _HEADERS[name]])


def _disturb(draw: st.DrawFn, request: Request) -> None:
    match draw(_WHICH):
        case 0:
            request.headers.pop(draw(_LEFT_OUT), None)
        case 1:
            request.method = draw(_METHODS)
        case 2:
            request.path += draw(_ENDINGS)
        case 3:
            request.path = draw(_PATHS)
        case _:
            name, value = draw(_CHANGED)
            request.headers[name] = value
