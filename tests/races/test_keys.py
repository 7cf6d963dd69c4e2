"""Signing keys that several processes find missing or due at the same moment: one set is made."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from authservice.crypto.server_secret import secret_file
from authservice.models import jwks
from authservice.services.keys.key_schedule import PUBLISHED_BEFORE
from authservice.services.keys.signing_keys import READ_AGAIN_AFTER
from tests.helpers.applications import LOCAL
from tests.helpers.published_keys import JWKS

MANY = 40
ROTATION = timedelta(days=90)


@pytest.fixture
def processes(make_processes, engine):
    """Four processes that have built nothing yet, and clocks of their own."""
    return make_processes(engine.local_environ)


@pytest.fixture
def settings(database_url):
    return LOCAL | {"auth.database_url": database_url}


def _stored(database):
    return database.reader.execute(select(jwks)).all()


def _published(processes):
    """Ask for the key set many times at once, and return the answers."""
    answers = processes.send([{"path": JWKS}] * MANY)
    assert {answer["status"] for answer in answers} == {200}
    return [{key["kid"] for key in json.loads(answer["body"])["keys"]} for answer in answers]


def test_processes_that_start_together_after_a_standstill_make_one_set(
    processes, settings, database
):
    processes.build(settings)
    processes.set_clocks_forward(ROTATION * 2)

    processes.build(settings)

    assert len(_stored(database)) == 6


def test_processes_that_find_keys_due_make_one_set(processes, settings, database):
    processes.build(settings)
    before = _published(processes)[0]

    for number in (1, 2):
        processes.set_clocks_forward(ROTATION)
        # Every process makes keys aside, and one of them stores its own.
        _published(processes)
        processes.build(settings)

        assert len(_stored(database)) == 3 + 3 * number
    assert not {row.id for row in _stored(database) if row.expires_at is None} & before


@pytest.mark.usefixtures("clients_of_all_algs")
def test_every_process_publishes_and_signs_with_the_same_keys(processes, settings, database):
    processes.build(settings)
    processes.set_clocks_forward(ROTATION)
    _published(processes)
    processes.set_clocks_forward(PUBLISHED_BEFORE + READ_AGAIN_AFTER)

    answers = processes.send([{"path": JWKS}] * MANY)

    # The one that signs leads its algorithm, so equal documents mean equal signers.
    assert len({answer["body"] for answer in answers}) == 1
    assert len(json.loads(answers[0]["body"])["keys"]) == 6


# Elsewhere no file holds the secret, so that it cannot change under processes that run.
@pytest.mark.engines("sqlite")
def test_processes_that_start_with_a_secret_that_opens_nothing_make_one_set(
    processes, settings, database
):
    processes.build(settings)
    before = _published(processes)[0]
    Path(secret_file(database.url.database)).write_bytes(bytes(range(32)))

    processes.build(settings)

    assert len(_stored(database)) == 6
    assert all(published > before for published in _published(processes))
