"""Requests with one long header or cookie, made of what headers are made of."""

import base64
from collections.abc import Iterator, Mapping

from tests.attacks.long_requests.sent import FORM, Long, Sent
from tests.helpers.browser import ORIGIN

# A little less than the server lets pass of all headers together.
LONGEST_HEADER = 31_000
# One of each kind: what reads headers is shared by the others of the kind.
CALLED = (
    ("GET", "/"),
    ("GET", "/account"),
    ("POST", "/sign-in"),
    ("GET", "/api/auth/oauth2/authorize"),
    ("POST", "/api/auth/oauth2/token"),
    ("GET", "/api/auth/oauth2/userinfo"),
    ("GET", "/api/auth/jwks"),
    ("GET", "/api/auth/get-session"),
    ("OPTIONS", "/api/auth/get-session"),
    ("POST", "/api/auth/revoke-other-sessions"),
    ("GET", "/static/authservice.css"),
    ("GET", "/nowhere"),
)
_HEADERS: dict[str, tuple[str, ...]] = {
    "Accept": (),
    "Accept-Charset": (),
    "Accept-Encoding": (),
    "Accept-Language": (),
    "Access-Control-Request-Headers": (),
    "Access-Control-Request-Method": (),
    "Authorization": ("Basic ", "Bearer "),
    "Content-Type": (f"{FORM}; ", "multipart/form-data; boundary="),
    "Cookie": (
        "a=",
        "authservice.session_token=",
        "authservice.session_host=",
        "authservice.browser=",
        "authservice.sign_in.",
    ),
    "Host": ("localhost", "["),
    "If-Modified-Since": (),
    "If-None-Match": ('"',),
    "Origin": ("http://", "http://[", "https://app.localhost:"),
    "Range": ("bytes=",),
    "Referer": ("http://", "http://["),
    "Sec-Fetch-Site": (),
    "Sec-Purpose": (),
    "Traceparent": ("00-",),
    "Tracestate": ("a=",),
    "User-Agent": ("Version/",),
    "X-Forwarded-For": (),
    "X-Forwarded-Proto": (),
    "X-Unheard-Of": (),
}
_UNITS = (
    "a",
    "a-",
    "aaaaaaaa-",
    "a,",
    "a;q=0.1,",
    "de;q=0,",
    "*,",
    ", ",
    " ",
    ";",
    "a=b; ",
    '"',
    '\\"',
    "a.",
    "a/",
    ":1",
    "(",
    "%41",
    "1",
    "\xe9",
    "10.0.0.1, ",
)


def with_long_headers(path: str, method: str, cookies: str) -> Iterator[Long]:
    """Yield requests of a browser with these cookies, each with one header that is long.

    The cookies have the names of local mode.
    """
    for name, beginnings in _HEADERS.items():
        for beginning in ("", *beginnings):
            for unit in _UNITS:
                headers = {"Cookie": cookies, "Origin": ORIGIN}
                yield _with(Sent(method, path, headers=headers), name, beginning, unit)


def _with(sound: Sent, name: str, beginning: str, unit: str) -> Long:
    def make(length: int) -> Sent:
        value = unit * (length // len(unit)) + "a"
        if beginning == "Basic ":
            value = base64.b64encode(value[: length * 3 // 4].encode("latin-1")).decode()
        headers: Mapping[str, str] = {**sound.headers, name: beginning + value}
        return Sent(sound.method, sound.path, headers=headers)

    return Long(f"{name}: {beginning}{unit}…", LONGEST_HEADER, make)
