"""Migrations on a database in use: what they do with addresses, forward and back."""

import pytest
from sqlalchemy import text

from authservice.database import schema

USERS = {
    "verified": ("Ada@Example.com", 1),
    "unverified": ("bob@example.com", 0),
    "Unverified2": ("carol@example.com", 0),
    "WithoutAccount": ("dave@example.com", 0),
}
ACCOUNTS = [
    ("verified", "github", "1", 1),
    ("unverified", "github", "2", 5),
    ("unverified", "github", "3", 9),
    ("Unverified2", "Enterprise", "4", 1),
]


@pytest.fixture
def database(empty):
    """A database of the version before, with people in it."""
    schema.migrate(empty, "0006")
    with empty.transaction() as connection:
        for user_id, (email, verified) in USERS.items():
            values = {"id": user_id, "email": email, "verified": verified}
            connection.execute(
                text(
                    'INSERT INTO "user" (id, name, email, email_verified, created_at, updated_at)'
                    " VALUES (:id, 'N', :email, :verified, 1, 1)"
                ),
                values,
            )
        for user_id, provider_id, account_id, created_at in ACCOUNTS:
            values = {"u": user_id, "p": provider_id, "a": account_id, "c": created_at}
            connection.execute(
                text(
                    "INSERT INTO account"
                    " (id, user_id, provider_id, account_id, created_at, updated_at)"
                    " VALUES (:a, :u, :p, :a, :c, :c)"
                ),
                values,
            )
    return empty


def stored(database):
    rows = database.reader.execute(text('SELECT id, email, email_verified FROM "user"'))
    return {row.id: (row.email, row.email_verified) for row in rows}


def test_what_nobody_has_verified_is_replaced_and_the_rest_stays(database):
    schema.migrate(database, "0007")

    assert stored(database) == {
        "verified": ("Ada@Example.com", 1),
        "unverified": ("github-2@unverified.invalid", 0),
        "Unverified2": ("enterprise-4@unverified.invalid", 0),
        "WithoutAccount": ("withoutaccount@unverified.invalid", 0),
    }


def test_an_account_has_the_verified_address_of_its_user_as_the_primary_one(database):
    schema.migrate(database, "0015")

    rows = database.reader.execute(text("SELECT id, primary_email FROM account ORDER BY id"))
    assert [tuple(row) for row in rows] == [
        ("1", "Ada@Example.com"),
        ("2", None),
        ("3", None),
        ("4", None),
    ]


def test_who_has_what_is_to_stand_in_for_another_is_given_something_else(database):
    taken = {
        "WithoutAccount": ("github-2@unverified.invalid", 0),
        "verified": ("Enterprise-4@Unverified.Invalid", 1),
    }
    with database.transaction() as connection:
        for user_id, (email, verified) in taken.items():
            connection.execute(
                text('UPDATE "user" SET email = :email, email_verified = :verified WHERE id = :id'),
                {"id": user_id, "email": email, "verified": verified},
            )

    schema.migrate(database, "0007")

    assert stored(database) == {
        "verified": ("github-1@unverified.invalid", 0),
        "unverified": ("github-2@unverified.invalid", 0),
        "Unverified2": ("enterprise-4@unverified.invalid", 0),
        "WithoutAccount": ("withoutaccount@unverified.invalid", 0),
    }


def test_going_back_keeps_everybody_and_it_can_be_done_again(database):
    schema.migrate(database, "0007")
    after = stored(database)

    schema.migrate(database, "0006")
    assert stored(database) == after

    schema.migrate(database, "0007")
    assert stored(database) == after
