"""Relying parties, registered at a real local-mode server that knows the documented APIs."""

import json

import pytest

from tests.documentation.markdown import saved_as
from tests.e2e.person import Person
from tests.helpers.processes import ROOT, LocalService
from tests.relying_parties.keys import KEY_SET, key_pair
from tests.relying_parties.machine import Machine
from tests.relying_parties.registration import POST_LOGOUT_REDIRECT_URI, REDIRECT_URI, RESOURCE


@pytest.fixture(scope="session")
def service(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    ini = folder / "local.ini"
    (folder / "resources.toml").write_text(saved_as("resources.toml"), encoding="utf-8")
    settings = (ROOT / "local.ini").read_text(encoding="utf-8")
    ini.write_text(
        settings.replace("[app:main]\n", "[app:main]\nauth.resources = %(here)s/resources.toml\n"),
        encoding="utf-8",
    )
    url = engine.empty(folder)
    started = LocalService(folder, ini=ini, AUTH_DATABASE_URL=url, **engine.local_environ)
    yield started
    started.stop()
    engine.drop(url)


@pytest.fixture
def register(service, tmp_path):
    """Register a client that may sign people out; return what its library is configured with."""

    def run(method="client_secret_basic", *flags):
        command = ["authservice-register", "--name", "Example App", "--json"]
        uris = ["--redirect-uri", REDIRECT_URI]
        uris += ["--post-logout-redirect-uri", POST_LOGOUT_REDIRECT_URI, "--enable-end-session"]
        proof, given = {"none": ["--public"]}.get(method, []), {}
        if method == "private_key_jwt":
            given["private_key"], key_set = key_pair("Ed25519")
            (tmp_path / KEY_SET).write_text(json.dumps(key_set), encoding="utf-8")
            proof = ["--jwks", tmp_path / KEY_SET]
        printed = service.command(*command, *uris, *proof, *flags)
        return json.loads(printed) | {"token_endpoint_auth_method": method} | given

    return run


@pytest.fixture
def register_machine(service):
    """Register a machine that may read notes, or what flags say; keys replace its secret."""

    def run(*flags, keys=(), **proof):
        command = ["authservice-register", "--machine", "--name", "Nightly backup", "--json"]
        named = flags or ("--resource", RESOURCE, "--scope", "notes:read")
        return Machine(service, json.loads(service.command(*command, *named, *keys)), **proof)

    return run


@pytest.fixture
def machine(register_machine):
    return register_machine()


@pytest.fixture
def person(service):
    return Person(service.url)
