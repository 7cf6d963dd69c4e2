"""The state of the database's schema: is it migrated, and the command that migrates it."""

import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, MetaData, Table, Text, func, inspect, select

from authservice.db import Database

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

# The newest revision; a test holds it against alembic/versions.
REVISION = "0004"

_version = Table("alembic_version", MetaData(), Column("version_num", Text))
_MIGRATION_LOCK = 0x61757468


def is_migrated(connection: Connection) -> bool:
    """Tell whether the tables are those that this version of the service needs."""
    return revision(connection) == REVISION


def revision(connection: Connection) -> str | None:
    """Return the revision that the tables are at, or None when there are none of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(select(_version.c.version_num))
    return found


def is_known(revision: str) -> bool:
    """Tell whether this version of the service knows a revision, so that it can migrate from it."""
    return any(script.revision == revision for script in _scripts().walk_revisions())


def sqlite_file_is_missing(database: Database) -> bool:
    """Tell whether the database would be an SQLite file that nobody has made yet."""
    return database.is_sqlite and not os.path.exists(database.url.database or "")  # noqa: PTH110


def migrate(database: Database, revision: str = "head") -> None:
    """Bring the schema to a revision, making an SQLite file and its folder first."""
    # Imported here: a server only asks whether the schema is current.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    if database.is_sqlite:
        Path(str(database.url.database)).parent.mkdir(parents=True, exist_ok=True)
    config = Config()
    config.set_main_option("script_location", str(_migrations()).replace("%", "%%"))
    with database.transaction() as connection:
        if not database.is_sqlite:
            # Two migrating processes take turns; on SQLite the write lock sees to that.
            connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def _scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory  # noqa: PLC0415  (as above)

    return ScriptDirectory(str(_migrations()))


def _migrations() -> Path:
    """Return the migrations: inside an installed package, or beside it in a checkout."""
    package = Path(str(files("authservice")))
    installed = package / "alembic"
    return installed if installed.is_dir() else package.parent / "alembic"
