"""A newer version has migrated the database: this one goes on, may start, and can come back."""

import pytest
import requests

from authservice.database.revision import REVISION
from tests.helpers.processes import ROOT
from tests.upgrades.client import Busy, Client
from tests.upgrades.versions import NEXT, Version, newer

MIGRATE = ("authservice", "migrate", "--config", "local.ini")


@pytest.fixture
def this(database):
    return Version(ROOT, database)


@pytest.fixture
def make_newer(tmp_path, database, this):
    def make(works_since):
        (tmp_path / "newer").mkdir()
        folder = newer(tmp_path / "newer", works_since=works_since)
        version = Version(folder, database, in_the_name_of=this)
        assert version.revision == NEXT
        return version

    return make


def test_where_it_says_so_both_serve_and_this_one_may_start(make_newer, this, serve):
    after = make_newer(works_since=REVISION)
    assert this.run(*MIGRATE)[0] == 0
    running = serve(this)
    client = Client(this)
    busy = Busy(client, this, client.redeem(this, client.code(this)))
    busy.start()
    busy.wait_for(5)

    status, output = after.run(*MIGRATE)
    assert status == 0
    assert output.endswith(f"\nThe database is at revision {NEXT}.\n")
    serve(after)
    busy.wait_for(5)
    tokens = busy.end()

    # The new version is taken back: this one starts again, as its image does.
    assert running.stop() == 0
    status, output = this.run(*MIGRATE)
    assert status == 0
    assert output.endswith(f"\nThe database is at revision {NEXT}.\n")
    again = serve(this)
    assert any(f"at revision {NEXT}, of a newer version" in line for line in again.output)
    both = [after, this]
    tokens = client.refresh(this, client.refresh(after, tokens["refresh_token"])["refresh_token"])
    assert [client.session(each) for each in both] == ["local-developer"] * 2
    assert [client.sub(each, tokens["access_token"]) for each in both] == ["local-developer"] * 2
    assert client.redeem(after, client.code(this))["token_type"] == "Bearer"
    assert this.run("authservice", "cleanup")[0] == 0


def test_where_it_does_not_this_one_is_stopped_before(make_newer, this, serve):
    after = make_newer(works_since=NEXT)
    assert this.run(*MIGRATE)[0] == 0
    running = serve(this)
    # It has read from the database by then.
    assert ready(this) == (200, {})

    _, checked = after.run("authservice", "check", "--config", "local.ini")
    status, output = after.run(*MIGRATE)

    sqlite = this.env["AUTH_DATABASE_URL"].startswith("sqlite")
    user = f"process {running.pid} (pserve)" if sqlite else f" of revision {REVISION}"
    assert user in checked.partition("database.in_use_by_older")[2]
    assert status == 1
    assert user in output
    assert f"does not work with the tables of revision {NEXT}; stop it first" in output
    assert ready(this) == (200, {})

    assert after.run(*MIGRATE, "--anyway")[0] == 0
    status, conditions = ready(this)
    assert (status, list(conditions)) == (503, ["database_not_served"])
    assert f"revision {NEXT}." in conditions["database_not_served"]


def ready(version):
    answer = requests.get(f"{version.url}/api/ready", timeout=20)
    return answer.status_code, answer.json()["conditions"]


def test_where_it_does_not_this_one_says_so_and_does_not_start(make_newer, this):
    after = make_newer(works_since=NEXT)
    assert after.run(*MIGRATE)[0] == 0

    status, output = this.run("pserve", "local.ini", f"listen_port={this.port}")

    refusal = f"the database is at revision {NEXT}, which does not serve this version"
    assert status != 0
    assert [refusal in line for line in output.splitlines()] == [True]
    status, output = this.run("authservice", "clients", "list")
    assert (status, output.count("\n"), refusal in output) == (1, 1, True)
    status, output = this.run(*MIGRATE)
    assert status == 1
    assert output.endswith(
        f"\nauthservice: the database is at revision {NEXT}, of a newer version of the service than"
        f" this one, made for {REVISION}; use that version's command\n"
    )


def test_the_newer_version_can_take_its_migration_back(make_newer, this, serve):
    after = make_newer(works_since=NEXT)
    assert after.run(*MIGRATE)[0] == 0

    status, output = after.run(*MIGRATE, "--revision", REVISION, "--yes")
    assert status == 0
    assert output.endswith(f"\nThe database is at revision {REVISION}.\n")

    served = serve(this)
    assert not any("newer version" in line for line in served.output)
    client = Client(this)
    assert client.redeem(this, client.code(this))["token_type"] == "Bearer"


def test_a_revision_that_there_is_not_is_refused(this):
    status, output = this.run(*MIGRATE, "--revision", "head")

    assert status == 1
    assert output.startswith("authservice: --revision must be one of 1001, 1002, 1003")
    assert output.count("\n") == 1
