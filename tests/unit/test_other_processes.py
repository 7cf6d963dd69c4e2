"""Which versions that have the database open a migration excludes, by what they say they are."""

import pytest

from authservice.database import schema
from authservice.database.database import Database
from authservice.database.other_processes import excluded
from authservice.database.postgresql.engines import others_connected
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("postgresql")


def test_a_version_that_the_new_tables_do_not_serve(subtests, empty):
    """The tables of 1002 serve no version before it."""
    for current, target, connected, stays in (
        ("1001", "1002", "authservice 1001", False),
        ("1001", "1002", "authservice 1002", True),
        ("1001", "1002", "authservice", False),
        ("1002", "1002", "authservice 1001", True),
        ("1002", "1001", "authservice 1001", True),
        ("1002", "1001", "authservice 1002", False),
        ("1002", "1001", "authservice", False),
    ):
        with subtests.test(current=current, target=target, connected=connected):
            schema.migrate(empty, current)
            # As a command has it that has migrated nothing yet.
            empty.dispose()
            named = empty.url.update_query_dict({"application_name": connected})
            other = Database(named.render_as_string(hide_password=False))
            assert other.reader

            # The server notices a moment later that the connections from before have ended.
            until(lambda: len(others_connected(empty.reader)) == 1)
            assert (excluded(empty, target) == []) is stays
            other.dispose()
