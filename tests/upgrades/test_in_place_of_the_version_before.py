"""This version takes the place of the one before: beside it, or once it has stopped.

The migration says which. What people and clients had goes on either way, and back again.
"""

import pytest

from authservice.database.revision import REVISION
from authservice.database.unreleased import is_unreleased
from tests.helpers.processes import ROOT
from tests.upgrades.client import Busy, Client
from tests.upgrades.versions import Version, older, works_since

MIGRATE = ("authservice", "migrate", "--config", "local.ini")


@pytest.fixture
def before(tmp_path, database):
    (tmp_path / "older").mkdir()
    version = Version(older(tmp_path / "older"), database)
    assert version.run(*MIGRATE)[0] == 0
    return version


@pytest.fixture
def this(before, database):
    version = Version(ROOT, database, in_the_name_of=before)
    assert before.revision < version.revision == REVISION
    return version


def replace(before, this):
    """Let this version answer where the one before did, which has stopped."""
    this.port, this.url = before.port, before.url


def migrate(version, *arguments):
    status, output = version.run(*MIGRATE, *arguments)
    assert status == 0, output
    return output.splitlines()[-1]


def use(client, services, tokens):
    """Refresh at one service after the other, redeem a code, and return the newest tokens."""
    for each in services:
        tokens = client.refresh(each, tokens["refresh_token"])
        assert [client.sub(other, tokens["access_token"]) for other in services] == [
            "local-developer"
        ] * len(services)
        assert client.redeem(services[0], client.code(each))["token_type"] == "Bearer"
    assert [client.session(each) for each in services] == ["local-developer"] * len(services)
    return tokens


def test_all_that_people_and_clients_have_goes_on(before, this, serve):
    beside = works_since(REVISION) <= before.revision
    running = serve(before)
    client = Client(before)
    busy = Busy(client, before, client.redeem(before, client.code(before)))
    spent = client.code(before)
    client.redeem(before, spent)
    busy.start()
    busy.wait_for(5)
    if not beside:
        tokens = busy.end()
        assert running.stop() == 0
        replace(before, this)

    assert migrate(this) == f"The database is at revision {REVISION}."
    if beside:
        busy.wait_for(5)
    serve(this)
    if beside:
        busy.wait_for(5)
        tokens = busy.end()
        tokens = use(client, [before, this], tokens)
        tokens = use(client, [this, before], tokens)
    else:
        status, output = before.run("pserve", "local.ini", f"listen_port={before.port}")
        assert status != 0
        assert "which does not serve this version" in output
        use(client, [this], tokens)
    # What is remembered of a code outlives it by far.
    assert client.refused(this, spent) == (400, "invalid_grant")


def test_the_migration_can_be_taken_back_with_all_that_they_have_by_then(before, this, serve):
    if is_unreleased(before.revision):
        # To what was never released there is no way back.
        status, output = this.run(*MIGRATE, "--revision", before.revision)
        assert (status, output) == (1, "authservice: --revision must be one of 1001, 1002, 1003\n")
        return
    migrate(this)
    replace(before, this)
    running = serve(this)
    client = Client(this)
    tokens = use(client, [this], client.redeem(this, client.code(this)))
    assert running.stop() == 0

    back = migrate(this, "--revision", before.revision, "--yes")

    assert back == f"The database is at revision {before.revision}."
    serve(before)
    assert client.sub(before, tokens["access_token"]) == "local-developer"
    use(client, [before], tokens)
