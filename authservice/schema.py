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

from authservice.db import Database, take_turns
from authservice.private_files import make_folder

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

# The newest revision; a test holds it against alembic/versions.
REVISION = "0009"

_version = Table("alembic_version", MetaData(), Column("version_num", Text))
_compatibility = Table(
    "schema_compatibility", MetaData(), Column("revision", Text), Column("works_since", Text)
)
_MIGRATION = 0x61757468


class NewerSchemaError(Exception):
    """The tables are those of a newer version, and this one cannot do what was asked with them."""


class MigrationsMissingError(Exception):
    """Migrations are not installed, so no database can be brought up to date."""


def is_migrated(connection: Connection) -> bool:
    """Tell whether this version works with the tables: its own, or newer ones that say so."""
    found = revision(connection)
    if found is None or not is_newer(found):
        return found == REVISION
    if not inspector(connection).has_table(_compatibility.name):
        return False
    noted = _compatibility.c.revision == found
    since = connection.scalar(select(_compatibility.c.works_since).where(noted))
    return since is not None and since <= REVISION


def revision(connection: Connection) -> str | None:
    """Return the revision that the tables are at, or None when there are none of ours."""
    if not inspector(connection).has_table(_version.name):
        return None
    found: str | None = connection.scalar(select(_version.c.version_num))
    return found


def is_newer(revision: str) -> bool:
    """Tell whether a revision was made after this version of the service."""
    return revision > REVISION


def revisions() -> list[str]:
    """Return the revisions that this version knows, oldest first.

    Raises MigrationsMissingError when its own is not among them.
    """
    folder = _migrations()
    found = []
    # Beside an installed package there may be the library of this name, without revisions.
    if (folder / "versions").is_dir():
        found = sorted(script.revision for script in _scripts(folder).walk_revisions())
    if REVISION not in found:
        raise MigrationsMissingError(
            f"this installation has no migrations up to {REVISION}, its own, in {folder};"
            " install the package again, whole"
        )
    return found


def sqlite_file_is_missing(database: Database) -> bool:
    """Tell whether the database would be an SQLite file that nobody has made yet."""
    return database.is_sqlite and not os.path.exists(database.url.database or "")  # noqa: PTH110


def migrate(database: Database, target: str = REVISION) -> str:
    """Bring the schema to a revision, forward or back, and return the one that it is at then.

    An SQLite file and its folder are made if they are not there. Tables of a newer version that
    this one works with stay as they are; raises NewerSchemaError for others, and
    MigrationsMissingError where nothing could be done.
    """
    revisions()
    # Imported here: a server only asks whether the schema is current.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    if database.is_sqlite:
        make_folder(Path(str(database.url.database)).parent)
    config = Config()
    config.set_main_option("script_location", str(_migrations()).replace("%", "%%"))
    with _migrating(database) as connection:
        found = revision(connection)
        if found is not None and is_newer(found):
            if target != REVISION or not is_migrated(connection):
                raise NewerSchemaError(found)
            return found
        config.attributes["connection"] = connection
        back = found is not None and target < found
        (command.downgrade if back else command.upgrade)(config, target)
    return target


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
            # of others that refer to its rows.
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
        with connection.begin():
            take_turns(connection, _MIGRATION)
            yield connection


def _scripts(folder: Path) -> "ScriptDirectory":
    from alembic.script import ScriptDirectory  # noqa: PLC0415  (as above)

    return ScriptDirectory(str(folder))


def _migrations() -> Path:
    """Return the migrations: inside an installed package, or beside it in a checkout."""
    package = Path(str(files("authservice")))
    installed = package / "alembic"
    return installed if installed.is_dir() else package.parent / "alembic"
