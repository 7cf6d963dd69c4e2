"""The migration: it makes what the models describe, can be undone, and knows its revision."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Column, Text, inspect, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.schema import CreateIndex

from authservice.database import schema
from authservice.database.configuration import open_database
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.models import metadata
from tests.helpers.lock_waits import wait_until_blocked

ROOT = Path(__file__).parents[2]


def _config(connection):
    config = Config()
    config.set_main_option("script_location", str(ROOT / "alembic"))
    config.attributes["connection"] = connection
    return config


def test_the_revision_is_the_newest_migration():
    script = ScriptDirectory(str(ROOT / "alembic"))

    assert script.get_heads() == [REVISION]


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
    if not database.is_sqlite:
        # It writes the definition in words of its own.
        stored = text("SELECT indexdef FROM pg_indexes WHERE indexname = :name")
        assert database.reader.scalar(stored, {"name": name}) == (
            f"CREATE UNIQUE INDEX {name} ON public.oauth_consent USING btree"
            " (client_id, COALESCE(user_id, ''::text), COALESCE(reference_id, ''::text))"
        )
        return
    (index,) = (each for each in metadata.tables["oauth_consent"].indexes if each.name == name)
    described = str(CreateIndex(index).compile(database.writer))
    stored = database.reader.scalar(
        text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": name}
    )

    assert stored == described


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning")
def test_partial_indexes_have_the_conditions_of_the_models(database):
    option = f"{database.reader.dialect.name}_where"
    inspector = inspect(database.reader)
    stored = {
        index["name"]: str(index["dialect_options"][option]).strip("()")
        for table in metadata.tables
        for index in inspector.get_indexes(table)
        if option in index.get("dialect_options", {})
    }
    indexes = [index for table in metadata.tables.values() for index in table.indexes]
    statements = {index: str(CreateIndex(index).compile(database.writer)) for index in indexes}

    described = {
        index.name: statement.partition(" WHERE ")[2]
        for index, statement in statements.items()
        if " WHERE " in statement
    }
    assert described
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


def test_migrating_makes_the_folder_and_the_file(tmp_path):
    absent = Database(f"sqlite:///{tmp_path}/folder/absent.sqlite")
    assert schema.sqlite_file_is_missing(absent)

    schema.migrate(absent)

    assert not schema.sqlite_file_is_missing(absent)
    assert schema.is_migrated(absent.reader)
    absent.dispose()


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
    with empty.transaction() as connection:
        # In the way of the last statement of the migration.
        connection.execute(text("CREATE TABLE oauth_consent (id TEXT)"))

    with pytest.raises(DatabaseError):
        schema.migrate(empty)

    assert inspect(empty.reader).get_table_names() == ["oauth_consent"]


def _set_revision(database, version, noted=None):
    with database.transaction() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
        if version:
            connection.execute(text(f"INSERT INTO alembic_version VALUES ('{version}')"))
        for name, value in (noted or {}).items():
            change = f"UPDATE schema_compatibility SET {name} = :value"
            connection.execute(text(change), {"value": value})


def test_another_revision_is_not_the_one_that_is_needed(subtests, database):
    for revision in (None, "0000", "9999"):
        with subtests.test(revision=revision):
            _set_revision(database, revision)

            assert not schema.is_migrated(database.reader)


def test_of_two_revisions_none_counts(subtests, database):
    """Whichever the database finds first: what the tables are at is not known."""
    for other in ("1001", "9999", "0f3a5c7e9b1d"):
        for noted in permutations((REVISION, other)):
            with subtests.test(noted=noted):
                with database.transaction() as connection:
                    connection.execute(text("DELETE FROM alembic_version"))
                    for version in noted:
                        connection.execute(
                            text("INSERT INTO alembic_version VALUES (:version)"),
                            {"version": version},
                        )

                assert not schema.is_migrated(database.reader)
                with pytest.raises((CommandError, schema.NewerSchemaError)):
                    schema.migrate(database)


def test_a_newer_schema_serves_this_version_if_it_says_so(subtests, database):
    for revision, works_since, serves in (
        ("9999", "1001", True),
        ("9999", REVISION, True),
        ("9999", "9998", False),
        # Said of another revision than the one that is there.
        ("9998", "1001", False),
    ):
        with subtests.test(revision=revision, works_since=works_since):
            _set_revision(database, "9999", {"revision": revision, "works_since": works_since})

            assert schema.is_migrated(database.reader) is serves
            if serves:
                assert schema.migrate(database) == "9999"
            else:
                with pytest.raises(schema.NewerSchemaError, match="9999"):
                    schema.migrate(database)
            # Only the newer version knows how to go back from there.
            with pytest.raises(schema.NewerSchemaError):
                schema.migrate(database, "1001")


def test_a_newer_schema_that_says_nothing_does_not(database):
    _set_revision(database, "9999")
    with database.transaction() as connection:
        connection.execute(text("DROP TABLE schema_compatibility"))

    assert not schema.is_migrated(database.reader)


def test_the_note_follows_the_migrations_both_ways(empty):
    def noted():
        return empty.reader.execute(text("SELECT * FROM schema_compatibility")).all()

    assert schema.migrate(empty) == REVISION
    ((revision, since),) = noted()
    assert revision == REVISION
    assert since <= revision

    assert schema.migrate(empty, "1001") == "1001"
    assert not inspect(empty.reader).has_table("schema_compatibility")

    schema.migrate(empty)
    assert noted() == [(revision, since)]


def test_revisions_are_numbers_that_grow_and_each_says_what_it_works_with():
    scripts = ScriptDirectory(str(ROOT / "alembic"))
    known = schema.revisions()

    assert known == [str(1001 + number) for number in range(len(known))]
    assert known == sorted(script.revision for script in scripts.walk_revisions())
    since = [scripts.get_revision(revision).module.works_since for revision in known]
    assert since == sorted(since)
    assert all(oldest in known and oldest <= own for oldest, own in zip(since, known, strict=True))


@pytest.mark.engines("sqlite")
def test_a_table_that_is_copied_does_not_take_the_rows_of_others_along(empty):
    schema.migrate(empty)
    with empty.transaction() as connection:
        columns = "id, name, email, email_verified, created_at, updated_at"
        person = f"INSERT INTO \"user\" ({columns}) VALUES ('u', 'N', 'e', 1, 1, 1)"
        connection.execute(text(person))
        session = "INSERT INTO session VALUES ('s', 't', 'u', 1, 1, 1, NULL, NULL)"
        connection.execute(text(session))

    with schema._migrating(empty) as connection:
        operations = Operations(MigrationContext.configure(connection))
        with operations.batch_alter_table("user", recreate="always") as table:
            table.add_column(Column("nickname", Text))

    assert empty.reader.execute(text("SELECT user_id FROM session")).all() == [("u",)]
    with empty.transaction() as connection:
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1


def test_the_alembic_command_finds_the_database_as_the_service_does(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/by/command.sqlite")
    config = Config(str(ROOT / "local.ini"))

    command.upgrade(config, "head")

    database = open_database(None)
    assert schema.is_migrated(database.reader)
    database.dispose()


# SQLite has one lock for all tables.
@pytest.mark.engines("postgresql")
def test_a_migration_and_a_request_that_need_the_same_tables_both_end(empty):
    schema.migrate(empty, "1001")

    with (
        ThreadPoolExecutor() as pool,
        empty.writer.connect() as request,
        request.begin(),
    ):
        request.exec_driver_sql("LOCK TABLE oauth_client IN ROW EXCLUSIVE MODE")
        migrating = pool.submit(schema.migrate, empty)
        wait_until_blocked(empty, migrating)
        # The first that the migration locks, and the first that it changes.
        request.exec_driver_sql('LOCK TABLE account, "user" IN ROW EXCLUSIVE MODE')
    assert migrating.result() == REVISION
