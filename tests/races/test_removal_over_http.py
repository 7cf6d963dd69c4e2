"""Sign-ins through four processes while the account is removed: none that began before it stays."""

import random
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from sqlalchemy import delete, select

from authservice import clock
from authservice.models import account, removed_account, session, user
from authservice.services.revocation import removal
from tests.helpers.production import production_app
from tests.races.processes import NUMBER
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI, changed

pytestmark = pytest.mark.engines("sqlite", "postgresql")

ROUNDS = 12
MONA = "583231"
RULES = {"admission.organizations": "acme"}


@pytest.fixture
def app(make_app, monkeypatch, standin):
    standin.organization("acme", id=7, members={"octocat": "active"})
    return production_app(make_app, monkeypatch, **standin.ini, **RULES)


@pytest.fixture
def processes(app, make_processes, database_url, standin):
    made = make_processes(changed(PRODUCTION_ENVIRON, {"ADMISSION_EVERYONE": None}))
    made.build(PRODUCTION_INI | standin.ini | RULES | {"auth.database_url": database_url})
    return made


def remove(database, seconds):
    """Remove the account after a while; return the moment."""
    sleep(seconds)
    with database.begin() as transaction:
        at = clock.now()
        removal.remove(transaction, MONA, at, provider_id="github")
    return at


def forget(database):
    """Let nobody know the person, half of the times."""
    with database.transaction() as connection:
        connection.execute(delete(removed_account))
        if random.random() < 0.5:
            connection.execute(delete(user))


def test_no_session_stays_whose_sign_in_began_before_the_removal(
    processes, return_from_provider, database
):
    refused = 0
    for number in range(ROUNDS):
        forget(database)
        arrivals = [return_from_provider("octocat") for _ in range(NUMBER)]
        with ThreadPoolExecutor(1) as other:
            removing = other.submit(remove, database, random.uniform(0, 0.1))
            answers = processes.send(arrivals)
            at = removing.result()

        assert {each["status"] for each in answers} <= {303, 400}, answers
        found = database.reader.execute(
            select(session.c.created_at, user.c.admitted_at)
            .join(user, user.c.id == session.c.user_id)
            .join(account, account.c.user_id == user.c.id)
        ).all()
        for created_at, admitted_at in found:
            assert admitted_at > at, number
            assert created_at > at, number
        refused += NUMBER - len(found)
    assert refused
