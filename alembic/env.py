"""Runs migrations on the connection that ``authservice migrate`` gives.

The alembic command works too (``alembic -c local.ini upgrade head``): it then finds the database
as the service does, in the environment and in the ini file.
"""

from alembic import context
from sqlalchemy import Connection

from authservice.database import schema
from authservice.database.configuration import open_database
from authservice.models import metadata
from authservice.settings import SettingsError
from authservice.settings.ini_file import IniFileError


def run(connection: Connection) -> None:
    """Run the command's migrations inside the connection's transaction."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        # SQLite cannot alter most things in place; alembic then copies the table.
        render_as_batch=True,
        compare_type=True,
    )
    context.run_migrations()
    schema.note_compatibility(connection, context.script)


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    try:
        database = open_database(context.config.config_file_name, create_folder=True)
    except (IniFileError, OSError, SettingsError) as error:
        raise SystemExit(f"alembic: {error}") from None
    with database.transaction() as connection:
        run(connection)
    database.dispose()
