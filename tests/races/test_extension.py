"""A session that is extended while a sign-in renews it: it keeps the life that the sign-in gave.

Held in the middle on PostgreSQL, where the two run side by side.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from authservice.services.sessions import sessions
from tests.helpers.lock_waits import wait_until_blocked

WEEK = timedelta(days=7)
DEVICE = {"ip_address": None, "user_agent": None}


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("path", ["get-session", "token"])
def test_an_extension_that_waits_for_a_renewal_neither_shortens_it_nor_sets_old_cookies(
    browser, database, turnable_clock, path
):
    browser.sign_in()
    token = browser.cookies["authservice.session_token"].rpartition(".")[0]
    before = sessions.find(database.reader, token)
    turnable_clock.advance(days=6, hours=23)

    with ThreadPoolExecutor(1) as other:
        with database.transaction() as connection:
            renewed, _ = sessions.renew(connection, before, token, WEEK, **DEVICE)
            reading = other.submit(browser.get, f"/api/auth/{path}")
            wait_until_blocked(database, reading)
        answer = reading.result()

    assert answer.status_int == 200
    assert "Set-Cookie" not in answer.headers
    assert sessions.find_by_id(database.reader, before.id) == renewed
