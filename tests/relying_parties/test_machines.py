"""Programs without a person, with libraries as they are: those of docs/machines.md, and others."""

import json
import re

import pytest
from authlib.integrations.requests_client import OAuth2Session

from tests.e2e.recipes import Application, command, typed_command
from tests.helpers.processes import finished
from tests.relying_parties import node
from tests.relying_parties.authlib_party import metadata_of
from tests.relying_parties.registration import OPAQUE, RESOURCE

PROGRAMS = ["machine-authlib", "machine-node", "machine-go"]


@pytest.fixture(scope="module")
def notes(service, tmp_path_factory):
    """The address that an API serves notes at."""
    api = Application("api-flask-pyjwt", tmp_path_factory.mktemp("api"), service)
    yield f"{api.url}notes"
    api.stop()


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_of_the_page_calls_the_api(machine, notes, tmp_path, name):
    done = finished(command(name, tmp_path), env=machine.env | {"NOTES_URL": notes})

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"of": machine.id, "notes": []}


def test_what_is_typed_runs_it_where_there_is_only_python3(machine, service, notes, tmp_path):
    secrets = {"CLIENT_ID": machine.id, "CLIENT_SECRET": machine.secret}
    lines, env = typed_command("machine-authlib", tmp_path, **secrets)

    done = finished(lines, cwd=tmp_path, env=env | {"AUTH_URL": service.url, "NOTES_URL": notes})

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.strip().splitlines()[-1]) == {"of": machine.id, "notes": []}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_says_why_it_gets_no_token(
    subtests, register_machine, machine, notes, tmp_path, name
):
    other = register_machine("--resource", RESOURCE, "--scope", "notes:write")
    run = command(name, tmp_path)
    for env, reason in (
        (other.env, f"scope may hold these values only, for {RESOURCE}: notes:write."),
        # openid-client shows the status alone.
        (machine.env | {"CLIENT_SECRET": "wrong"}, "Client authentication failed|status: 401"),
        (machine.env | {"NOTES_URL": f"{notes}/none"}, "404"),
    ):
        with subtests.test(reason=reason):
            done = finished(run, env={"NOTES_URL": notes} | env)

            assert done.returncode == 1
            assert re.search(reason, done.stderr), done.stderr
            assert machine.secret not in done.stderr


@pytest.fixture(params=["client_secret_basic", "client_secret_post"])
def session(request, service, machine):
    """Authlib on behalf of the machine."""
    return OAuth2Session(
        machine.id,
        machine.secret,
        token_endpoint=metadata_of(service)["token_endpoint"],
        token_endpoint_auth_method=request.param,
        revocation_endpoint_auth_method=request.param,
        grant_type="client_credentials",
    )


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


def test_oauth4webapi_finds_all_as_the_standards_say(service, register_machine, person):
    machine = register_machine("--resource", RESOURCE, "--resource", OPAQUE)
    given = {"resource": RESOURCE, "opaque": OPAQUE}

    found = node.run("oauth4webapi_machine.mjs", service, machine.registered, person, **given)

    claims = found["claims"]
    assert claims["sub"] == claims["client_id"] == machine.id
    assert (claims["aud"], claims["scope"]) == (RESOURCE, "notes:read notes:write")
    assert found["introspected"]["sub"] == machine.id
    assert found["introspected"]["aud"] == OPAQUE
    assert found["refused"]["error"] == "invalid_scope"
    assert found["userinfo"] == "invalid_token"
