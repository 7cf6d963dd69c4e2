"""A real PostgreSQL on a free loopback port, in a folder of its own."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile

import psycopg

from tests.helpers.parts import program
from tests.helpers.ports import free_port
from tests.helpers.processes import Process

QUICK = {
    # A database of the tests need not outlive its machine.
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    # Races come from four processes at once, and who has gone may still be counted.
    "max_connections": "500",
}


class PostgreSQLServer:
    """Can be stopped in any way and started again at the same address; ``close`` removes it."""

    def __init__(self, **settings):
        self.port = free_port()
        self._settings = settings
        # Its parents let everybody in: a folder of pytest's own is root's alone.
        self.folder = tempfile.mkdtemp(prefix="postgresql-", dir="/tmp")
        self._owner = _ordinary_user(self.folder)
        subprocess.run(
            [
                *(program("initdb"), "--pgdata", f"{self.folder}/data", "--no-sync"),
                *("--username", "tests", "--auth", "trust"),
                *("--encoding", "UTF8", "--locale", "C.UTF-8"),
            ],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            **self._owner,
        )
        self.start()

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        given = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", **self._settings}
        self._process = Process(
            [
                *(program("postgres"), "-D", f"{self.folder}/data", "-p", self.port),
                *(part for item in given.items() for part in ("-c", "=".join(item))),
            ],
            ready="database system is ready to accept connections",
            cwd=self.folder,
            **self._owner,
        )

    def stop(self, how=signal.SIGINT):
        """Stop it: SIGINT ends all sessions in order, SIGQUIT ends it as a crash would."""
        self._process.stop(how)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)

    def url(self, database, user="tests"):
        return f"postgresql+psycopg://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement, database="postgres"):
        """Run a statement outside any transaction, as CREATE DATABASE wants it."""
        with self.connected(database) as connection:
            connection.execute(statement)

    def connected(self, database):
        """Return a connection of the tests' own to a database."""
        address = f"host=127.0.0.1 port={self.port} user=tests dbname={database}"
        return psycopg.connect(address, autocommit=True)


def _ordinary_user(folder):
    """Return as whom the server runs: it refuses root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("postgres")
    os.chown(folder, account.pw_uid, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
