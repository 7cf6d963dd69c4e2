"""One deployment for all tests of this folder, and browsers that know its hosts by name."""

import pytest

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tests.behind_proxy.deployment import CLIENT, HOSTS, Deployment
from tests.behind_proxy.walk import walk_in
from tests.helpers.standin_fixture import identity_provider_process  # noqa: F401  (a fixture)
from tests.services.redis_server import RedisServer


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    started = RedisServer(tmp_path_factory.mktemp("redis"))
    yield started
    started.stop()


@pytest.fixture(scope="session")
def running(engine, identity_provider_process, redis_server, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp("production")
    database_url = engine.empty(folder)
    made = Deployment(folder, database_url, identity_provider_process, redis_server.url)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        engine.drop(database_url)


@pytest.fixture
def production(running, redis_server):
    """The deployment, with all rate limits fresh and the provider in order."""
    redis_server.forget()
    running.standin.reset()
    running.standin.application(callback_url=f"{running.env['AUTH_URL']}/api/auth/callback/github")
    return running


@pytest.fixture(scope="session")
def chromium(running, launch_chromium):
    rules = ", ".join(f"MAP {host}:443 127.0.0.1:{running.https_port}" for host in HOSTS)
    return launch_chromium(f"--host-resolver-rules={rules}")


@pytest.fixture
def new_browser(production, chromium):
    """Open a browser without cookies, as if on another machine."""
    contexts = []

    def open_(**options):
        # Its certificates are the test authority's; the tests' own HTTP client checks them.
        contexts.append(chromium.new_context(ignore_https_errors=True, **options))
        return contexts[-1]

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def tab(new_browser):
    return new_browser().new_page()


@pytest.fixture
def own_client(production):
    """The credentials of a client of the test's own."""
    wanted = ClientMetadata(name="Example App", redirect_uris=[f"{CLIENT}/elsewhere"])
    with production.database.begin() as transaction:
        client_id, secret = client_registration.register(transaction, wanted)
    return {"client_id": client_id, "client_secret": secret}


@pytest.fixture
def signed_in_cookies(production):
    """The Cookie header of a user who has just signed in."""
    return walk_in(production).cookies
