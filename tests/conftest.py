"""What tests share: a migrated database for each, a clock that can be turned, the application."""

import base64
import os
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select

from authservice import clock, main
from authservice.crypto.server_secret import ServerSecret
from authservice.db import Database
from authservice.models import jwks
from authservice.services.signing_keys import SigningKeys
from tests.browser import Browser
from tests.chromium import launch_chromium  # noqa: F401  (a fixture)
from tests.engines import ENGINES, SECRET, PostgreSQLEngine, SQLiteEngine, migrate
from tests.parts import what_the_machine_lacks
from tests.relying_party import RelyingParty
from tests.scheduling import ByFileAndEngine
from tests.services.postgresql_server import QUICK, PostgreSQLServer

LOCAL = {"auth.mode": "local", "auth.url": "http://localhost:37960"}
_OURS = ("AUTH_", "BRANDING_", "OTEL_", "PROVIDER_")
ROTATION = timedelta(days=90)

# They need images that have been built: ./run image does so and names them.
collect_ignore = ["image"]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith(_OURS)]:
        monkeypatch.delenv(name)


def pytest_generate_tests(metafunc):
    """Run a test on every engine, or on those that its marker names."""
    if "engine" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("engines")
        names = marker.args if marker else ENGINES
        metafunc.parametrize("engine", names, indirect=True, scope="session")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return ByFileAndEngine(config, log)


def pytest_terminal_summary(terminalreporter):
    for line in what_the_machine_lacks(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def migrated_template(tmp_path_factory):
    """A migrated SQLite file, made once by the real migration and copied for each test."""
    file = tmp_path_factory.mktemp("template") / "template.sqlite"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server, as long as the tests run."""
    server = PostgreSQLServer(**QUICK)
    yield PostgreSQLEngine(server)
    server.close()


@pytest.fixture(scope="session")
def engine(request, migrated_template):
    """The engine on which the test runs."""
    if request.param == "sqlite":
        return SQLiteEngine(migrated_template)
    return request.getfixturevalue("postgresql")


@pytest.fixture
def database_url(engine, tmp_path, monkeypatch):
    """The address of a migrated database of the test's own, and what local mode needs with it."""
    for name, value in engine.local_environ.items():
        monkeypatch.setenv(name, value)
    url = engine.migrated(tmp_path)
    yield url
    engine.drop(url)


@pytest.fixture
def empty(engine, tmp_path):
    """A database with nothing in it."""
    url = engine.empty(tmp_path)
    opened = Database(url)
    yield opened
    opened.dispose()
    engine.drop(url)


@pytest.fixture
def database(database_url):
    """The test's database, beside the application and independent of it."""
    opened = Database(database_url)
    yield opened
    opened.dispose()


class TurnableClock:
    """The clock of this process, which stands at a moment until it is moved."""

    def __init__(self, monkeypatch):
        self.moment = clock.now()
        monkeypatch.setattr(clock, "now", lambda: self.moment)

    def advance(self, **duration):
        self.moment += timedelta(**duration)


@pytest.fixture
def turnable_clock(monkeypatch):
    return TurnableClock(monkeypatch)


@pytest.fixture(scope="session")
def local_keys(migrated_template, tmp_path_factory):
    """The signing keys of a local-mode server: making them takes a while."""
    database = Database(SQLiteEngine(migrated_template).migrated(tmp_path_factory.mktemp("keys")))
    SigningKeys(database, ServerSecret(base64.b64decode(SECRET)), rotation=ROTATION).load()
    rows = [dict(row) for row in database.reader.execute(select(jwks)).mappings()]
    database.dispose()
    return rows


@pytest.fixture(scope="session")
def template_cache(tmp_path_factory):
    """Settings that let every application have the templates that the first one compiled."""
    folder = tmp_path_factory.mktemp("templates")
    return {"jinja2.bytecode_caching": "true", "jinja2.bytecode_caching_directory": str(folder)}


@pytest.fixture
def make_app(database, database_url, local_keys, template_cache):
    """Build the application in local mode, with further settings if wanted."""
    made = []

    def make(**settings):
        if "auth__mode" not in settings and "auth__database_url" not in settings:
            _give_keys()
        ini = LOCAL | template_cache | {"auth.database_url": database_url}
        ini |= {name.replace("__", "."): value for name, value in settings.items()}
        made.append(main({}, **ini))
        return made[-1]

    def _give_keys():
        if database.reader.scalar(select(func.count()).select_from(jwks)):
            # Another process has served this database before.
            return
        if database.is_sqlite:
            kept = Path(f"{database.url.database}.secret")
            kept.touch(0o600)
            kept.write_bytes(base64.b64decode(SECRET))
        with database.transaction() as connection:
            connection.execute(insert(jwks), local_keys)

    yield make
    for app in made:
        app.registry.components.close()


@pytest.fixture
def app(make_app):
    return make_app()


@pytest.fixture
def browser(app):
    return Browser(app)


@pytest.fixture
def relying_party(app, database):
    """A confidential client that has to ask for consent."""
    return RelyingParty.registered(app, database)
