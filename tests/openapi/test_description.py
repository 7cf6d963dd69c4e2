"""The description is valid, complete and strict, and the service hands it out."""

import json
import urllib.error
import urllib.request

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from authservice.crypto.algorithms import ALGORITHMS
from authservice.oauth import parameters
from authservice.oauth.authorize.authorization_response import MODES
from authservice.web.routes import ROUTES
from tests.helpers.production import production_app, production_browser
from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)
from tests.openapi.described import BY_ID, DOCUMENT, SETTINGS, faults, operations
from tools.documentation import openapi

PATH = "/api/openapi.json"
OBJECTS = {
    name: schema for name, schema in DOCUMENT["components"]["schemas"].items() if name != "OpenAPI"
}


def test_it_is_a_valid_openapi_document():
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_it_describes_every_route_and_nothing_else():
    there = {
        (route.path, method.lower())
        for route in ROUTES
        for method in route.methods
        if method != "HEAD"  # every GET may be one, and the introduction says so
    }

    assert {(path, method) for path, method, _ in operations()} == there


def test_an_operation_is_named_after_its_route_and_method():
    names = {route.path: route.name.replace(".", "_") for route in ROUTES}

    for path, method, operation in operations():
        assert operation["operationId"] == f"{method}_{names[path]}"


def test_every_operation_says_what_it_is_and_how_one_may_call_it():
    for _, _, operation in operations():
        assert operation["summary"]
        assert "security" in operation
        named = {scheme for each in operation["security"] for scheme in each}
        assert named <= set(DOCUMENT["components"]["securitySchemes"])


def test_every_schema_is_used_and_every_used_one_is_there():
    text = json.dumps(DOCUMENT)

    for name in DOCUMENT["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text, name


@pytest.mark.parametrize(
    ("operation", "names"),
    [
        ("get_oauth2_authorize", parameters.AUTHORIZE | {"resource"}),
        ("get_oauth2_end_session", parameters.END_SESSION),
    ],
)
def test_the_parameters_of_the_query_are_those_that_are_read(operation, names):
    assert {each["name"] for each in BY_ID[operation]["parameters"]} == names


def test_the_fields_of_a_form_are_those_that_are_read(subtests):
    for operation, names in (
        ("post_oauth2_authorize", parameters.AUTHORIZE | {"resource"}),
        ("post_oauth2_token", parameters.TOKEN | {"resource"}),
        ("post_oauth2_userinfo", parameters.USERINFO),
        ("post_oauth2_introspect", parameters.TOKEN_ACTION),
        ("post_oauth2_revoke", parameters.TOKEN_ACTION),
        ("post_oauth2_end_session", parameters.END_SESSION),
    ):
        with subtests.test(operation=operation, names=names):
            (content,) = BY_ID[operation]["requestBody"]["content"].values()

            assert set(content["schema"]["properties"]) == names


def test_a_member_that_is_not_described_does_not_fit(subtests):
    for name in [name for name in OBJECTS if "properties" in OBJECTS[name]]:
        with subtests.test(name=name):
            found = faults({"$ref": f"#/components/schemas/{name}"}, {"unheard_of": 1})

            assert any("unheard_of" in fault for fault in found)


@pytest.mark.story("openapi")
def test_the_service_hands_it_out_as_it_is(browser):
    answer = browser.get(PATH)

    assert answer.content_type == "application/json"
    described = json.loads(json.dumps(DOCUMENT["paths"]))
    assert {path: answer.json["paths"][path] for path in described} == described
    assert all(path.startswith("/api/local/") for path in answer.json["paths"].keys() - described)
    assert answer.json["servers"] == [{"url": SETTINGS.auth_url}]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_values_are_listed_as_the_code_lists_them():
    modes = {each["name"]: each["schema"] for each in BY_ID["get_oauth2_authorize"]["parameters"]}

    assert modes["response_mode"]["enum"] == list(MODES)
    assert OBJECTS["Key"]["properties"]["alg"]["enum"] == list(ALGORITHMS)


def test_the_source_describes_local_mode():
    assert openapi.described() == DOCUMENT


def test_name_address_and_cookies_are_those_of_the_settings_and_nothing_else_is(
    make_app, monkeypatch
):
    changes = {"auth__service_name": 'Konto "A" & {B}', "auth__cookie_prefix": "acme"}
    browser = production_browser(production_app(make_app, monkeypatch, **changes))

    described = browser.get(PATH).json

    components = DOCUMENT["components"]
    schemes = components["securitySchemes"]
    issuer = "https://auth.example.com/api/auth"
    assert described == DOCUMENT | {
        "info": DOCUMENT["info"] | {"title": 'Konto "A" & {B}'},
        "servers": [{"url": "https://auth.example.com"}],
        "components": components
        | {
            "securitySchemes": schemes
            | {
                "session": schemes["session"] | {"name": "__Secure-acme.session_token"},
                "companion": schemes["companion"] | {"name": "__Host-acme.session_host"},
                "openIdConnect": schemes["openIdConnect"]
                | {"openIdConnectUrl": f"{issuer}/.well-known/openid-configuration"},
            }
        },
    }


def test_whoever_has_it_already_is_told_so_over_http(service):  # noqa: F811
    with urllib.request.urlopen(f"{service.url}{PATH}", timeout=20) as first:
        assert json.load(first)["openapi"].startswith("3.1.")
        tag = first.headers["ETag"]
    again = urllib.request.Request(f"{service.url}{PATH}", headers={"If-None-Match": tag})

    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(again, timeout=20)

    assert told.value.code == 304
    told.value.close()
