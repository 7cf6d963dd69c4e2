"""What tests share: a migrated database for each, a clock that can be turned, the application."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from authservice import clock, main, schema
from authservice.crypto.server_secret import ServerSecret
from authservice.db import Database
from authservice.local_secret import local_secret
from authservice.models import jwks
from authservice.services.signing_keys import SigningKeys
from tests.browser import Browser
from tests.chromium import launch_chromium  # noqa: F401  (a fixture)
from tests.relying_party import RelyingParty

LOCAL = {"auth.mode": "local", "auth.url": "http://localhost:37960"}
_OURS = ("AUTH_", "BRANDING_", "OTEL_", "PROVIDER_")
ROTATION = timedelta(days=90)

# They need images that have been built: ./run image does so and names them.
collect_ignore = ["image"]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith(_OURS)]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def migrated_template(tmp_path_factory):
    """A migrated SQLite file, made once by the real migration and copied for each test."""
    file = tmp_path_factory.mktemp("template") / "template.sqlite"
    database = Database(f"sqlite:///{file}")
    schema.migrate(database)
    database.dispose()
    return file


@pytest.fixture
def database_url(migrated_template, tmp_path):
    file = tmp_path / "test.sqlite"
    shutil.copy(migrated_template, file)
    return f"sqlite:///{file}"


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
    """The signing keys of a local-mode server and their secret: making them takes a while."""
    file = tmp_path_factory.mktemp("keys") / "keys.sqlite"
    shutil.copy(migrated_template, file)
    database = Database(f"sqlite:///{file}")
    SigningKeys(database, ServerSecret(local_secret(str(file))), rotation=ROTATION).load()
    rows = [dict(row) for row in database.reader.execute(select(jwks)).mappings()]
    database.dispose()
    return rows, Path(f"{file}.secret")


@pytest.fixture
def make_app(database, database_url, local_keys):
    """Build the application in local mode, with further settings if wanted."""
    made = []

    def make(**settings):
        kept = Path(f"{database.url.database}.secret")
        local = "auth__mode" not in settings and "auth__database_url" not in settings
        if local and not kept.exists():
            # Unless another process has served this database before.
            rows, secret = local_keys
            shutil.copy(secret, kept)
            with database.transaction() as connection:
                connection.execute(insert(jwks), rows)
        ini = LOCAL | {"auth.database_url": database_url}
        ini |= {name.replace("__", "."): value for name, value in settings.items()}
        made.append(main({}, **ini))
        return made[-1]

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
