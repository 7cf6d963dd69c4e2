"""Who may control local mode: a program that has the token, and no page."""

import stat
from pathlib import Path

import pytest

from authservice.local_mode.control.control import ENDPOINTS
from tests.helpers.browser import Browser
from tests.helpers.control import Control

PATH = "persons"


def _with(control, **headers):
    return control.ask("GET", PATH, headers=headers)


def test_a_program_with_the_token_is_obeyed(control):
    assert control.get(PATH)["persons"][0]["id"] == "local-developer"


@pytest.mark.attack("LOCAL-no-token")
def test_a_program_without_the_token_is_refused(subtests, control):
    for authorization in (
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic {token}",
        "{token}",
        "Bearer {token}x",
    ):
        with subtests.test(authorization=authorization):
            headers = {}
            if authorization is not None:
                headers["Authorization"] = authorization.replace("{token}", control.token)

            answer = control.ask("GET", PATH, headers=headers)

            assert answer.status_int == 401
            assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
            assert answer.json["field"] == "Authorization"


@pytest.mark.attack("LOCAL-token-elsewhere")
def test_the_token_counts_neither_in_the_query_nor_in_a_cookie(subtests, control):
    for name in ("token", "access_token", "control_token"):
        with subtests.test(name=name):
            in_query = control.ask("GET", f"{PATH}?{name}={control.token}", headers={})
            in_cookie = _with(control, Cookie=f"{name}={control.token}")

            assert (in_query.status_int, in_cookie.status_int) == (401, 401)


@pytest.mark.attack("LOCAL-from-a-page")
def test_a_page_is_refused_even_with_the_token(subtests, control):
    for name, value in (
        ("Origin", "https://evil.example"),
        ("Origin", "http://localhost:37960"),
        ("Origin", "null"),
        ("Origin", ""),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Sec-Fetch-Site", ""),
    ):
        with subtests.test(name=name, value=value):
            answer = _with(control, Authorization=f"Bearer {control.token}", **{name: value})

            assert answer.status_int == 403
            assert answer.json["field"] == name
            assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.attack("LOCAL-from-a-page")
def test_another_host_is_refused_in_the_words_of_the_control_api(subtests, control):
    for host in ("evil.example", "evil.example:37960", "localhost.evil.example", "a\\b", ""):
        for method, path in (("GET", PATH), ("DELETE", "persons/a"), ("POST", "reset")):
            with subtests.test(host=host, path=path):
                answer = control.ask(method, path, headers={"Host": host})

                assert (answer.status_int, answer.json["field"]) == (403, "Host")
                assert set(answer.json) == {"error", "field", "allowed"}


def test_what_a_person_types_into_a_browser_comes_from_no_site(control):
    headers = {"Authorization": f"Bearer {control.token}", "Sec-Fetch-Site": "none"}

    assert _with(control, **headers).status_int == 200


@pytest.mark.attack("LOCAL-bad-request")
def test_what_cannot_be_read_is_refused_in_the_words_of_the_control_api(subtests, control):
    for method, path, field in (
        ("PUT", "persons/a%00", "path"),
        ("DELETE", "persons/%FF", "path"),
        ("GET", "requests?after=%00", "query"),
        ("GET", "requests?after=%FF", "query"),
    ):
        with subtests.test(method=method, path=path, field=field):
            answer = control.ask(method, path)
            without_token = control.ask(method, path, headers={})

            assert (answer.status_int, answer.json["field"]) == (400, field)
            assert set(answer.json) == {"error", "field", "allowed"}
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert (without_token.status_int, without_token.json["field"]) == (401, "Authorization")


@pytest.mark.attack("LOCAL-bad-request")
def test_no_endpoint_passes_over_what_it_does_not_know(subtests, control):
    for endpoint in ENDPOINTS:
        with subtests.test(f"{endpoint.method} {endpoint.path}"):
            path = endpoint.path.format(person_id="local-developer", session_id="x")

            answers = {"in the query": control.ask(endpoint.method, path, query={"unknown": "1"})}
            if not endpoint.body:
                answers["in the body"] = control.ask(endpoint.method, path, {"unknown": 1})

            for answer in answers.values():
                assert (answer.status_int, answer.json["field"]) == (400, "unknown")


@pytest.mark.parametrize(("method", "status"), [("PUT", 400), ("DELETE", 404)])
def test_an_id_with_the_end_of_a_line_is_one_of_the_control_api_too(control, method, status):
    content = {} if method == "PUT" else None

    answer = control.ask(method, "persons/a%0Ab", content)

    assert (answer.status_int, set(answer.json)) == (status, {"error", "field", "allowed"})


def test_an_unknown_path_is_not_found(subtests, control):
    for path in ("", "nowhere", "persons/", "persons/a/b/c", "../auth/ok"):
        with subtests.test(path=path):
            answer = control.ask("GET", path)

            assert answer.status_int == 404
            assert answer.json["field"] == "path"
            assert control.ask("GET", path, headers={}).status_int == 401


def test_another_method_is_named_with_those_that_are_known(control):
    answer = control.ask("PATCH", PATH, {})

    assert answer.status_int == 405
    assert answer.json["allowed"] == ["GET"]
    assert answer.headers["Allow"] == "GET"


@pytest.mark.engines("sqlite")
def test_the_token_is_kept_in_a_private_file_beside_the_database(app, control, database):
    file = Path(database.url.database).with_name("control-token")

    assert file.read_text(encoding="ascii") == control.token
    assert len(control.token) == 43
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_environment_gives_another_token(make_app, monkeypatch):
    monkeypatch.setenv("AUTH_LOCAL_CONTROL_TOKEN", "of-the-test")
    control = Control(make_app())

    assert control.token == "of-the-test"
    assert control.get(PATH)


def test_the_description_of_local_mode_has_the_control_api(app):
    described = Browser(app).get("/api/openapi.json").json

    assert "/api/local/persons" in described["paths"]
    assert described["components"]["securitySchemes"]["control"]["scheme"] == "bearer"


def test_the_description_has_every_member_of_a_body(control, app):
    described = Browser(app).get("/api/openapi.json").json
    wrong = []
    for endpoint in ENDPOINTS:
        if endpoint.body:
            operation = described["paths"][f"/api/local/{endpoint.path}"][endpoint.method.lower()]
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            if "$ref" in schema:
                schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            path = endpoint.path.format(person_id="local-developer")
            known = control.ask(endpoint.method, path, {"unknown": 1}).json["allowed"]
            if {*known} != {*schema["properties"]}:
                wrong.append((endpoint.method, endpoint.path, known))
    assert not wrong
