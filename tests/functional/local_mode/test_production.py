"""Whatever is set: production has no route of local mode, and no part of it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authservice.database.database import Database
from authservice.local_mode.control.control import ENDPOINTS, PREFIX
from authservice.web.request.components import Components
from tests.helpers.production import production_browser
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI

TOKEN = "of-the-test"
# What could switch local mode on, or look as if it did; None leaves a setting out.
INI = st.fixed_dictionaries(
    {
        "auth.mode": st.sampled_from(["production", "production", "local", "Local", ""]),
        "auth.url": st.sampled_from(["https://auth.example.com", "http://localhost:37960"]),
        "auth.cookie_domain": st.sampled_from([None, ".example.com"]),
        "auth.cookie_prefix": st.sampled_from([None, "local"]),
        "auth.trusted_origins": st.sampled_from([None, "https://app.example.com"]),
        "local.sign_in": st.sampled_from([None, "page", "automatic"]),
        "local.persons": st.sampled_from([None, None, "/nowhere/persons.toml"]),
        "local.control_token": st.sampled_from([None, None, None, TOKEN]),
        "provider.id": st.sampled_from([None, "local-developer"]),
    }
)
ENVIRON = st.fixed_dictionaries(
    {
        "AUTH_MODE": st.sampled_from([None, "local"]),
        "AUTH_LOCAL_CONTROL_TOKEN": st.sampled_from([None, None, TOKEN]),
        "AUTH_LOCAL_PERSONS": st.sampled_from([None, None, "/nowhere/persons.toml"]),
    }
)


@pytest.mark.engines("sqlite")  # each example takes a database of its own
@pytest.mark.attack("LOCAL-in-production")
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(ini=INI, environ=ENVIRON)
def test_no_setting_serves_one_of_its_routes_in_production(applications, migrated, ini, environ):
    database = migrated()
    wanted = {name: value for name, value in (PRODUCTION_INI | ini).items() if value is not None}
    given_environ = {name: value for name, value in environ.items() if value is not None}
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("AUTH_LOCAL_CONTROL_TOKEN", raising=False)
        for name, value in (PRODUCTION_ENVIRON | given_environ).items():
            environment.setenv(name, value)
        try:
            app = applications.make(database, **wanted)
        except SystemExit:
            return
    try:
        _check(app, ini["auth.mode"])
    finally:
        applications.end(app)


def _check(app, mode):
    local = app.registry.components.settings.local_mode
    assert local is (mode == "local")
    routes = {route.name for route in app.routes_mapper.get_routes()}
    assert ("local_mode.control" in routes) is local
    if local:
        return
    assert type(app.registry.components) is Components
    browser = production_browser(app)
    unknown = browser.get("/api/nowhere", expect_errors=True)
    for endpoint in ENDPOINTS:
        path = f"{PREFIX}{endpoint.path.replace('{', '').replace('}', '')}"
        answer = browser._gen_request(
            endpoint.method,
            path,
            headers={"Authorization": f"Bearer {TOKEN}"},
            expect_errors=True,
        )
        assert (answer.status_int, answer.body) == (unknown.status_int, unknown.body)
    assert PREFIX not in browser.get("/api/openapi.json").text


@pytest.fixture
def migrated(engine, tmp_path_factory):
    """Make migrated databases, which are gone when the test ends."""
    opened = []

    def make():
        url = engine.migrated(tmp_path_factory.mktemp("space"))
        opened.append((Database(url, synchronous="NORMAL"), url))
        return opened[-1][0]

    yield make
    for database, url in opened:
        database.dispose()
        engine.drop(url)
