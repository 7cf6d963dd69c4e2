"""The tables: which there are, what is indexed, and what becomes of rows that belong together."""

from itertools import product

import pytest
from sqlalchemy import Column, UniqueConstraint, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError

from authservice import clock, models
from authservice.database import schema
from authservice.models import (
    account,
    metadata,
    oauth_client,
    oauth_consent,
    user,
)

NINE = {
    "user",
    "account",
    "session",
    "verification",
    "jwks",
    "oauth_client",
    "oauth_access_token",
    "oauth_refresh_token",
    "oauth_consent",
}
LOOKED_UP = {
    "user": {"email"},
    "session": {"token", "expires_at"},
    "account": {"provider_id"},
    "verification": {"identifier", "expires_at"},
    "oauth_client": {"client_id"},
    "oauth_refresh_token": {"authorization_code_id", "rotated_at", "expires_at"},
    "oauth_access_token": {"expires_at"},
}


def test_the_initial_migration_creates_the_nine_tables_and_only_these(empty):
    schema.migrate(empty, "1001")

    assert set(inspect(empty.reader).get_table_names()) == NINE | {"alembic_version"}


def test_later_migrations_add_what_came_later(database):
    later = {"logout_notice", "pinned_provider", "session_participant"}
    later |= {"admission_state", "pinned_name", "removed_account"}
    later |= {"provider_event", "fetched_keys"}
    of_migrations = {"alembic_version", "schema_compatibility"}
    assert set(inspect(database.reader).get_table_names()) == NINE | later | of_migrations
    names = {getattr(models, name).name for name in models.__all__ if name != "metadata"}
    assert set(metadata.tables) == names == NINE | later


def _leading_columns(inspector, table):
    indexes = inspector.get_indexes(table) + inspector.get_unique_constraints(table)
    return {index["column_names"][0] for index in indexes}


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning")
def test_every_foreign_key_and_lookup_column_is_indexed(subtests, database):
    for table in sorted(NINE):
        with subtests.test(table=table):
            inspector = inspect(database.reader)
            keys = {key["constrained_columns"][0] for key in inspector.get_foreign_keys(table)}

            assert keys | LOOKED_UP.get(table, set()) <= _leading_columns(inspector, table)


def test_rows_that_belong_to_others_go_with_them_but_tokens_outlive_a_session(database):
    rules = {
        (table, key["constrained_columns"][0]): (
            key["referred_table"],
            key["referred_columns"][0],
            key["options"]["ondelete"],
        )
        for table in NINE
        for key in inspect(database.reader).get_foreign_keys(table)
    }
    to_user = ("user", "id", "CASCADE")
    to_client = ("oauth_client", "client_id", "CASCADE")
    to_session = ("session", "id", "SET NULL")

    assert rules == {
        ("account", "user_id"): to_user,
        ("session", "user_id"): to_user,
        ("oauth_client", "user_id"): to_user,
        ("oauth_refresh_token", "user_id"): to_user,
        ("oauth_refresh_token", "client_id"): to_client,
        ("oauth_refresh_token", "session_id"): to_session,
        ("oauth_access_token", "refresh_id"): ("oauth_refresh_token", "id", "CASCADE"),
        ("oauth_consent", "user_id"): to_user,
        ("oauth_consent", "client_id"): to_client,
    }


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning")
def test_every_constraint_is_named_and_every_key_is_text(subtests, database):
    for table in sorted(NINE):
        with subtests.test(table=table):
            inspector = inspect(database.reader)

            assert inspector.get_pk_constraint(table)["constrained_columns"] == ["id"]
            assert isinstance(metadata.tables[table].c.id, Column)
            for constraint in inspector.get_foreign_keys(table) + inspector.get_unique_constraints(
                table
            ):
                assert constraint["name"]


def test_an_account_is_unique_within_its_provider():
    unique = [
        [column.name for column in constraint.columns]
        for constraint in account.constraints
        if isinstance(constraint, UniqueConstraint)
    ]

    assert unique == [["provider_id", "account_id"]]


@pytest.fixture
def rows(database):
    """Store a user and a client, whom consents belong to."""
    now = clock.now()
    dates = {"created_at": now, "updated_at": now}
    person = {"id": "u", "name": "N", "email": "n@example.com", "email_verified": True}
    with database.transaction() as connection:
        connection.execute(insert(user), person | dates)
        connection.execute(
            insert(oauth_client), {"id": "c", "client_id": "c", "redirect_uris": ()} | dates
        )
    return database


def _count(database, table):
    return len(database.reader.execute(select(table.c.id)).all())


def _consent(row_id, **columns):
    now = clock.now()
    row = {"id": row_id, "client_id": "c", "user_id": "u", "reference_id": None, "scopes": ()}
    return row | {"created_at": now, "updated_at": now} | columns


def test_there_is_one_consent_for_a_client_a_user_and_a_reference(subtests, rows):
    for owner, reference in product((None, "u"), (None, "team")):
        with subtests.test(owner=owner, reference=reference):
            columns = {"user_id": owner, "reference_id": reference}
            first = _consent(f"{owner} {reference} 1", **columns)
            second = _consent(f"{owner} {reference} 2", **columns)
            with rows.transaction() as connection:
                connection.execute(insert(oauth_consent), first)

            with pytest.raises(IntegrityError), rows.transaction() as connection:
                connection.execute(insert(oauth_consent), second)


def test_consents_of_other_references_stand_beside(rows):
    with rows.transaction() as connection:
        connection.execute(insert(oauth_consent), _consent("1"))
        connection.execute(insert(oauth_consent), _consent("2", reference_id="a"))
        connection.execute(insert(oauth_consent), _consent("3", reference_id="b"))
        connection.execute(insert(oauth_consent), _consent("4", user_id=None))

    assert _count(rows, oauth_consent) == 4


def test_a_row_that_refers_to_nothing_is_refused(database):
    statement = text(
        "INSERT INTO session (id, token, user_id, expires_at, created_at, updated_at)"
        " VALUES ('s', 't', 'nobody', 0, 0, 0)"
    )
    with pytest.raises(IntegrityError), database.transaction() as connection:
        connection.execute(statement)
