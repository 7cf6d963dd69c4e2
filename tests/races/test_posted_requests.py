"""Posted requests that replace expired ones: no browser waits for what another one removes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice import clock
from authservice.models import posted_request
from authservice.services.tokens import posted_requests
from tests.helpers.lock_waits import wait_until_blocked


@pytest.mark.engines("postgresql")
def test_who_posts_does_not_wait_for_those_who_remove_expired_ones(database):
    def put(expires_at):
        with database.transaction() as connection:
            return posted_requests.put(connection, "value", expires_at)

    put(clock.now() - timedelta(days=1))

    with ThreadPoolExecutor(1) as other, database.transaction() as connection:
        connection.execute(select(posted_request).with_for_update())
        putting = other.submit(put, clock.now() + timedelta(minutes=10))
        wait_until_blocked(database, putting)

        assert putting.done()

    assert putting.result() is not None
