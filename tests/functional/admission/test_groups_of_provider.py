"""Groups as the identity provider has them: stored for named organizations, and told from there."""

import pytest
from sqlalchemy import select

from authservice.models import account, user
from tests.helpers.admission import Gate, pin
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

METADATA = "/api/auth/.well-known/openid-configuration"
ACME = ["acme", "acme/on-call", "acme/platform"]


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    everywhere = {"octocat": "active"}
    on_call = {"id": 72, "parent": "platform", "members": everywhere}
    teams = {"platform": {"id": 71}, "on-call": on_call}
    standin.organization("acme", id=7, members=everywhere, teams=teams)
    standin.organization("private", id=8, members=everywhere)
    return Gate(make_app, monkeypatch, standin)


def stored(database):
    return database.reader.execute(select(user.c.username, user.c.groups)).one()


def told(app, database, person):
    """Return the claims of the ID token that a client with groups gets, and userinfo."""
    client = RelyingParty.registered(app, database, groups=True, skip_consent=True)
    client.http = person
    code = client.answer(client.authorize(person, scope="openid profile groups"))["code"]
    tokens = client.redeem(code).json
    return decoded(tokens["id_token"], person)[1], client.userinfo(tokens["access_token"]).json


@pytest.mark.parametrize(
    ("changes", "groups"),
    [
        ({"admission__organizations": "acme"}, ACME),
        ({"admission__organizations": "team:acme/platform"}, ACME),
        ({"claims__groups_from": "ACME"}, ACME),
        ({"claims__groups_from": "elsewhere"}, []),
        (
            {"admission__organizations": "acme", "claims__groups_from": "private"},
            [*ACME, "private"],
        ),
    ],
)
def test_they_are_those_of_organizations_that_the_settings_name(gate, database, changes, groups):
    app = gate.serves(**changes)
    pin(database, {"team:acme/platform": "71"})
    person, _ = gate.come(app)

    assert stored(database) == ("octocat", tuple(groups))
    for claims in told(app, database, person):
        assert (claims["preferred_username"], claims["groups"]) == ("octocat", groups)
    metadata = person.get(METADATA).json
    assert "groups" in metadata["scopes_supported"]
    assert "groups" in metadata["claims_supported"]


def test_nothing_else_is_known_of_a_person_anywhere_in_the_database(gate, database):
    gate.come(gate.serves(admission__organizations="acme"))

    assert database.reader.scalar(select(account.c.memberships)).keys() == {*ACME}


def test_where_no_organization_is_named_there_are_none(gate, database, standin):
    app = gate.serves()
    person, _ = gate.come(app)

    assert stored(database) == ("octocat", None)
    assert "groups" not in person.session()["user"]
    for claims in told(app, database, person):
        assert "groups" not in claims
    metadata = person.get(METADATA).json
    assert "groups" not in metadata["scopes_supported"]
    assert "groups" not in metadata["claims_supported"]
    assert not [each for each in standin.requests() if "orgs" in each["path"]]


def test_siblings_see_those_of_the_organizations_named_for_them(gate):
    named = {"admission__organizations": "acme", "claims__groups_from": "private"}
    person, _ = gate.come(gate.serves(**named))

    seen = person.session()["user"]
    assert (seen["username"], seen["groups"]) == ("octocat", ["private"])
    claims = decoded(person.get("/api/auth/token").json["token"], person)[1]
    assert claims["groups"] == ["private"]


def test_who_signed_in_before_groups_were_asked_for_is_not_known_to_be_in_none(gate):
    person, _ = gate.come(gate.serves())
    person.app = gate.serves(claims__groups_from="acme")

    assert person.session()["user"]["groups"] is None


def test_leaving_a_team_and_another_login_follow_the_next_sign_in(gate, standin, database):
    app = gate.serves(claims__groups_from="acme")
    gate.come(app)
    standin.account("mona", id=583231)
    standin.organization("acme", members={"mona": "active"}, teams={"on-call": {"members": {}}})

    gate.come(app, "mona")

    assert stored(database) == ("mona", ("acme",))


@pytest.mark.attack("ADMISSION-freed-name")
def test_a_strangers_organization_is_not_told_by_a_name_that_it_took(gate, standin, database):
    app = gate.serves(claims__groups_from="acme")
    gate.come(app)
    standin.organization("acme", login="widgets")
    standin.organization("acme-2", login="acme", id=9, members={"hubot": "active"})

    stranger, _ = gate.come(app, "hubot")
    renamed, _ = gate.come(app)

    assert stranger.session()["user"]["groups"] == []
    assert renamed.session()["user"]["groups"] == ACME


@pytest.mark.attack("ADMISSION-freed-name")
def test_a_team_that_was_made_under_a_freed_name_is_told_to_nobody(gate, standin):
    app = gate.serves(claims__groups_from="acme")
    gate.come(app)
    standin.forget("team", "acme/on-call")
    hubot = {"hubot": "active"}
    standin.organization("acme", members=hubot, teams={"on-call": {"id": 79, "members": hubot}})

    newcomer, _ = gate.come(app, "hubot")

    assert newcomer.session()["user"]["groups"] == ["acme"]
