"""A newer version has migrated the database: this one goes on, may start, and can come back."""

import pytest

from authservice.database.schema import REVISION
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
    assert output.startswith("authservice: --revision must be one of 0001, 0002, ")
    assert output.count("\n") == 1
