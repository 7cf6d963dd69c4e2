"""Many rounds of the same race: four processes meet, send one request each, and all are content.

``test_races.py`` sends a hundred requests at one token; here each round has a token of its own.
Four refreshes of one token all get its one successor, and of four redemptions of one code one
succeeds. Many rounds find what a lucky order of statements hides from a few; ``--all`` runs more.
"""

import json
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_access_token, oauth_refresh_token
from authservice.services.tokens import authorization_codes
from tests.helpers.applications import LOCAL
from tests.helpers.relying_party import TOKEN, RelyingParty
from tests.races.processes import NUMBER

ROUNDS = 120
ROUNDS_OF_ALL = 1000
# Long enough for the slowest machine: no test depends on how fast it is.
GRACE = 300
CODE_LIFETIME = timedelta(hours=1)


@pytest.fixture
def processes(make_processes, engine, database_url):
    """Four processes on the test's database; a commit does not wait for the disk."""
    made = make_processes(engine.local_environ)
    settings = LOCAL | {
        "auth.database_url": database_url,
        "auth.sqlite_synchronous": "NORMAL",
        "lifetimes.refresh_grace": str(GRACE),
    }
    made.build(settings)
    return made


@pytest.fixture
def relying_party(app, database):
    """A client whose ID tokens are cheap to sign."""
    return RelyingParty.registered(app, database, id_token_signed_response_alg="EdDSA")


@pytest.fixture
def rounds(amount):
    return amount(ROUNDS, ROUNDS_OF_ALL)


@pytest.fixture
def codes(browser, relying_party, database, rounds):
    """Codes for all rounds. The first, made through the pages, says what the others are for."""
    first = authorization_codes.find(database.reader, relying_party.sign_in_with(browser))
    with database.transaction() as connection:
        return [
            authorization_codes.issue(connection, first.grant, CODE_LIFETIME) for _ in range(rounds)
        ]


def _race(processes, relying_party, **form):
    """Send the same token request from all processes and return the statuses and the bodies."""
    request = {"path": TOKEN, "form": form, "headers": relying_party.credentials()}
    answers = processes.send([request] * NUMBER)
    statuses = Counter(answer["status"] for answer in answers)
    return statuses, [json.loads(answer["body"]) for answer in answers]


def test_parallel_refreshes_always_get_one_successor(
    processes, relying_party, codes, database, rounds
):
    families = [relying_party.redeem(code).json["refresh_token"] for code in codes[: rounds // 40]]

    for number in range(rounds):
        family = number % len(families)
        statuses, tokens = _race(
            processes,
            relying_party,
            grant_type="refresh_token",
            refresh_token=families[family],
        )
        assert statuses == {200: NUMBER}, number
        (successor,) = {each["refresh_token"] for each in tokens}
        assert successor != families[family]
        assert len({each["access_token"] for each in tokens}) == NUMBER
        families[family] = successor

    rows = database.reader.scalar(select(func.count()).select_from(oauth_refresh_token))
    assert rows == len(families)
    issued = database.reader.scalar(select(func.count()).select_from(oauth_access_token))
    assert issued == rounds * NUMBER + len(families)


def test_parallel_redemptions_always_succeed_once(processes, relying_party, codes):
    for number, code in enumerate(codes):
        statuses, bodies = _race(
            processes,
            relying_party,
            grant_type="authorization_code",
            code=code,
            redirect_uri=relying_party.redirect_uri,
            code_verifier=relying_party.verifier,
        )
        assert statuses == {200: 1, 400: NUMBER - 1}, number
        refused = [body["error"] for body in bodies if "error" in body]
        assert refused == ["invalid_grant"] * (NUMBER - 1)
