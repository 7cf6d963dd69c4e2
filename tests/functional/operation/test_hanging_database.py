"""A PostgreSQL that hangs: requests that need it are told to come again, and the rest goes on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from authservice.database.postgresql.engines import REPLY_SECONDS
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("postgresql")


def test_a_request_is_answered_and_the_next_ones_too(browser, postgresql):
    def session():
        return browser.get("/api/auth/get-session", expect_errors=True)

    with ThreadPoolExecutor(1) as thread:
        # It has a connection, which the server keeps.
        thread.submit(browser.sign_in).result()
        with postgresql.hanging():
            hanging = thread.submit(session).result(10 * REPLY_SECONDS)
            assert browser.get("/api/health").status_int == 200
            ready = thread.submit(browser.get, "/api/ready", expect_errors=True)
            unavailable = ready.result(10 * REPLY_SECONDS)
        # One thread at a time finds out that the server is back, perhaps one of the background.
        until(lambda: browser.get("/api/ready", expect_errors=True).status_int == 200)
        again = thread.submit(session).result()

    assert (hanging.status_int, hanging.headers["Retry-After"]) == (503, "5")
    assert unavailable.json["status"] == "unavailable"
    assert again.status_int == 200, again.text
    assert again.json["user"]["id"] == "local-developer"
