from dataclasses import dataclass
from datetime import datetime

import pytest
from sqlalchemy import bindparam, delete, insert, null, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from authservice import clock
from authservice.database.prepared import Prepared, PreparedRows
from authservice.models import oauth_client, oauth_consent, user, verification

NAMES = ("id", "identifier", "value", "expires_at", "created_at")
PUT = Prepared(insert(verification), *NAMES)
FIND = Prepared(
    select(verification.c.expires_at, verification.c.value).where(
        verification.c.id == bindparam("wanted_id")
    )
)


@pytest.fixture
def writer(database):
    with database.transaction(dry_run=True) as connection:
        yield connection


@pytest.fixture
def row():
    now = clock.now()
    return {"id": "v", "identifier": "i", "value": "x", "expires_at": now, "created_at": now}


def test_values_come_back_as_the_column_types_give_them(writer, row):
    assert PUT.rowcount(writer, row) == 1

    assert FIND.first(writer, {"wanted_id": "v"}) == (row["expires_at"], "x")
    plain = writer.execute(select(verification.c.expires_at, verification.c.value)).one()
    assert FIND.first(writer, {"wanted_id": "v"}) == tuple(plain)


def test_all_rows_come_back_in_their_order(writer, row):
    for name in ("b", "a"):
        PUT.rowcount(writer, row | {"id": name, "value": name.upper()})
    found = select(verification.c.id, verification.c.expires_at).order_by(verification.c.id)

    rows = Prepared(found).all(writer, {})

    assert rows == [("a", row["expires_at"]), ("b", row["expires_at"])]


@dataclass
class Within:
    id: str
    value: str


@dataclass
class Whole:
    expires_at: datetime
    within: Within


def test_a_row_becomes_an_object_and_what_is_left_of_it_one_within(writer, row):
    PUT.rowcount(writer, row)
    columns = verification.c.expires_at, verification.c.id, verification.c.value
    found = PreparedRows(select(*columns), Whole)

    assert found.all(writer, {}) == [Whole(row["expires_at"], Within("v", "x"))]
    assert found.first(writer, {}) == found.all(writer, {})[0]


def test_columns_that_are_not_the_fields_are_refused(subtests):
    columns = verification.c.expires_at, verification.c.id, verification.c.value
    for others in (columns[:2], columns[::-1], (*columns, verification.c.created_at)):
        with subtests.test(others=others), pytest.raises(TypeError, match="Whole has the fields"):
            PreparedRows(select(*others), Whole)


def test_no_row_is_none(writer):
    assert FIND.first(writer, {"wanted_id": "nobody"}) is None


def test_columns_of_one_name_in_two_tables_are_both_answered(writer, row):
    PUT.rowcount(writer, row)
    twice = verification.alias()
    both = Prepared(
        select(verification.c.id, twice.c.id, twice.c.created_at).where(
            verification.c.identifier == twice.c.identifier
        )
    )

    assert both.first(writer, {}) == ("v", "v", row["created_at"])


def test_a_constant_of_the_statement_is_bound_beside_the_parameters(writer, row):
    PUT.rowcount(writer, row)
    change = Prepared(
        update(verification)
        .where(verification.c.id == bindparam("changed"), verification.c.value == "x")
        .values(value="y", updated_at=null())
        .returning(verification.c.value, verification.c.updated_at)
    )

    assert change.first(writer, {"changed": "v"}) == ("y", None)
    assert change.first(writer, {"changed": "v"}) is None


def test_the_number_of_changed_rows_is_told(writer, row):
    PUT.rowcount(writer, row)
    remove = Prepared(delete(verification).where(verification.c.id == bindparam("gone")))

    assert remove.rowcount(writer, {"gone": "v"}) == 1
    assert remove.rowcount(writer, {"gone": "v"}) == 0


def test_a_missing_parameter_is_a_mistake_of_the_caller(writer):
    with pytest.raises(KeyError, match="wanted_id"):
        FIND.first(writer, {})


def test_arrays_are_tuples(writer):
    scopes = Prepared(
        select(oauth_consent.c.scopes.label("scopes")).where(
            oauth_consent.c.id == bindparam("wanted_id")
        )
    )
    now = clock.now()
    writer.execute(insert(oauth_client), {"id": "c", "client_id": "client", "redirect_uris": ()})
    writer.execute(
        insert(oauth_consent),
        {
            "id": "c",
            "client_id": "client",
            "scopes": ("openid", "email"),
            "created_at": now,
            "updated_at": now,
        },
    )

    assert scopes.first(writer, {"wanted_id": "c"}) == (("openid", "email"),)


def test_the_drivers_errors_are_sqlalchemys_without_the_values(writer, row):
    PUT.rowcount(writer, row)

    with pytest.raises(IntegrityError) as caught:
        PUT.rowcount(writer, row | {"value": "hidden"})
    assert "hidden" not in str(caught.value)
    assert "INSERT INTO verification" in str(caught.value)


def test_the_reader_cannot_write_with_one(database, row):
    with pytest.raises(DBAPIError, match=r"read-?only"):
        PUT.rowcount(database.reader, row)


def test_a_connection_that_was_closed_says_so(database):
    connection = database.writer.connect()
    connection.connection.dbapi_connection.close()

    with pytest.raises(DBAPIError, match="closed"):
        Prepared(select(user.c.id)).first(connection, {})
    connection.invalidate()
    connection.close()
