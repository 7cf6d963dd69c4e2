"""Consents that one person gives in two tabs at once, for one client: each is remembered."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from authservice.models import oauth_consent
from authservice.services.people import consents
from tests.helpers.lock_waits import wait_until_blocked


@pytest.mark.engines("postgresql")
def test_what_is_allowed_in_two_tabs_at_once_is_all_remembered(story):
    database, whose = story.database, (story.client.client_id, story.session["user"]["id"])

    def allow(transaction, scope):
        consents.grant(transaction, *whose, [scope], resources=[f"https://{scope}.example"])

    def allow_in_another_tab():
        with database.begin() as transaction:
            allow(transaction, "second")

    before = consents.find(database.reader, *whose)
    with ThreadPoolExecutor(1) as other:
        with database.begin() as transaction:
            # As when this one has just read what was allowed before.
            held = select(oauth_consent).where(oauth_consent.c.id == before.id).with_for_update()
            transaction.connection.execute(held)
            allowing = other.submit(allow_in_another_tab)
            wait_until_blocked(database, allowing)
            allow(transaction, "first")
        allowing.result()

    stored = consents.find(database.reader, *whose)
    assert stored.scopes == (*before.scopes, "first", "second")
    assert stored.resources == ("https://first.example", "https://second.example")
