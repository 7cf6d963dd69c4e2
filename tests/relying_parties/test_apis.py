"""The programs of docs/apis.md, run as their readers run them: APIs that check tokens."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import requests

from tests.e2e.busy_service import busy_service
from tests.e2e.recipes import (
    DEFAULT_AUTH_URL,
    Application,
    TypedApplication,
    serves_after_strange_paths,
    typed,
)
from tests.helpers.parts import program
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, finished
from tests.helpers.remote_control import RemoteControl
from tests.relying_parties import node
from tests.relying_parties.registration import OPAQUE, REDIRECT_URI, RESOURCE

PROGRAMS = ["api-flask-pyjwt", "api-node-jose", "api-go-oidc"]
METADATA = f'resource_metadata="{RESOURCE}/.well-known/oauth-protected-resource"'
LONG_AGO = 1_000_000_000
WRONG = [
    {"sign": "unknown"},
    {"sign": "none"},
    {"sign": "broken"},
    {"set": {"iss": "https://evil.example.com"}},
    {"set": {"aud": OPAQUE}},
    {"set": {"aud": f"{RESOURCE}/"}},
    {"set": {"exp": LONG_AGO}},
    {"remove": ["iss"]},
    {"remove": ["aud"]},
    {"remove": ["exp"]},
    # Nothing but the kind of token tells these from access tokens.
    {"kind": "id_token", "set": {"aud": RESOURCE, "scope": "notes:read"}},
    {"kind": "logout_token", "set": {"aud": RESOURCE, "scope": "notes:read"}},
]
NO_TOKENS = [
    "",
    ".",
    "..",
    "a.b.c",
    "e30.e30.",
    "\xe9.\xe9.\xe9",
    "x" * 6000,
    "bnVsbA.bnVsbA.bnVsbA",
]
OTHER_SCOPES = [{"remove": ["scope"]}] + [
    {"set": {"scope": scope}} for scope in ("", "notes:write", "notes:reader", "notes")
]


@pytest.fixture(scope="module", params=PROGRAMS)
def api(request, service, tmp_path_factory):
    with serving(request.param, tmp_path_factory.mktemp("api"), service) as started:
        yield started


@contextmanager
def serving(name, folder, service):
    started = Application(name, folder, service)
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def client(service):
    """One that has tokens for two APIs."""
    command = ["authservice-register", "--name", "Notes for the desk", "--json"]
    command += ["--redirect-uri", REDIRECT_URI, "--resource", RESOURCE, "--resource", OPAQUE]
    return json.loads(service.command(*command))


@pytest.fixture(scope="module")
def token(service, client):
    """Have a token made for the client."""
    control = RemoteControl(service)
    wanted = {"person": "local-developer", "client_id": client["client_id"]}

    def make(**changes):
        return control.post("tokens", wanted | {"kind": "access_token"} | changes)["token"]

    return make


def opened(api, authorization=None):
    headers = {} if authorization is None else {"Authorization": authorization}
    return requests.get(f"{api.url}notes", headers=headers, timeout=20)


def refusal(answer):
    return answer.status_code, answer.headers.get("WWW-Authenticate")


def test_a_token_for_it_opens_it(api, token):
    for scheme in ("Bearer", "bearer"):
        answer = opened(api, f"{scheme} {token()}")

        assert answer.status_code == 200, answer.headers
        assert answer.json() == {"of": "local-developer", "notes": []}


def test_a_request_without_a_token_has_done_nothing_wrong(subtests, api):
    for authorization in (None, "Basic eDp5"):
        with subtests.test(authorization=authorization):
            assert refusal(opened(api, authorization)) == (401, f"Bearer {METADATA}")


def test_it_survives_strange_paths(api):
    assert serves_after_strange_paths(api)


@pytest.mark.attack("TOKENS-resource")
def test_it_refuses_every_token_that_is_wrong(subtests, api, token):
    wrong = [(changes, token(**changes)) for changes in WRONG]
    for what, presented in [*wrong, *zip(NO_TOKENS, NO_TOKENS, strict=True)]:
        with subtests.test(what=what):
            answer = opened(api, f"Bearer {presented}".encode())

            assert refusal(answer) == (401, f'Bearer error="invalid_token", {METADATA}')
    assert opened(api, f"Bearer {token()}").status_code == 200


def test_it_refuses_a_token_without_the_scope(subtests, api, token):
    challenge = f'Bearer error="insufficient_scope", scope="notes:read", {METADATA}'
    for changes in OTHER_SCOPES:
        with subtests.test(changes=changes):
            # As it would be signed if the person had declined the scope.
            assert refusal(opened(api, f"Bearer {token(**changes)}")) == (403, challenge)


def test_who_knows_only_its_address_finds_the_service(api, service, register, person):
    client = register("client_secret_basic", "--resource", RESOURCE)
    given = {"resource": RESOURCE, "served": api.url.removesuffix("/")}

    found = node.run("oauth4webapi_api.mjs", service, client, person, **given)

    assert found["challenge"]["error"] == "invalid_token"
    assert f'resource_metadata="{found["challenge"]["resource_metadata"]}"' == METADATA
    assert found["metadata"]["authorization_servers"] == [found["issuer"]]
    assert found["metadata"]["bearer_methods_supported"] == ["header"]
    assert {"notes:read", "notes:write"} <= {*found["scope"].split()}
    assert (found["status"], found["notes"]["of"]) == (200, "local-developer")


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_token_is_called_bad_while_there_are_no_keys(subtests, service, tmp_path, token, name):
    with busy_service(service.url) as busy:
        nothing = SimpleNamespace(url=f"http://localhost:{free_port()}")
        for what, where in (("nobody answers", nothing), ("too many requests", busy)):
            folder = tmp_path / what
            folder.mkdir()
            with subtests.test(what), serving(name, folder, where) as started:
                assert refusal(opened(started, f"Bearer {token()}")) == (503, None)


def test_a_machine_s_token_opens_it_in_its_own_name(api, machine):
    answer = opened(api, f"Bearer {machine.token()}")

    assert (answer.status_code, answer.json()) == (200, {"of": machine.id, "notes": []})


def test_what_is_typed_gets_a_token_that_opens_it(api, service, tmp_path):
    said = typed_in(tmp_path, "api-token", api, service)

    statuses = [line.split()[1] for line in said.splitlines() if line.startswith("HTTP/")]
    assert statuses == ["401", "200"], said
    assert json.loads(said.splitlines()[-1])["of"] == "local-developer"


def test_what_is_typed_gets_a_machine_s_token_that_opens_it(api, service, tmp_path):
    said = typed_in(tmp_path, "machine-token", api, service)

    listed = json.loads(service.command("authservice", "clients", "list", "--json"))
    assert json.loads(said)["of"] == listed[-1]["client_id"]
    assert (listed[-1]["machine"], listed[-1]["scope"]) == (True, "notes:read")


def typed_in(tmp_path, name, api, service):
    """Return what is printed when the lines of a page are typed in the folder of the service."""
    program("curl")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "control-token").write_text(service.control_token, encoding="ascii")
    (tmp_path / ".venv-local").mkdir()
    (tmp_path / ".venv-local" / "bin").symlink_to(SCRIPTS)
    (tmp_path / "local.ini").symlink_to(ROOT / "local.ini")
    lines = typed(name).replace(DEFAULT_AUTH_URL, service.url)
    lines = lines.replace("http://localhost:8000/", api.url)
    return finished(["sh", "-euc", lines], cwd=tmp_path, env=service.env, check=True).stdout


def test_what_is_typed_starts_it_where_there_is_only_python3(service, tmp_path, token):
    started = TypedApplication("api-flask-pyjwt", tmp_path, service, port=free_port())
    try:
        assert opened(started, f"Bearer {token()}").status_code == 200
    finally:
        started.stop()
