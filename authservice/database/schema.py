"""The state of the database's schema, and whether this version of the service works with it.

While one version takes another's place both serve, and a new one may have to be taken back. So
each migration notes in the database the oldest revision whose version of the service still works
with the tables that it leaves.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, MetaData, Table, Text, delete, insert, select
from sqlalchemy import inspect as inspector
from sqlalchemy.exc import OperationalError

from authservice.crypto.private_files import make_folder
from authservice.database import unreleased
from authservice.database.database import Database, advisory_lock
from authservice.database.revision import REVISION

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

_version = Table("alembic_version", MetaData(), Column("version_num", Text))
_compatibility = Table(
    "schema_compatibility", MetaData(), Column("revision", Text), Column("works_since", Text)
)
# What the first migration makes first.
_FIRST = "user"
_MIGRATION = 0x61757468
# Of a fifth of a second each, and more where requests wait in turn.
_ATTEMPTS = 100


class NoFolderError(Exception):
    """The folder of an SQLite file cannot be made; the text says why."""


class NewerSchemaError(Exception):
    """The tables are those of a newer version, and this one cannot work with them."""


class NoRevisionError(Exception):
    """There are tables, and no revision is noted, so nobody knows what to migrate from."""


class MigrationsMissingError(Exception):
    """Migrations are not installed, so no database can be brought up to date."""


def is_migrated(connection: Connection) -> bool:
    """Tell whether this version works with the tables: its own, or newer ones that say so."""
    current = revision(connection)
    if current is None or not is_newer(current):
        return current == REVISION
    if not inspector(connection).has_table(_compatibility.name):
        return False
    noted = _compatibility.c.revision == current
    since = connection.scalar(select(_compatibility.c.works_since).where(noted))
    return since is not None and since <= REVISION


def revision(connection: Connection) -> str | None:
    """Return the revision that the tables are at, or None when there are none of ours.

    Where several are noted, it is all of them, and so none that a version works with.
    """
    if not inspector(connection).has_table(_version.name):
        return None
    noted = connection.scalars(select(_version.c.version_num).order_by(_version.c.version_num))
    return ", ".join(noted) or None


def is_newer(revision: str) -> bool:
    """Tell whether a revision was made after this version of the service."""
    return revision > REVISION


def revisions() -> list[str]:
    """Return the revisions that this version knows, oldest first.

    Raises MigrationsMissingError when its own is not among them.
    """
    folder = migrations()
    # Their files begin with them. Beside an installed package there may be the library of this
    # name, without revisions.
    known = sorted(file.name.partition("_")[0] for file in folder.glob("versions/[0-9]*_*.py"))
    if REVISION not in known:
        raise MigrationsMissingError(
            f"this installation has no migrations up to {REVISION}, its own, in {folder};"
            " install the package again, whole"
        )
    return known


def works_since(revision: str) -> str:
    """Return the oldest revision whose version of the service works with the tables of this one.

    Raises MigrationsMissingError.
    """
    revisions()
    # Imported here: it takes 0.1 s, and most databases are up to date.
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    module = ScriptDirectory(str(migrations())).get_revision(revision).module
    since: str = module.works_since
    return since


def sqlite_file_is_missing(database: Database) -> bool:
    """Tell whether the database is an SQLite file that does not exist yet."""
    return database.is_sqlite and not os.path.exists(database.url.database or "")  # noqa: PTH110


def migrate(database: Database, target: str = REVISION) -> str:
    """Bring the schema to a revision, forward or back, and return the one that it is at then.

    An SQLite file and its folder are made if they are not there. Tables of a newer version that
    this one works with stay as they are; raises NewerSchemaError for others, NoRevisionError,
    NoFolderError, UnreleasedSchemaError, and MigrationsMissingError where nothing could be done.
    """
    revisions()
    if database.is_sqlite:
        folder = Path(str(database.url.database)).parent
        try:
            make_folder(folder)
        except OSError as error:
            raise NoFolderError(f"the folder {folder} cannot be made: {error.strerror}") from error
    with _migrating(database) as connection:
        current = revision(connection)
        if current is not None and is_newer(current):
            if target != REVISION or not is_migrated(connection):
                raise NewerSchemaError(current)
            return current
        if current is None and inspector(connection).has_table(_FIRST):
            raise NoRevisionError(
                f"the database has a table {_FIRST}, and its alembic_version names no revision to"
                " migrate from; restore a backup of it, or name an empty database"
            )
        if current != target:
            _keep_requests_waiting(connection)
            if current is not None and unreleased.is_unreleased(current):
                unreleased.take_over(connection, current)
                current = unreleased.TAKEN_OVER
        if current != target:
            _run_migrations(connection, current, target)
    return target


def _keep_requests_waiting(connection: Connection) -> None:
    """Lock every table before the first is changed, on PostgreSQL, where requests go on meanwhile.

    A migration that holds one table and waits for another would deadlock with a request that has
    the other and needs the first. So it waits for a table shortly, gives all of them back, and
    tries again.
    """
    tables = inspector(connection).get_table_names()
    if connection.dialect.name != "postgresql" or not tables:
        return
    quote = connection.dialect.identifier_preparer.quote
    lock = f"LOCK TABLE {', '.join(map(quote, sorted(tables)))} IN ACCESS EXCLUSIVE MODE"
    for attempt in range(_ATTEMPTS):
        try:
            with connection.begin_nested():
                # Shorter than the second after which PostgreSQL looks for deadlocks.
                connection.exec_driver_sql("SET LOCAL lock_timeout = '200ms'")
                connection.exec_driver_sql(lock)
                connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        except OperationalError:
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _run_migrations(connection: Connection, current: str | None, target: str) -> None:
    # Imported here, as above.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations()).replace("%", "%%"))
    config.attributes["connection"] = connection
    back = current is not None and target < current
    (command.downgrade if back else command.upgrade)(config, target)


def note_compatibility(connection: Connection, scripts: "ScriptDirectory") -> None:
    """Note what the migration of the present revision says of older versions of the service."""
    if not inspector(connection).has_table(_compatibility.name):
        return
    current = revision(connection)
    noted = {
        "revision": current,
        "works_since": scripts.get_revision(str(current)).module.works_since,
    }
    connection.execute(delete(_compatibility))
    connection.execute(insert(_compatibility), noted)


@contextmanager
def _migrating(database: Database) -> Iterator[Connection]:
    with database.writer.connect() as connection:
        if database.is_sqlite:
            # SQLite alters a table by copying it. To drop the former one must not delete the rows
            # of others that refer to its rows. Nobody else is to have this connection afterwards.
            connection.detach()
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
        with connection.begin():
            advisory_lock(connection, _MIGRATION)
            yield connection


def migrations() -> Path:
    """Return the migrations: inside an installed package, or beside it in a checkout."""
    package = Path(str(files("authservice")))
    installed = package / "alembic"
    return installed if installed.is_dir() else package.parent / "alembic"
