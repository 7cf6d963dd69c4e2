"""This version takes the place of the one before, which goes on serving meanwhile."""

from authservice.schema import REVISION
from tests.processes import ROOT
from tests.upgrades.client import Busy, Client
from tests.upgrades.versions import Version, older


def test_both_answer_the_same_people_and_clients(tmp_path, database, serve):
    (tmp_path / "older").mkdir()
    before = Version(older(tmp_path / "older"), database)
    this = Version(ROOT, database, in_the_name_of=before)
    assert before.revision < this.revision == REVISION
    assert before.run("authservice", "migrate", "--config", "local.ini")[0] == 0
    serve(before)
    client = Client(before)
    busy = Busy(client, before, client.redeem(before, client.code(before)))
    busy.start()
    busy.wait_for(5)

    status, output = this.run("authservice", "migrate", "--config", "local.ini")
    assert status == 0
    assert output.endswith(f"\nThe database is at revision {REVISION}.\n")
    busy.wait_for(5)
    serve(this)
    busy.wait_for(5)
    tokens = busy.end()

    both = [before, this]
    assert [client.session(each) for each in both] == ["local-developer"] * 2
    for one, other in (both, reversed(both)):
        tokens = client.refresh(
            other, client.refresh(one, tokens["refresh_token"])["refresh_token"]
        )
        assert [client.sub(each, tokens["access_token"]) for each in both] == [
            "local-developer"
        ] * 2
        assert client.redeem(other, client.code(one))["token_type"] == "Bearer"
