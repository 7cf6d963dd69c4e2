"""Programs without a person, with libraries as they are: those of docs/machines.md, and others."""

import json
import re
from itertools import cycle
from pathlib import Path

import pytest
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

from tests.documentation.markdown import saved_as
from tests.e2e.recipes import Application, command, typed_command
from tests.helpers.processes import finished
from tests.relying_parties import node
from tests.relying_parties.authlib_party import credentials_of, metadata_of
from tests.relying_parties.keys import KEY_SET, documented_key_pair, key_pair, private_half
from tests.relying_parties.registration import OPAQUE, RESOURCE

PROGRAMS = ["machine-authlib", "machine-node", "machine-go"]
WITH_KEY = ["machine-key-authlib", "machine-key-node", "machine-key-go"]
NEW_KEY = ["new_key.py", "new_key.mjs"]


@pytest.fixture(scope="module")
def notes(service, tmp_path_factory):
    """The address that an API serves notes at."""
    api = Application("api-flask-pyjwt", tmp_path_factory.mktemp("api"), service)
    yield f"{api.url}notes"
    api.stop()


@pytest.fixture
def register_for(register_machine, tmp_path_factory):
    """Register a machine with what a program of the page proves itself with."""
    makers = cycle(NEW_KEY)

    def run(name, *flags):
        if name not in WITH_KEY:
            return register_machine(*flags)
        folder = tmp_path_factory.mktemp("keys")
        # Each program reads what either of them writes.
        documented_key_pair(next(makers), folder)
        keys = ("--jwks", folder / KEY_SET)
        return register_machine(*flags, keys=keys, KEY_FILE=str(folder / "key.json"))

    return run


@pytest.mark.parametrize("name", [*PROGRAMS, *WITH_KEY])
def test_each_program_of_the_page_calls_the_api(register_for, notes, tmp_path, name):
    machine = register_for(name)

    done = finished(command(name, tmp_path), env=machine.env | {"NOTES_URL": notes})

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"of": machine.id, "notes": []}


def test_what_is_typed_runs_it_where_there_is_only_python3(machine, service, notes, tmp_path):
    secrets = {"CLIENT_ID": machine.id, "CLIENT_SECRET": machine.secret}
    lines, env = typed_command("machine-authlib", tmp_path, **secrets)

    done = finished(lines, cwd=tmp_path, env=env | {"AUTH_URL": service.url, "NOTES_URL": notes})

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.strip().splitlines()[-1]) == {"of": machine.id, "notes": []}


def test_what_is_typed_runs_it_with_a_key(register_machine, service, notes, tmp_path):
    (*shell, lines), env = typed_command("machine-key-authlib", tmp_path)
    (tmp_path / "new_key.py").write_text(saved_as("new_key.py"), encoding="utf-8")
    first, unknown, then = lines.partition("export CLIENT_ID=…")
    made = finished([*shell, first], cwd=tmp_path, env=env)
    assert made.returncode == 0, made.stderr
    machine = register_machine(keys=("--jwks", tmp_path / KEY_SET))
    env |= {"AUTH_URL": service.url, "NOTES_URL": notes}

    typed = unknown.replace("…", machine.id) + then
    done = finished([*shell, typed], cwd=tmp_path, env=env)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"of": machine.id, "notes": []}


# Of a challenge, which only a key is spared, openid-client shows the status alone.
UNPROVED = {"machine-node": "status: 401"}


@pytest.mark.parametrize("name", [*PROGRAMS, *WITH_KEY])
def test_each_program_says_why_it_gets_no_token(subtests, register_for, notes, tmp_path, name):
    machine = register_for(name)
    other = register_for(name, "--resource", RESOURCE, "--scope", "notes:write")
    run = command(name, tmp_path)
    for env, reason in (
        (other.env, f"scope may hold these values only, for {RESOURCE}: notes:write."),
        (machine.env | other.proof, UNPROVED.get(name, "Client authentication failed")),
        (machine.env | {"NOTES_URL": f"{notes}/none"}, "404"),
    ):
        with subtests.test(reason=reason):
            done = finished(run, env={"NOTES_URL": notes} | env)

            assert done.returncode == 1
            assert re.search(reason, done.stderr), done.stderr
            for each in (machine, other):
                assert secret_of(each) not in done.stderr


def secret_of(machine):
    """Return what nobody but the machine may ever read."""
    return machine.secret or private_half(Path(machine.proof["KEY_FILE"]))["d"]


@pytest.mark.parametrize("program", NEW_KEY)
def test_keys_are_changed_as_the_page_says(
    service, session_of, register_machine, tmp_path, program
):
    """Both keys count until the old one is taken out of the file."""
    first = documented_key_pair(program, tmp_path)
    machine = register_machine(keys=("--jwks", tmp_path / KEY_SET))
    second = documented_key_pair(program, tmp_path, "key-2.json")
    with_first, with_second = (
        session_of(machine.registered | {"private_key": key}) for key in (first, second)
    )
    update = ("authservice", "clients", "update", machine.id, "--jwks", tmp_path / KEY_SET)
    service.command(*update)

    assert with_first.fetch_token()
    assert with_second.fetch_token()
    key_set = json.loads((tmp_path / KEY_SET).read_bytes())
    left = [key for key in key_set["keys"] if key["kid"] != first["kid"]]
    (tmp_path / KEY_SET).write_text(json.dumps({"keys": left}), encoding="utf-8")
    service.command(*update)

    assert with_second.fetch_token()
    with pytest.raises(OAuthError, match="none of its keys with this alg and kid"):
        with_first.fetch_token()


@pytest.fixture
def session_of(service):
    """Let Authlib act on behalf of a machine."""

    def run(registered, proof=None):
        metadata = metadata_of(service)
        secret_or_key, usual = credentials_of(registered, metadata)
        proof = proof or usual
        return OAuth2Session(
            registered["client_id"],
            secret_or_key,
            token_endpoint=metadata["token_endpoint"],
            token_endpoint_auth_method=proof,
            revocation_endpoint_auth_method=proof,
            grant_type="client_credentials",
        )

    return run


@pytest.fixture(params=["client_secret_basic", "client_secret_post", "jwks_uri"])
def session(request, session_of, register_machine, key_server):
    """Authlib on behalf of a machine."""
    if request.param != "jwks_uri":
        proof = {"token_endpoint_auth_method": request.param}
        return session_of(register_machine().registered | proof)
    private, key_set = key_pair("PS256")
    key_server.publish(key_set)
    registered = register_machine(keys=("--jwks-uri", key_server.uri)).registered
    return session_of(registered | {"private_key": private})


def test_authlib_gets_the_next_token_by_itself_and_takes_one_back(service, session, notes):
    metadata = metadata_of(service)
    first = session.fetch_token()
    session.token = first | {"expires_at": 0}

    answer = session.get(notes)

    assert answer.status_code == 200
    assert session.token["access_token"] != first["access_token"]
    assert "refresh_token" not in session.token

    def active(token):
        url = metadata["introspection_endpoint"]
        return session.introspect_token(url, token["access_token"]).json()["active"]

    assert session.revoke_token(metadata["revocation_endpoint"], first["access_token"]).ok
    assert (active(first), active(session.token)) == (False, True)


def test_authlib_s_own_assertions_are_refused_with_what_to_change(
    session_of, register_machine, tmp_path
):
    private = documented_key_pair("new_key.py", tmp_path)
    registered = register_machine(keys=("--jwks", tmp_path / KEY_SET)).registered
    session = session_of(registered | {"private_key": private}, proof=PrivateKeyJWT(alg="ES256"))

    with pytest.raises(OAuthError, match="must have an exp at most 300 seconds away"):
        session.fetch_token()


@pytest.mark.parametrize(
    ("alg", "named"),
    [
        (None, False),
        ("Ed25519", False),
        ("Ed25519", True),
        ("ES256", False),
        ("ES256", True),
        ("RS256", True),
        ("PS256", False),
    ],
)
def test_oauth4webapi_finds_all_as_the_standards_say(
    service, register_machine, person, tmp_path, alg, named
):
    given, keys, private = {"resource": RESOURCE, "opaque": OPAQUE}, (), {}
    if alg is not None:
        private["private_key"], key_set = key_pair(alg, named=named)
        (tmp_path / KEY_SET).write_text(json.dumps(key_set), encoding="utf-8")
        keys = ("--jwks", tmp_path / KEY_SET)
    machine = register_machine("--resource", RESOURCE, "--resource", OPAQUE, keys=keys)
    client = machine.registered | private

    found = node.run("oauth4webapi_machine.mjs", service, client, person, **given)

    claims = found["claims"]
    assert claims["sub"] == claims["client_id"] == machine.id
    assert (claims["aud"], claims["scope"]) == (RESOURCE, "notes:read notes:write")
    assert found["introspected"]["sub"] == machine.id
    assert found["introspected"]["aud"] == OPAQUE
    assert found["refused"]["error"] == "invalid_scope"
    assert found["userinfo"] == "invalid_token"
