"""Whatever is sent, the service does not fail and redirects to no address it does not know."""

from urllib.parse import urlencode

import pytest

from authservice.oauth import parameters
from authservice.web.routes import ROUTES
from tests.helpers.browser import Browser
from tests.helpers.junk import BODIES, FORM, HEADERS, QUERIES, VALUES
from tests.helpers.relying_party import AUTHORIZE, TOKEN, USERINFO, RelyingParty
from tests.helpers.strange_requests import StrangeRequests

PATHS = sorted({route.path.replace("{provider_id}", "github") for route in ROUTES})
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "JUNK"]


@pytest.fixture(scope="module")
def app(shared_app):
    """One application for the whole file: what was sent before must not make it fail either."""
    return shared_app


@pytest.fixture(scope="module")
def relying_party(app):
    return RelyingParty.registered(app, app.registry.components.database)


@pytest.fixture(scope="module")
def browser(app):
    return Browser(app)


@pytest.fixture
def strange(app, relying_party):
    return StrangeRequests.without_session(app, relying_party)


@pytest.fixture
def strange_and_signed_in(browser, relying_party):
    """Return a sender who is signed in, even if what was sent before ended the session."""

    def sender():
        if browser.session() is None:
            relying_party.sign_in_with(browser)
        return StrangeRequests(browser, relying_party)

    return sender


def test_no_query_makes_an_address_fail(subtests, strange):
    for path in PATHS:
        with subtests.test(path=path):
            for query in QUERIES:
                for method in ("GET", "POST"):
                    strange.send(method, path, query=query)


def test_no_body_makes_an_address_fail(subtests, strange_and_signed_in):
    for path in PATHS:
        with subtests.test(path=path):
            strange = strange_and_signed_in()
            for content_type, body in BODIES:
                strange.send(
                    "POST",
                    path,
                    body=body,
                    content_type=content_type,
                    environ={"HTTP_ORIGIN": "http://localhost:37960"},
                )


def test_no_header_makes_an_address_fail(subtests, app, relying_party):
    for path in PATHS:
        with subtests.test(path=path):
            for header in HEADERS:
                environ = {
                    f"HTTP_{name.upper().replace('-', '_')}": value
                    for name, value in header.items()
                }
                for method in ("GET", "POST", "OPTIONS"):
                    # A browser of its own each time: cookies would replace the header under test.
                    strange = StrangeRequests.without_session(app, relying_party)
                    strange.send(method, path, environ=environ)


def test_no_method_makes_an_address_fail(subtests, strange_and_signed_in):
    for path in PATHS:
        for method in METHODS:
            with subtests.test(path=path, method=method):
                strange = strange_and_signed_in()
                strange.send(method, path)
                strange.send(method, path, body=b"a=b")


def test_no_path_is_served_by_mistake(subtests, app, relying_party):
    for path in (
        "",
        "//",
        "//evil.example",
        "/\\evil.example",
        "/api/auth/\xff",
        "/\x00",
        "/api/auth/\x00",
        "/\xed\xa0\x80",
        "/static/../production.ini",
        "/static/..%2f..%2fproduction.ini",
        "/static/\xff",
        "/static/%00",
        "/api/auth/callback/\xff",
        "/api/auth/callback/" + "x" * 9000,
        "/api/auth/callback/github/",
        "/api/auth/oauth2/authorize/",
        "/" + "a/" * 4000,
    ):
        with subtests.test(path=path):
            # WebTest cannot bring cookies to a path that it cannot read.
            strange = StrangeRequests.without_session(app, relying_party)
            for method in ("GET", "POST"):
                answer = strange.send(method, path)
                assert answer.status_int in {400, 403, 404, 405} or path == ""


def test_no_content_length_makes_an_endpoint_fail(subtests, strange):
    for length in ("-1", "abc", "1e3", "99999999999", "\xb2", " 5"):
        with subtests.test(length=length):
            for path in (TOKEN, USERINFO, AUTHORIZE, "/sign-in"):
                answer = strange.send("POST", path, environ={"CONTENT_LENGTH": length})
                assert answer.status_int in {400, 413}


def test_no_host_makes_an_endpoint_fail_or_leads_there(subtests, strange):
    for host in ("", "evil.example", "localhost:x", "[", "\xff", "a b", "localhost@x"):
        with subtests.test(host=host):
            for path in ("/", AUTHORIZE, "/sign-in", "/api/auth/get-session"):
                strange.send("GET", path, environ={"HTTP_HOST": host})


def test_no_value_makes_an_authorization_request_fail(
    subtests, strange_and_signed_in, relying_party
):
    for name in sorted(parameters.AUTHORIZE):
        with subtests.test(name=name):
            strange = strange_and_signed_in()
            for value in VALUES:
                wanted = relying_party.request() | {name: value}
                for method in ("GET", "POST"):
                    query = body = ""
                    if method == "GET":
                        query = urlencode(wanted)
                    else:
                        body = urlencode(wanted)
                    strange.send(method, AUTHORIZE, query=query, body=body.encode())
                repeated = urlencode([*wanted.items(), (name, "x"), (name, value)])
                strange.send("GET", AUTHORIZE, query=repeated)


def test_no_value_makes_a_token_request_fail(subtests, strange, relying_party):
    for name in sorted(parameters.TOKEN):
        for grant_type in ("authorization_code", "refresh_token"):
            with subtests.test(name=name, grant_type=grant_type):
                for value in VALUES:
                    form = {
                        "grant_type": grant_type,
                        "client_id": relying_party.client_id,
                        "client_secret": relying_party.client_secret,
                        "code": "unknown",
                        "redirect_uri": relying_party.redirect_uri,
                        "code_verifier": relying_party.verifier,
                        "refresh_token": "unknown",
                    } | {name: value}
                    answer = strange.send("POST", TOKEN, body=urlencode(form).encode())
                    assert answer.status_int in {400, 401}
                    assert set(answer.json) == {"error", "error_description"}
                    assert answer.headers["Cache-Control"] == "no-store"


def test_no_value_makes_userinfo_fail(strange):
    for value in VALUES:
        body = urlencode({"access_token": value}).encode()
        answer = strange.send("POST", USERINFO, body=body)
        assert answer.status_int in {400, 401}


@pytest.mark.parametrize("path", ["/sign-in", "/consent"])
def test_no_field_makes_a_form_fail(strange_and_signed_in, relying_party, path):
    strange = strange_and_signed_in()
    browser = strange.browser
    page = browser.follow_home(relying_party.authorize(browser, prompt="login consent"))
    fields = dict(page.forms[0].submit_fields())
    for name in ("interaction", "attempt", "choice", "decision"):
        for value in VALUES:
            body = urlencode(fields | {name: value}).encode()
            strange.send("POST", path, body=body, content_type=FORM)
