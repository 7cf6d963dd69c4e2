"""A PostgreSQL server for one run: on a free loopback port, with a folder that goes with it."""

import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tools.bench.machine.accounting import with_children
from tools.bench.machine.cores import pinned

_USER = "bench"
_STARTING = 30.0  # seconds


class PostgreSQLMissingError(Exception):
    """There is no PostgreSQL on this machine."""


class PostgreSQL:
    """A server that answers, with its settings as Debian ships them: commits wait for the disk."""

    def __init__(
        self,
        folder: Path,
        cpus: set[int],
        identity: dict[str, Any],
        primary: "PostgreSQL | None" = None,
    ) -> None:
        """Make its files in a folder, or take them from a primary to follow it, and start it.

        Raises PostgreSQLMissingError.
        """
        self.port = _free_port()
        self._folder = folder
        self._programs = _programs()
        self._cpus = cpus
        self._options: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, **identity}
        self._run(*(self._new_files() if primary is None else self._files_of(primary)))
        self.start()

    @property
    def pid(self) -> int:
        """Return the process that started all others of it."""
        return self._server.pid

    def start(self) -> None:
        """Start it, also after a crash; returns as soon as it answers."""
        with pinned(self._cpus):
            self._server = subprocess.Popen(
                [
                    self._programs / "postgres",
                    *("-D", self._folder / "data", "-p", str(self.port), "-k", self._folder),
                    *("-c", "listen_addresses=127.0.0.1"),
                ],
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                **self._options,
            )
        _wait(self._programs, self._server, self.port)

    def kill(self) -> None:
        """End all its processes at this very instant; returns when they are gone."""
        ending = []
        for pid in with_children([self.pid]):
            with suppress(ProcessLookupError):
                ending.append(os.pidfd_open(pid))
                # So that it starts no other one meanwhile.
                os.kill(pid, signal.SIGSTOP)
        for process in ending:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
        self._server.wait()
        # A server refuses to start while one of those before it still holds their memory.
        for process in ending:
            select.select([process], [], [])
            os.close(process)

    def stop(self) -> None:
        """End the connections, and stop."""
        self._server.send_signal(signal.SIGINT)
        self._server.wait()

    def promote(self) -> None:
        """Take over from the primary; returns when writes are taken."""
        self._run("pg_ctl", "promote", "--wait", "--pgdata", self._folder / "data")

    def create_database(self, name: str, tablespace: str = "pg_default") -> str:
        """Make an empty database and return its address."""
        self.execute(f'CREATE DATABASE "{name}" TABLESPACE "{tablespace}"')
        return f"postgresql+psycopg://{_USER}@127.0.0.1:{self.port}/{name}"

    def execute(self, statement: str) -> None:
        """Run a statement outside any transaction."""
        import psycopg  # noqa: PLC0415  (only who measures on PostgreSQL needs the driver)

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=_USER, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)

    def _new_files(self) -> tuple[str | Path, ...]:
        return (
            "initdb",
            *("--pgdata", self._folder / "data", "--username", _USER, "--auth", "trust"),
            *("--encoding", "UTF8", "--locale", "C.UTF-8"),
        )

    def _files_of(self, primary: "PostgreSQL") -> tuple[str | Path, ...]:
        where = f"host=127.0.0.1 port={primary.port} user={_USER} application_name=standby"
        return (
            "pg_basebackup",
            *("--pgdata", self._folder / "data", "--dbname", where),
            *("--write-recovery-conf", "--checkpoint=fast"),
        )

    def _run(self, program: str | Path, *arguments: str | Path) -> None:
        subprocess.run([self._programs / program, *arguments], check=True, **self._options)


@contextmanager
def running(cpus: set[int], primary: PostgreSQL | None = None) -> Iterator[PostgreSQL]:
    """Give a server on these CPUs, perhaps a standby; raises PostgreSQLMissingError."""
    # It refuses to run as root, and whom root runs it as cannot look into root's folders.
    identity = _identity()
    folder = Path(tempfile.mkdtemp(prefix="bench-postgresql-"))
    if identity:
        os.chown(folder, identity["user"], identity["group"])
    try:
        server = PostgreSQL(folder, cpus, identity, primary)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    """Return the folder of the newest version; Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("[1-9][0-9]/bin"))
    if found:
        return found[-1]
    program = shutil.which("postgres")
    if program is None:
        raise PostgreSQLMissingError("there is no PostgreSQL here; install postgresql")
    return Path(program).resolve().parent


def _identity() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    found = next(user for user in pwd.getpwall() if user.pw_name in {"postgres", "nobody"})
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _wait(programs: Path, server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.perf_counter() + _STARTING
    where = ("--host", "127.0.0.1", "--port", str(port))
    while subprocess.run([programs / "pg_isready", "--quiet", *where], check=False).returncode:
        if server.poll() is not None or time.perf_counter() > deadline:
            raise PostgreSQLMissingError("PostgreSQL is installed but did not start")
        time.sleep(0.05)
