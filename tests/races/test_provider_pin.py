"""Processes that start at the same moment with different providers: one is pinned, for both."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from authservice.database.database import Database
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin

STARTS = 4


def test_all_agree_on_the_one_that_came_first(database, database_url):
    together = Barrier(STARTS)

    def start(number):
        # As a process of its own: nothing is shared but the database.
        opened = Database(database_url)
        together.wait()
        with opened.transaction() as connection:
            wanted = ProviderPin("github", f"https://{number}.example.com")
            found = provider_pin.pin(connection, wanted)
        opened.dispose()
        return found

    with ThreadPoolExecutor(STARTS) as threads:
        found = set(threads.map(start, range(STARTS)))

    assert found == {provider_pin.pinned(database.reader)}
