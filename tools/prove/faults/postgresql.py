"""PostgreSQL: gone for a while, hanging, without room on its disk, replaced by its standby."""

import os
import pwd
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.databases.postgresql import PostgreSQL, running
from tools.prove.faults.disk import NOT_MOUNTED, fill, small
from tools.prove.faults.hanging import hanging
from tools.prove.faults.trial import Fault, Found, LeftOut, Service, service, suffer
from tools.prove.outcome import Extent

_SECONDS: dict[Extent, float] = {"brief": 2, "quick": 5, "long": 300}
_RESTARTS: dict[Extent, int] = {"brief": 1, "quick": 3, "long": 100}
# Longer than a request waits for a reply.
_HANGING: dict[Extent, float] = {"brief": 12, "quick": 20, "long": 300}
_MEBIBYTES = 48


def happen(folder: Path, extent: Extent) -> Iterator[Found | LeftOut]:
    """Yield what was seen of each fault, or why it was left out."""
    everywhere = os.sched_getaffinity(0)
    with running(everywhere) as server:
        yield _away(folder / "away", server, extent)
        yield _hanging(folder / "hanging", server, extent)
        yield _full(folder / "full", server, extent)
        yield _replaced(folder / "replaced", server, extent)


def _away(folder: Path, server: PostgreSQL, extent: Extent) -> Found:
    """Stop the server in order, wait, and start it again."""

    @contextmanager
    def away(_subject: Service) -> Iterator[None]:
        for _ in range(_RESTARTS[extent] - 1):
            server.stop()
            server.start()
            time.sleep(1)
        server.stop()
        try:
            yield
        finally:
            server.start()

    folder.mkdir()
    database = EmptyDatabase(server.create_database("away"))
    with service(folder, database) as subject:
        name = f"PostgreSQL restarted {_RESTARTS[extent]} times"
        return suffer(subject, Fault(name, away, _SECONDS[extent]))


def _hanging(folder: Path, server: PostgreSQL, extent: Extent) -> Found:
    """Stop the server's processes where they are, and let them go on."""

    @contextmanager
    def hangs(_subject: Service) -> Iterator[None]:
        with hanging(server.pid):
            yield

    folder.mkdir()
    database = EmptyDatabase(server.create_database("hanging"))
    with service(folder, database) as subject:
        return suffer(subject, Fault("PostgreSQL hangs", hangs, _HANGING[extent]))


def _full(folder: Path, server: PostgreSQL, extent: Extent) -> Found | LeftOut:
    """Leave no room for the tables, where a file system may be mounted."""
    name = "PostgreSQL's disk is full"

    @contextmanager
    def full(_subject: Service) -> Iterator[None]:
        rest = fill(disk)
        try:
            yield
        finally:
            rest.unlink()

    folder.mkdir()
    with tempfile.TemporaryDirectory(prefix="prove-", dir="/tmp") as mount_point:
        disk = Path(mount_point)
        # Those who look for its files are the server's, not ours.
        disk.chmod(0o711)
        with small(disk, _MEBIBYTES) as mounted:
            if not mounted:
                return LeftOut(name, NOT_MOUNTED)
            place = disk / "tables"
            place.mkdir()
            _give_to_the_server(place)
            server.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
            database = EmptyDatabase(server.create_database("full", "small"))
            try:
                with service(folder, database) as subject:
                    return suffer(subject, Fault(name, full, _SECONDS[extent]))
            finally:
                server.execute('DROP DATABASE "full" WITH (FORCE)')
                server.execute("DROP TABLESPACE small")


def _replaced(folder: Path, primary: PostgreSQL, extent: Extent) -> Found:
    """Kill the primary at any instant, and let the standby take over a moment later."""
    folder.mkdir()
    address = primary.create_database("replaced")
    with running(os.sched_getaffinity(0), primary) as standby:
        # Nothing is acknowledged that the standby does not have.
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")

        @contextmanager
        def replaced(_subject: Service) -> Iterator[None]:
            primary.kill()
            try:
                yield
            finally:
                standby.promote()

        with service(folder, EmptyDatabase(_either(address, primary, standby))) as subject:
            found = suffer(subject, Fault("fail-over to a standby", replaced, _SECONDS[extent]))
    primary.start()
    return found


def _either(address: str, *servers: PostgreSQL) -> str:
    """Return the address of a database that one of the servers has at a time."""
    before, _, rest = address.partition("@")
    name = rest.partition("/")[2]
    hosts = "&".join(f"host=127.0.0.1:{server.port}" for server in servers)
    return f"{before}@/{name}?{hosts}&target_session_attrs=read-write"


def _give_to_the_server(folder: Path) -> None:
    if os.geteuid() == 0:
        account = next(user for user in pwd.getpwall() if user.pw_name in {"postgres", "nobody"})
        os.chown(folder, account.pw_uid, account.pw_gid)
