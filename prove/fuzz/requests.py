"""Requests to the endpoints that strangers reach: a good one, and then things done to it."""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from prove.fuzz.encoding import Pairs, encoded
from prove.fuzz.values import CANARY, ELSEWHERE, strange

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


def made(chance: random.Random, good: Mapping[str, str]) -> Request:
    """Return a request to some endpoint; good values are known by the names of parameters."""
    endpoint = chance.choices(ENDPOINTS, weights=[4, 4, 3, *[1] * (len(ENDPOINTS) - 3)])[0]
    pairs = [(name, good.get(name, "x")) for name in endpoint.names if chance.random() < 0.8]
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 5))):
        _spoil(chance, pairs)
    request = Request(chance.choice(endpoint.methods), endpoint.path)
    request.headers = {"Cookie": good["cookies"], "Origin": good["origin"]}
    if "token" in endpoint.path or "revoke" in endpoint.path or "introspect" in endpoint.path:
        request.headers["Authorization"] = good["authorization"]
    if endpoint.path.endswith("userinfo"):
        request.headers["Authorization"] = f"Bearer {good['access_token']}"
    _write(chance, endpoint, request, pairs)
    for _ in range(chance.choice((0, 0, 0, 0, 1, 2))):
        _disturb(chance, request)
    return request


def _spoil(chance: random.Random, pairs: Pairs) -> None:
    if not pairs or chance.random() < 0.05:
        pairs.append((strange(chance, "x"), strange(chance, "x")))
        return
    place = chance.randrange(len(pairs))
    name, value = pairs[place]
    match chance.randrange(8):
        case 0:
            pairs.append((name, value))
        case 1:
            pairs.append((name, strange(chance, value)))
        case 2:
            pairs[place] = (name, "")
        case 3:
            near = (f"{name}[]", name.upper(), f" {name}", f"{name}\x00", f"{name}.x")
            pairs[place] = (chance.choice(near), value)
        case 4:
            del pairs[place]
        case _:
            pairs[place] = (name, strange(chance, value))


def _write(chance: random.Random, endpoint: Endpoint, request: Request, pairs: Pairs) -> None:
    if request.method != "POST":
        request.query = encoded(chance, pairs)
        return
    if chance.random() < 0.05:
        request.query = encoded(chance, pairs)
    request.headers["Content-Type"] = endpoint.content_type
    if endpoint.content_type == FORM:
        request.body = encoded(chance, pairs)
        return
    content = {name: _typed(chance, value) for name, value in pairs}
    text = json.dumps(content, ensure_ascii=chance.random() < 0.5)
    request.body = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.1:
        request.body = chance.choice(
            (b"", b"{", b"[]", b"null", b"\xff", b"[" * 5000, request.body * 2, b'{"a":1,"a":2}')
        )


def _typed(chance: random.Random, value: str) -> object:
    others: tuple[object, ...] = (None, 1, -1.5, True, [], {}, [value], {"a": value}, "\ud800")
    return chance.choice(others) if chance.random() < 0.1 else value


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


def _disturb(chance: random.Random, request: Request) -> None:
    match chance.randrange(8):
        case 0:
            request.method = chance.choice(
                ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "\xff")
            )
        case 1:
            ending = (
                "/",
                "//",
                "/.",
                "/..",
                "%2e",
                ";a",
                "\x00",
                "\xff",
                ".json",
                "/../token",
                "?",
            )
            request.path += chance.choice(ending)
        case 2:
            request.path = chance.choice(
                (
                    f"//{ELSEWHERE}",
                    "",
                    "*",
                    "/\\",
                    f"/{CANARY}",
                    "/static/../local.ini",
                    "/static/%2e",
                )
            )
        case 3:
            request.headers.pop(chance.choice(("Cookie", "Origin", "Authorization")), None)
        case _:
            name = chance.choice(tuple(_HEADERS))
            request.headers[name] = chance.choice(_HEADERS[name])
