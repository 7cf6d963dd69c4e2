"""What tests share: a migrated database for each, a clock that can be turned, the application."""

import gc
import os
import shutil
from datetime import timedelta

import pytest

from authservice import clock
from authservice.database.database import Database
from tests.helpers import leftovers, loggers, parts, pictures, second_try, selection, time_limits
from tests.helpers.applications import Applications
from tests.helpers.browser import Browser
from tests.helpers.chromium import launch_chromium  # noqa: F401  (a fixture)
from tests.helpers.compiled_sql import share_compiled_sql
from tests.helpers.engines import PostgreSQLEngine, SQLiteEngine, migrate
from tests.helpers.key_server import key_server  # noqa: F401  (a fixture)
from tests.helpers.relying_party import RelyingParty
from tests.helpers.routers import Routers
from tests.helpers.scheduling import ByFileAndEngine
from tests.services.postgresql_server import QUICK, PostgreSQLServer

_OURS = (
    "ADMISSION_",
    "AUTH_",
    "AUTHSERVICE_",
    "BRANDING_",
    "CLAIMS_",
    "OTEL_",
    "OUTGOING_",
    "PROVIDER_",
)


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside():
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith(_OURS)]:
            environment.delenv(name)
        yield


def pytest_configure(config):
    share_compiled_sql()
    for plugin in (leftovers, loggers, parts, pictures, second_try, time_limits):
        config.pluginmanager.register(plugin)


def pytest_addoption(parser):
    selection.add_options(parser)
    pictures.add_option(parser)


def pytest_generate_tests(metafunc):
    """Collect a test with each engine that it is about."""
    if "engine" in metafunc.fixturenames:
        names = selection.engines_of(metafunc.definition)
        metafunc.parametrize("engine", names, indirect=True, scope="session")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests, and no garbage meanwhile: they stay, with everything that they import."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    left = [item for item in items if not selection.is_selected(item, config)]
    if left:
        items[:] = [item for item in items if selection.is_selected(item, config)]
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return ByFileAndEngine(config, log)


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
def in_an_empty_folder(tmp_path, monkeypatch):
    """The working directory is a folder in which no command finds an ini file."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)


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
    opened = Database(database_url, synchronous="NORMAL")
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
def routers(tmp_path_factory):
    """The routers of this process; all have the templates that the first one compiled."""
    folder = tmp_path_factory.mktemp("templates")
    return Routers(
        {"jinja2.bytecode_caching": "true", "jinja2.bytecode_caching_directory": str(folder)}
    )


@pytest.fixture(scope="session")
def applications(routers, migrated_template, tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys.sqlite"
    return Applications(routers, lambda: f"sqlite:///{shutil.copy(migrated_template, file)}")


@pytest.fixture
def make_app(database, applications):
    """Build the application in local mode, with further settings if wanted."""
    made = []

    def make(**settings):
        made.append(applications.make(database, **settings))
        return made[-1]

    yield make
    for app in made:
        applications.end(app)


@pytest.fixture(scope="module")
def shared_app(engine, applications, tmp_path_factory):
    """An application of all tests of a file, for those that change nothing of each other's."""
    url = engine.migrated(tmp_path_factory.mktemp("shared"))
    opened = Database(url, synchronous="NORMAL")
    with pytest.MonkeyPatch.context() as environment:
        for name, value in engine.local_environ.items():
            environment.setenv(name, value)
        app = applications.make(opened)
    yield app
    applications.end(app)
    opened.dispose()
    engine.drop(url)


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
