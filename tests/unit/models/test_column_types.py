"""How values look in the database, whichever it is."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import StatementError

from authservice.models import oauth_client, user
from authservice.models.column_types import EpochMillis, IntegerBoolean, JSONText

MOMENT = datetime(2026, 2, 3, 4, 5, 6, 789000, tzinfo=UTC)


def test_a_date_is_stored_as_milliseconds_and_comes_back_in_utc(subtests):
    for moment, stored in (
        (datetime(1970, 1, 1, tzinfo=UTC), 0),
        (MOMENT, 1770091506789),
        (MOMENT.astimezone(timezone(timedelta(hours=9))), 1770091506789),
        (datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=UTC), -1),
        (datetime(2200, 1, 1, tzinfo=UTC), 7258118400000),
        (None, None),
    ):
        with subtests.test(moment=moment, stored=stored):
            column = EpochMillis()

            assert column.bind_processor(None)(moment) == stored
            assert column.result_processor(None, None)(stored) == moment
            if moment is not None:
                assert column.result_processor(None, None)(stored).tzinfo is UTC


@pytest.mark.parametrize(("value", "stored"), [(True, 1), (False, 0), (None, None)])
def test_a_truth_value_is_stored_as_an_integer(value, stored):
    column = IntegerBoolean()

    assert column.bind_processor(None)(value) is stored or stored == int(value)
    assert type(column.bind_processor(None)(value)) is type(stored)
    assert column.result_processor(None, None)(stored) is value


def test_arrays_and_objects_are_stored_as_compact_json(subtests):
    for value, stored, back in (
        (("a", "b"), '["a","b"]', ("a", "b")),
        (["a"], '["a"]', ("a",)),
        ((), "[]", ()),
        ({"a": 1}, '{"a":1}', {"a": 1}),
        (None, None, None),
    ):
        with subtests.test(value=value, stored=stored, back=back):
            column = JSONText()

            assert column.bind_processor(None)(value) == stored
            assert column.result_processor(None, None)(stored) == back


def _user(**changes):
    row = {
        "id": "u",
        "name": "N",
        "email": "n@example.com",
        "email_verified": True,
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }
    return row | changes


def test_rows_hold_plain_integers_and_text(database):
    with database.transaction() as connection:
        connection.execute(insert(user), _user())
        connection.execute(
            insert(oauth_client),
            {
                "id": "c",
                "client_id": "c",
                "redirect_uris": ("https://a.example/",),
                "public": False,
            },
        )
    user_row = text('SELECT created_at, email_verified FROM "user"')
    client_row = text("SELECT redirect_uris, public, metadata FROM oauth_client")

    assert database.reader.execute(user_row).one() == (1770091506789, 1)
    assert database.reader.execute(client_row).one() == ('["https://a.example/"]', 0, None)
    assert database.reader.execute(select(user)).one().created_at == MOMENT
    assert database.reader.execute(select(oauth_client)).one().redirect_uris == (
        "https://a.example/",
    )


def test_a_naive_date_never_reaches_the_database(database):
    with pytest.raises(StatementError, match="time zone"), database.transaction() as connection:
        connection.execute(insert(user), _user(created_at=MOMENT.replace(tzinfo=None)))
