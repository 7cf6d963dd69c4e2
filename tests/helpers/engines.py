"""The engines on which tests run: where each test's database comes from, and what else it takes.

``migrated`` gives a database as the real migration makes it, copied from one that is made once;
``empty`` gives one with nothing in it; ``unreachable`` gives one that cannot be opened before
``repair`` makes it a migrated one. Each returns its address, and ``drop`` takes it away, once.
"""

import base64
import shutil
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from sqlalchemy import make_url

from authservice.database import schema
from authservice.database.database import Database
from tests.helpers import leftovers
from tests.services.postgresql_pool import DatabasePool
from tools.prove.faults.hanging import hanging

ENGINES = ("sqlite", "postgresql")
# Local mode keeps its secret beside a file. On a server it has to be given, here in a test's.
SECRET = base64.b64encode(bytes(range(3, 35))).decode()


class SQLiteEngine:
    """Files, in the folder that a test names."""

    name = "sqlite"

    def __init__(self, template):
        self.local_environ = {}
        self._template = template

    def migrated(self, folder):
        file = folder / "test.sqlite"
        shutil.copy(self._template, file)
        return _give(_address(file))

    def empty(self, folder):
        return _give(_address(folder / "empty.sqlite"))

    def unreachable(self, folder):
        file = folder / "later.sqlite"
        file.mkdir()
        return _give(_address(file))

    def repair(self, url):
        file = Path(make_url(url).database)
        file.rmdir()
        shutil.copy(self._template, file)

    def drop(self, url):
        _take_back(url)
        file = Path(make_url(url).database)
        if not file.is_dir():
            file.unlink(missing_ok=True)


class PostgreSQLEngine:
    """Databases of one server. To make one takes far longer than to empty one, so they are kept."""

    name = "postgresql"

    def __init__(self, server):
        self.local_environ = {
            "AUTH_SECRET": SECRET,
            # There is no file of the database beside which one could be kept.
            "AUTH_LOCAL_CONTROL_TOKEN": "of-the-tests",
        }
        self._server = server
        self._numbers = count()
        self._server.execute("CREATE DATABASE template")
        migrate(self._server.url("template"))
        self._pool = DatabasePool(server)

    def migrated(self, folder):
        if (name := self._pool.take()) is not None:
            return _give(self._server.url(name))
        url = self.unreachable(folder)
        self.repair(url)
        self._pool.add(_name(url))
        return url

    def empty(self, folder):
        url = self.unreachable(folder)
        self._server.execute(f"CREATE DATABASE {_name(url)}")
        return url

    def unreachable(self, _folder):
        return _give(self._server.url(f"test_{next(self._numbers)}"))

    def repair(self, url):
        self._server.execute(f"CREATE DATABASE {_name(url)} TEMPLATE template STRATEGY file_copy")

    @contextmanager
    def hanging(self):
        """Let the server hang as long as the context is open; it keeps its connections.

        In the end it answers again: on a busy machine its processes take a while to wake up.
        """
        with hanging(self._server.pid):
            yield
        self._server.execute("SELECT 1")

    def drop(self, url):
        """Take a database away, or empty it for the next test if it is as the migration left it."""
        _take_back(url)
        if not self._pool.put_back(_name(url)):
            self._server.execute(f"DROP DATABASE IF EXISTS {_name(url)} WITH (FORCE)")


def _give(url):
    leftovers.databases.add(url)
    return url


def _take_back(url):
    # By now another test may have it.
    assert url in leftovers.databases, f"given back twice: {url}"
    leftovers.databases.remove(url)


def _address(file):
    return f"sqlite:///{file}"


def _name(url):
    return url.rpartition("/")[2]


def migrate(url):
    """Bring a database up to date as the command does."""
    database = Database(url)
    schema.migrate(database)
    database.dispose()
