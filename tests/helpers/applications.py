"""Applications for tests, each with a database of its own and signing keys that are there already.

To make keys and a router takes far longer than most tests: both are made once in a process.
"""

import base64
import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select, text

from authservice.crypto.server_secret import ServerSecret
from authservice.database.database import Database
from authservice.models import jwks
from authservice.services.keys.signing_keys import SigningKeys
from tests.helpers.engines import SECRET

LOCAL = {
    "auth.mode": "local",
    "auth.url": "http://localhost:37960",
    # A database of the tests need not outlive its machine.
    "auth.sqlite_synchronous": "NORMAL",
}
ROTATION = timedelta(days=90)
_COLUMNS = [column.name for column in jwks.c]
_INSERT = f"INSERT INTO jwks ({', '.join(_COLUMNS)}) VALUES (:{', :'.join(_COLUMNS)})"


class Applications:
    """Makes applications; ``migrated`` gives the address of a migrated database."""

    def __init__(self, routers, migrated):
        self._routers = routers
        self._migrated = migrated
        self._keys = {}

    def make(self, database, **settings):
        """Build one in local mode, with further settings if wanted: ``a__b`` is ``a.b``."""
        given = {name.replace("__", "."): value for name, value in settings.items()}
        if "auth.database_url" not in given:
            self._give_keys(database, local_mode="auth.mode" not in given)
        ini = LOCAL | {"auth.database_url": database.url.render_as_string(hide_password=False)}
        return self._routers.application(ini | given)

    def end(self, app):
        self._routers.take_back(app)

    def _give_keys(self, database, *, local_mode):
        if _has_keys(database):
            # Another process has served this database before, with a secret of its own.
            return
        secret = os.environ.get("AUTH_SECRET")
        if secret is None and local_mode and database.is_sqlite:
            secret = _kept_secret(database)
        if secret is None:
            # The test gives the secret in another way, or none.
            return
        if database.is_sqlite:
            _put_into_file(database.url.database, self.keys_under(secret))
        else:
            with database.transaction() as connection:
                connection.execute(text(_INSERT), self.keys_under(secret))

    def keys_under(self, secret=SECRET):
        """Return the rows of signing keys, private halves encrypted under a server secret."""
        if secret not in self._keys:
            empty = Database(self._migrated())
            SigningKeys(empty, ServerSecret(base64.b64decode(secret)), rotation=ROTATION).load()
            # As they are stored, which is the same on each engine.
            rows = empty.reader.exec_driver_sql("SELECT * FROM jwks").mappings()
            self._keys[secret] = [dict(row) for row in rows]
            empty.dispose()
        return self._keys[secret]


def _has_keys(database):
    if not database.is_sqlite:
        return bool(database.reader.scalar(select(func.count()).select_from(jwks)))
    with closing(sqlite3.connect(database.url.database)) as connection:
        return connection.execute("SELECT 1 FROM jwks").fetchone() is not None


def _put_into_file(file, keys):
    """Insert keys past all that makes a commit last: the test has just begun."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.executemany(_INSERT, keys)


def _kept_secret(database):
    """Keep a secret beside the file, as local mode does at its first start, and return it."""
    file = Path(f"{database.url.database}.secret")
    file.touch(0o600)
    file.write_bytes(base64.b64decode(SECRET))
    return SECRET
