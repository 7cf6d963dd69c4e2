"""The account of somebody with many sessions and applications."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice.models import user
from authservice.services.people import consents, users
from authservice.services.sessions import sessions
from tests.pages.visit import FIREFOX
from tests.pages.weight import Weight

pytestmark = pytest.mark.engines("sqlite")

SCOPES = ("openid", "profile", "email", "offline_access")


def test_it_is_light(visit, database, register):
    weight = Weight(visit.tab)
    visit.sign_in()
    with database.transaction() as connection:
        user_id = connection.scalar(select(user.c.id))
        for _ in range(25):
            sessions.create(
                connection,
                users.find(connection, user_id),
                timedelta(days=7),
                ip_address="2001:db8:1234:5678:9abc:def0:1234:5678",
                user_agent=FIREFOX,
            )
    for number in range(25):
        client_id = register(f"Reading List of the {number}th Department")
        with database.begin() as transaction:
            consents.grant(transaction, client_id, user_id, SCOPES, ())

    visit.go("/account")

    assert visit.tab.locator(".entries > li").count() == 20
    weight.is_light()
