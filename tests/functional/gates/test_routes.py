"""The addresses: one table, wrong methods named, unknown ones answered as fits their place."""

import pytest

from authservice.local_mode.control.control import PREFIX
from authservice.web.routes import BY_NAME, ROUTES, Surface
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty

FOR_PROGRAMS = {Surface.PROTOCOL, Surface.DOCUMENT, Surface.SESSION_API, Surface.PROVIDER}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# Without an App there is nothing at the address of its events.
THERE = [route for route in ROUTES if route.surface is not Surface.PROVIDER]
FIRST = {
    "/api/health": ("GET", "HEAD"),
    "/api/ready": ("GET", "HEAD"),
    "/api/auth/.well-known/openid-configuration": ("GET", "HEAD"),
    "/api/auth/.well-known/oauth-authorization-server": ("GET", "HEAD"),
    "/.well-known/oauth-authorization-server/api/auth": ("GET", "HEAD"),
    "/api/auth/jwks": ("GET", "HEAD"),
    "/api/auth/oauth2/authorize": ("GET", "HEAD", "POST"),
    "/api/auth/oauth2/token": ("POST",),
    "/api/auth/oauth2/userinfo": ("GET", "HEAD", "POST"),
    "/api/auth/get-session": ("GET", "HEAD"),
    "/api/auth/sign-out": ("POST",),
    "/api/auth/sign-in/social": ("POST",),
    "/api/auth/sign-in/begin": ("GET", "HEAD"),
    "/api/auth/ok": ("GET", "HEAD"),
    "/api/auth/callback/{provider_id}": ("GET", "HEAD"),
    "/api/auth/provider/webhook": ("POST",),
    "/": ("GET", "HEAD"),
    "/sign-in": ("GET", "HEAD", "POST"),
    "/consent": ("GET", "HEAD", "POST"),
    "/sign-out": ("POST",),
    "/error": ("GET", "HEAD"),
}


@pytest.fixture(scope="module")
def app(shared_app):
    return shared_app


@pytest.fixture
def relying_party(app):
    return RelyingParty.registered(app, app.registry.components.database)


def _path(route):
    return route.path.replace("{provider_id}", "github")


def _ask(browser, method, path):
    return browser._gen_request(method, path, expect_errors=True)


@pytest.mark.attack("BROWSER-path-line-break")
def test_a_path_with_a_line_break_after_it_is_another_one(subtests, app, browser):
    for route in app.routes_mapper.get_routes():
        with subtests.test(route=route.name):
            assert _ask(browser, "GET", f"{route.pattern.split('{')[0]}%0A").status_int == 404


def test_the_published_addresses_are_there_with_their_methods():
    table = {route.path: route.methods for route in ROUTES}

    assert table.items() >= FIRST.items()


def test_names_and_paths_are_unique():
    assert len({route.name for route in ROUTES}) == len(ROUTES)
    assert len({route.path for route in ROUTES}) == len(ROUTES)
    assert len(BY_NAME) == len(ROUTES)


def test_the_application_has_these_routes_and_no_other(app):
    registered = {(route.name, route.path) for route in app.routes_mapper.get_routes()}

    of_control = {(name, path) for name, path in registered if path.startswith(PREFIX)}
    others = {("static", "/static/{name}")} | of_control
    assert registered == {(route.name, route.path) for route in ROUTES} | others


def test_everything_for_programs_lies_below_the_issuer():
    for route in ROUTES:
        if route.surface in FOR_PROGRAMS:
            assert route.path.startswith(("/api/", "/.well-known/")), route.path


def test_a_wrong_method_is_answered_with_those_that_there_are(subtests, browser):
    for route in THERE:
        with subtests.test(route.name):
            for method in METHODS:
                if method in route.methods:
                    continue
                answer = _ask(browser, method, _path(route))
                assert answer.status_int == 405, method
                assert answer.headers["Allow"] == ", ".join((*route.methods, "OPTIONS"))
                if route.surface in FOR_PROGRAMS:
                    assert answer.content_type == "application/json"


def test_a_listed_method_is_never_refused_as_such(subtests, browser):
    for route in THERE:
        with subtests.test(route.name):
            for method in set(route.methods):
                assert _ask(browser, method, _path(route)).status_int not in {404, 405}, method


def test_options_without_an_origin_names_the_methods(subtests, browser):
    for route in THERE:
        with subtests.test(route.name):
            answer = _ask(browser, "OPTIONS", _path(route))

            assert answer.status_int == 405
            assert "OPTIONS" in answer.headers["Allow"]


@pytest.mark.attack("FAILURES-1")
def test_an_unknown_address_for_programs_is_404_in_json(subtests, browser):
    for method in METHODS:
        for path in (
            "/api/auth/oauth2/register",
            "/api/auth/oauth2/clients",
            "/api/auth/oauth2/client/x",
            "/api/auth/oauth2/create-client",
            "/api/auth/oauth2/update-client",
            "/api/auth/oauth2/rotate-secret",
            "/api/auth/oauth2/get-clients",
            "/api/auth/admin/list-users",
            "/api/auth/sign-up/email",
            "/api/auth/sign-in/email",
            "/api/auth/",
            "/api/auth",
            "/api/auth/get-session/",
            "/api/auth//get-session",
            "/api/nowhere",
            "/.well-known/openid-configuration",
            "/.well-known/nowhere",
        ):
            with subtests.test(method=method, path=path):
                answer = _ask(browser, method, path)

                assert answer.status_int == 404
                assert answer.json == {"message": "Not Found", "code": "NOT_FOUND"}
                assert "Allow" not in answer.headers


def test_an_unknown_address_for_people_is_a_page(subtests, browser):
    for path in ("/nowhere", "/sign-in/", "/admin", "/.env", "/api"):
        with subtests.test(path=path):
            answer = browser.get(path, expect_errors=True)

            assert answer.status_int == 404
            assert answer.content_type == "text/html"
            assert "There is no such page" in answer.text


@pytest.mark.attack("BROWSER-path-traversal")
def test_files_are_served_from_their_folder_only(subtests, browser):
    for path in ("/static/../routes.py", "/static/%2e%2e/routes.py", "/static/"):
        with subtests.test(path=path):
            assert browser.get(path, expect_errors=True).status_int in {403, 404}


def test_production_has_the_same_addresses(make_app, monkeypatch):
    app = production_app(make_app, monkeypatch)
    browser = production_browser(app)

    names = {route.name for route in app.routes_mapper.get_routes()}
    assert {route.name for route in ROUTES} <= names
    assert _ask(browser, "POST", "/api/auth/oauth2/register").status_int == 404


def test_a_request_that_cannot_be_read_is_refused_at_the_gate(subtests, browser):
    for path, status, code in (
        ("/%ff", 400, "BAD_REQUEST"),
        ("/%00", 400, "BAD_REQUEST"),
        ("/api/auth/get-session?a=%ff", 400, "BAD_REQUEST"),
        ("/api/auth/get-session?a=%00", 400, "BAD_REQUEST"),
        ("/?" + "a" * 25_000, 414, "URI_TOO_LONG"),
    ):
        with subtests.test(path=path, status=status, code=code):
            answer = browser.get(path, expect_errors=True)

            assert (answer.status_int, answer.json["code"]) == (status, code)


@pytest.mark.attack("BROWSER-flood")
def test_a_body_beyond_reason_is_not_read(browser):
    answer = browser.post("/api/auth/sign-out", "x" * 70_000, expect_errors=True)

    assert (answer.status_int, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_the_gate_refuses_in_the_words_of_the_endpoint(browser):
    answer = browser.post("/api/auth/oauth2/token", "x" * 70_000, expect_errors=True)

    description = "The body is longer than 65536 bytes."
    assert answer.status_int == 413
    assert answer.json == {"error": "invalid_request", "error_description": description}
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.attack("BROWSER-flood", "EXHAUSTION-disk")
@pytest.mark.parametrize(("method", "status"), [("get", 414), ("post", 413)])
def test_an_authorization_request_that_would_not_fit_when_sealed_is_refused(
    browser, relying_party, method, status
):
    parameters = relying_party.request(state="s" * 17_000)

    answer = getattr(browser, method)("/api/auth/oauth2/authorize", parameters, expect_errors=True)

    assert answer.status_int == status
    assert "longer than 16384 bytes" in answer.text


def test_the_longest_authorization_request_gets_through_the_pages(browser, relying_party):
    state = "s" * 15_500

    answer = browser.follow_home(relying_party.authorize(browser, state=state))
    answer = browser.follow_home(answer.forms[0].submit("choice", value="sign-in"))
    answer = browser.follow_home(answer.forms[0].submit("decision", value="allow"))

    assert relying_party.answer(answer)["state"] == state


@pytest.mark.attack("BROWSER-flood")
def test_a_query_of_too_many_parameters_is_refused(browser):
    query = "&".join(f"p{number}=1" for number in range(101))

    answer = browser.get(f"/api/auth/oauth2/authorize?{query}", expect_errors=True)

    assert answer.status_int == 400
    assert "The query cannot be read" in answer.text


@pytest.mark.story("ok")
def test_the_session_api_says_that_it_answers(browser):
    assert browser.get("/api/auth/ok").json == {"ok": True}


def test_no_header_names_a_place_to_begin_at(browser):
    assert browser.get("/api/health", headers={"X-Vhm-Root": "/elsewhere"}).status_int == 200
