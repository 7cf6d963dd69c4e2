"""The named values that all processes of local mode share."""

import pytest

from authservice.local_mode import stored_values
from authservice.services.tokens import verifications
from authservice.services.upkeep.local_mark import FOREVER


def test_those_of_a_kind_are_read_together(database):
    with database.transaction() as connection:
        stored_values.write(connection, "b", {"is": "one"}, kind="thing")
        stored_values.write(connection, "a", 1, kind="thing")
        stored_values.write(connection, "a", 2, kind="other")
        stored_values.write(connection, "thing", 3)
        stored_values.write(connection, "b", 4, kind="thing")

    assert [*stored_values.of_kind(database.reader, "thing")] == [("a", 1), ("b", 4)]
    assert stored_values.read(database.reader, "thing") == 3


@pytest.mark.engines("sqlite")
def test_what_sign_ins_leave_behind_is_not_read_with_them(database):
    with database.transaction() as connection:
        for number in range(5000):
            verifications.put(connection, f"sign-in:{number}", "", FOREVER)
    steps = []
    raw = database.reader.connection.dbapi_connection
    raw.set_progress_handler(lambda: steps.append(1), 10)

    assert [*stored_values.of_kind(database.reader, "thing")] == []

    raw.set_progress_handler(None, 0)
    # Some hundreds of SQLite's own steps, not some for each row.
    assert len(steps) < 100
