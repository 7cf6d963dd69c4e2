"""The migration: it makes what the models describe, can be undone, and knows its revision."""

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.schema import CreateIndex

from authservice import schema
from authservice.configuration import open_database
from authservice.db import Database
from authservice.models import metadata

ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/folder/empty.sqlite")
    yield database
    database.dispose()


def _config(connection):
    config = Config()
    config.set_main_option("script_location", str(ROOT / "alembic"))
    config.attributes["connection"] = connection
    return config


def test_the_revision_is_the_newest_migration():
    script = ScriptDirectory(str(ROOT / "alembic"))

    assert script.get_heads() == [schema.REVISION]


# The index on expressions is compared below.
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning")
@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expression-based")
def test_the_migration_makes_exactly_what_the_models_describe(database):
    context = MigrationContext.configure(
        database.reader, opts={"compare_type": True, "target_metadata": metadata}
    )

    differences = compare_metadata(context, metadata)

    assert [entry for entry in differences if entry[0] != "remove_table"] == []


def test_the_index_on_expressions_is_the_one_that_the_model_describes(database):
    name = "uq_oauth_consent_client_user_reference"
    (index,) = (each for each in metadata.tables["oauth_consent"].indexes if each.name == name)
    described = str(CreateIndex(index).compile(database.writer))
    stored = database.reader.scalar(
        text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": name}
    )

    assert stored == described


def test_the_nullable_columns_are_those_of_the_models(database):
    inspector = inspect(database.reader)
    for name, table in metadata.tables.items():
        stored = {column["name"]: column["nullable"] for column in inspector.get_columns(name)}
        assert stored == {column.name: column.nullable for column in table.columns}
        assert list(stored) == [column.name for column in table.columns]


def test_dates_have_64_bits_and_truth_values_are_integers(database):
    inspector = inspect(database.reader)
    for name, table in metadata.tables.items():
        types = {column["name"]: str(column["type"]) for column in inspector.get_columns(name)}
        for column in table.columns:
            kind = type(column.type).__name__
            expected = {
                "EpochMillis": "BIGINT",
                "IntegerBoolean": "INTEGER",
                "Integer": "INTEGER",
            }.get(kind, "TEXT")
            assert types[column.name] == expected, (name, column.name)


def test_migrating_makes_the_folder_and_the_file(empty):
    assert schema.sqlite_file_is_missing(empty)

    schema.migrate(empty)

    assert not schema.sqlite_file_is_missing(empty)
    assert schema.is_migrated(empty.reader)


def test_migrating_twice_changes_nothing(empty):
    schema.migrate(empty)
    schema.migrate(empty)

    assert schema.is_migrated(empty.reader)


def test_the_migration_can_be_undone_and_done_again(empty):
    schema.migrate(empty)
    with empty.transaction() as connection:
        command.downgrade(_config(connection), "base")

    assert set(inspect(empty.reader).get_table_names()) == {"alembic_version"}
    assert not schema.is_migrated(empty.reader)

    schema.migrate(empty)

    assert schema.is_migrated(empty.reader)
    assert set(metadata.tables) < set(inspect(empty.reader).get_table_names())


def test_a_migration_that_fails_leaves_nothing_behind(empty):
    Path(empty.url.database).parent.mkdir()
    with empty.transaction() as connection:
        # In the way of the last statement of the migration.
        connection.execute(text("CREATE TABLE oauth_consent (id TEXT)"))

    with pytest.raises(DatabaseError):
        schema.migrate(empty)

    assert inspect(empty.reader).get_table_names() == ["oauth_consent"]


@pytest.mark.parametrize("revision", [None, "0000", "9999"])
def test_another_revision_is_not_the_one_that_is_needed(database, revision):
    with database.transaction() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
        if revision:
            connection.execute(text(f"INSERT INTO alembic_version VALUES ('{revision}')"))

    assert not schema.is_migrated(database.reader)


def test_the_alembic_command_finds_the_database_as_the_service_does(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/by/command.sqlite")
    config = Config(str(ROOT / "local.ini"))

    command.upgrade(config, "head")

    database = open_database(None)
    assert schema.is_migrated(database.reader)
    database.dispose()
