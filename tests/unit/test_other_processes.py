"""Which versions that have the database open a migration excludes, by what they say they are."""

import pytest

from authservice.database import schema
from authservice.database.database import Database
from authservice.database.other_processes import excluded
from authservice.database.postgresql.engines import others_connected
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("postgresql")


def test_a_version_that_the_new_tables_do_not_serve(subtests, empty):
    """The tables of 0016 serve versions since 0014, those of 0013 versions since 0010."""
    for current, target, connected, stays in (
        ("0015", "0016", "authservice 0013", False),
        ("0015", "0016", "authservice 0014", True),
        ("0015", "0016", "authservice 0015", True),
        ("0015", "0016", "authservice", True),
        ("0013", "0016", "authservice 0013", False),
        ("0013", "0016", "authservice", False),
        ("0003", "0004", "authservice", False),
        ("0016", "0016", "authservice 0013", True),
        ("0016", "0013", "authservice 0016", False),
        ("0016", "0013", "authservice", False),
        ("0016", "0015", "authservice 0015", True),
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
