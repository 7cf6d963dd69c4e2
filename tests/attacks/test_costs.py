"""No part of a request costs more than in proportion to its length, whatever it holds."""

import base64
import json
from urllib.parse import parse_qsl, quote, quote_plus, urlencode

import pytest

from authservice.web.junk_guard import MAX_BODY, MAX_QUERY
from tests.attacks import costs
from tests.attacks.costs import FORM, Sent
from tests.browser import Browser
from tests.openapi.described import operations
from tests.relying_party import AUTHORIZE, TOKEN, USERINFO, RelyingParty

# A little less than the server lets pass of all headers together.
LONGEST_HEADER = 31_000
LONGEST_AUTHORIZATION_REQUEST = 15_000
# Room for the other parameters.
LONGEST_QUERY = MAX_QUERY - 2_000
LONGEST_BODY = MAX_BODY - 2_000

# One of each kind: what reads headers is shared by the others of the kind.
CALLED = (
    ("GET", "/"),
    ("GET", "/account"),
    ("POST", "/sign-in"),
    ("GET", AUTHORIZE),
    ("POST", TOKEN),
    ("GET", USERINFO),
    ("GET", "/api/auth/jwks"),
    ("GET", "/api/auth/get-session"),
    ("OPTIONS", "/api/auth/get-session"),
    ("POST", "/api/auth/revoke-other-sessions"),
    ("GET", "/static/authservice.css"),
    ("GET", "/nowhere"),
)
HEADERS = {
    "Accept": (),
    "Accept-Charset": (),
    "Accept-Encoding": (),
    "Accept-Language": (),
    "Access-Control-Request-Method": (),
    "Authorization": ("Basic ", "Bearer "),
    "Content-Type": (f"{FORM}; ", "multipart/form-data; boundary="),
    "Cookie": ("a=", "{session}=", "{companion}=", "{browser}=", "{attempt}="),
    "Host": ("localhost", "["),
    "If-Modified-Since": (),
    "If-None-Match": ('"',),
    "Origin": ("http://", "http://[", "https://app.localhost:"),
    "Range": ("bytes=",),
    "Referer": ("http://", "http://["),
    "Sec-Fetch-Site": (),
    "Traceparent": ("00-",),
    "Tracestate": ("a=",),
    "User-Agent": ("Version/",),
    "X-Forwarded-For": (),
    "X-Forwarded-Proto": (),
    "X-Unheard-Of": (),
}
HEADER_UNITS = (
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
# What a value begins with so that more of it is read.
BEGINNINGS = ("", "https://app.example.com/", "http://127.0.0.1:", "eyJhbGciOiJSUzI1NiJ9.")
UNITS = (
    "a",
    "a ",
    "a-",
    "a.",
    "a/",
    "/",
    ":",
    "1",
    "[",
    '{"a":',
    '{"a":1},',
    '"\\u0041',
    "%",
    "@",
    "openid ",
    "e\u0301",
    "\x00",
)


@pytest.fixture
def app(make_app):
    return make_app(auth__trusted_proxies="127.0.0.1 10.0.0.0/8")


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database)


@pytest.fixture
def browser(app):
    signed_in = Browser(app)
    signed_in.sign_in()
    return signed_in


@pytest.fixture
def cookies(browser):
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def _id(operation):
    path, method, _ = operation
    return f"{method} {path}"


every_operation = pytest.mark.parametrize("operation", [*operations()], ids=_id)


def _fast_growing(app, requests):
    """Return the names of those whose cost grows faster than their length."""
    return [
        name
        for name, longest, make in requests
        if costs.grows_faster_than_its_length(app, make, longest)
    ]


def _repeated(unit, length, *, encoded=False):
    """Return as many of a unit as fit, with an end that lets lists and tags be whole."""
    return unit * (length // len(quote(unit) if encoded else unit)) + "a"


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.parametrize("called", CALLED, ids=" ".join)
def test_no_header_and_no_cookie_costs_more_than_in_proportion(app, cookies, called):
    method, path = called

    assert _fast_growing(app, _with_headers(app, path, method, cookies)) == []


def _with_headers(app, path, method, cookies):
    for name, beginnings in HEADERS.items():
        for beginning in ("", *beginnings):
            for unit in HEADER_UNITS:
                yield (
                    f"{name}: {beginning}{unit}…",
                    LONGEST_HEADER,
                    _header(app, path, method, cookies, name, beginning, unit),
                )


def _header(app, path, method, cookies, name, beginning, unit):
    named = app.registry.components.cookies
    start = beginning.format(
        session=named.session_name,
        companion=named.companion_name,
        browser=f"{named._host_prefix}browser",
        attempt=f"{named._host_prefix}sign_in.",
    )

    def make(length):
        value = _repeated(unit, length)
        if beginning == "Basic ":
            value = base64.b64encode(value[: length * 3 // 4].encode()).decode()
        headers = {"Cookie": cookies, "Origin": "http://localhost:37960"}
        return Sent(method, path, headers=headers | {name: start + value})

    return make


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@every_operation
def test_no_parameter_and_no_field_costs_more_than_in_proportion(
    app, browser, cookies, client, operation
):
    assert _fast_growing(app, _with_values(browser, cookies, client, operation)) == []


def _with_values(browser, cookies, client, operation):
    path, method, described = operation
    longest = LONGEST_AUTHORIZATION_REQUEST if path == AUTHORIZE else LONGEST_QUERY
    sound = _sound(browser, client, path)
    query = {each["name"]: each["in"] for each in described.get("parameters", ())}
    headers = {"Cookie": cookies, "Origin": "http://localhost:37960"}
    asked = _Values(method.upper(), path, sound, headers | client.credentials())
    for name in [*(name for name, kind in query.items() if kind == "query"), "unheard_of"]:
        yield from asked.each(name, longest, asked.in_query)
    for kind, content in described.get("requestBody", {}).get("content", {}).items():
        names = [*content["schema"].get("properties", ()), "unheard_of"]
        for name in names:
            make = asked.in_form if kind == FORM else asked.in_json
            yield from asked.each(name, LONGEST_BODY, make)
    if "path" in query.values():
        yield from asked.each("path", LONGEST_HEADER, asked.in_path)


def _sound(browser, client, path):
    """Return parameters with which a request gets as far as it can."""
    if path == AUTHORIZE:
        return client.request()
    if path == TOKEN:
        return {
            "grant_type": "authorization_code",
            "code": "x",
            "redirect_uri": client.redirect_uri,
            "code_verifier": client.verifier,
        }
    if path.startswith("/api/auth/"):
        return {"token": "x"}
    form = browser.get("/sign-in" if path == "/sign-in" else "/account").forms[0]
    return {"csrf_token": form["csrf_token"].value}


class _Values:
    """Requests of which one parameter or field is long."""

    def __init__(self, method, path, sound, headers):
        self._method = method
        self._path = path
        self._sound = sound
        self._headers = headers

    def each(self, name, longest, put):
        for beginning in BEGINNINGS:
            for unit in UNITS:
                yield f"{name}={beginning}{unit}…", longest, self._maker(put, name, beginning, unit)
        # Many of a name, and many names.
        yield f"{name}, repeated", longest, self._many(put, f"{name}=a&")
        yield f"after {name}, others", longest, self._many(put, f"{name[0]}=&")

    def _maker(self, put, name, beginning, unit):
        return lambda length: put({name: beginning + _repeated(unit, length, encoded=True)})

    def _many(self, put, pair):
        return lambda length: put({}, _repeated(pair, length))

    def in_query(self, changes, more=""):
        query = f"{more}{urlencode(self._sound | changes)}"
        return Sent(self._method, self._path, query=query, headers=self._headers)

    def in_form(self, changes, more=""):
        body = f"{more}{urlencode(self._sound | changes)}".encode()
        return Sent(self._method, self._path, body=body, headers=self._headers)

    def in_json(self, changes, more=""):
        pairs = [*changes.items(), *parse_qsl(more, keep_blank_values=True)]
        body = (
            "{" + ",".join(f"{json.dumps(name)}:{json.dumps(value)}" for name, value in pairs) + "}"
        )
        return self._of_json(body)

    def whole_json(self, changes):
        return self._of_json("".join(changes.values()))

    def _of_json(self, body):
        headers = self._headers | {"Content-Type": "application/json"}
        return Sent(self._method, self._path, body=body.encode(), headers=headers)

    def in_path(self, changes, more=""):
        value = "".join(changes.values()) or more
        path = self._path.partition("{")[0] + quote_plus(value)
        return Sent(self._method, path, headers=self._headers)
