"""Empty databases for the variants of a run: files of SQLite, or databases of one PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.bench.databases import postgresql
from tools.bench.machine.cores import Cores


@dataclass(frozen=True, slots=True)
class EmptyDatabase:
    """The address of a database, and the processes of its own server."""

    url: str
    server_pids: tuple[int, ...] = ()


MakeDatabase = Callable[[Path], EmptyDatabase]


@contextmanager
def databases(kind: str, cores: Cores) -> Iterator[MakeDatabase]:
    """Give what makes an empty database for a deployment's folder."""
    if kind == "sqlite":
        yield lambda folder: EmptyDatabase(f"sqlite:///{folder}/service.sqlite")
        return
    with postgresql.running(set(cores.servers)) as server:
        yield lambda folder: EmptyDatabase(server.create_database(folder.name), (server.pid,))
