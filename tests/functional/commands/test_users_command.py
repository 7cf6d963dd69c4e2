"""``authservice users``: who there is, what is kept of one, and that nothing is left of one."""

import json
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import func, select, update

from authservice import clock
from authservice.cli import main as authservice
from authservice.crypto.secret_values import digest
from authservice.events import SignedOut, UserDeleted, UserExported
from authservice.models import metadata, oauth_client, user
from authservice.services.people import users
from authservice.services.revocation import removal, user_administration
from tests.helpers.control import Control
from tests.helpers.expired import notices
from tests.helpers.profiles import profile

pytestmark = pytest.mark.usefixtures("found_by_commands")

USER = "local-developer"
ADDRESS = "local-developer@localhost.localdomain"


@pytest.fixture
def run(printed):
    return partial(printed, authservice, "users")


@pytest.fixture
def client(told_client, by_hand):
    return told_client


@pytest.fixture
def tokens(browser, client):
    """The tokens of a user of whom there is a row of every kind."""
    found = client.redeem(client.sign_in_with(browser)).json
    client.sign_in_with(browser)
    return found


@pytest.fixture
def other(database):
    with database.transaction() as connection:
        return users.from_profile(connection, profile("other", provider_id="local"))[0].id


def rows_about(database, value):
    """Return the tables in which a value stands somewhere."""
    return sorted(
        name
        for name, table in metadata.tables.items()
        if value in str(database.reader.execute(select(table)).all())
    )


def test_no_users_are_listed_as_nothing(run):
    assert run("list").out == ""
    assert json.loads(run("list", "--json").out) == []


def test_the_list_has_a_line_for_each_user_oldest_first(run, tokens, other):
    lines = run("list").out.splitlines()
    in_json = json.loads(run("list", "--json").out)

    assert lines == [f"{USER}  {ADDRESS}  Local Developer", f"{other}  ada@example.com  Ada"]
    assert [each["id"] for each in in_json] == [USER, other]
    assert in_json[1]["email_verified"] is True


@pytest.mark.parametrize("named", [USER, ADDRESS, ADDRESS.upper()])
def test_an_export_holds_everything_of_a_user_and_nothing_that_opens_anything(
    run, tokens, other, client, named
):
    output = run("export", named, "--json").out

    found = json.loads(output)
    assert found["user"]["email"] == ADDRESS
    assert found["accounts"][0]["user_id"] == USER
    assert found["sessions"][0]["ip_address"] == "127.0.0.1"
    assert found["session_participants"][0]["client_id"] == client.client_id
    assert found["consents"][0]["scopes"] == ["openid", "profile", "email", "offline_access"]
    assert len(found["authorization_codes"]) == 2
    assert len(found["access_tokens"]) == len(found["refresh_tokens"]) == 1
    assert found["user"]["created_at"].endswith("Z")
    assert '"token"' not in output
    assert tokens["refresh_token"][:32] not in output
    assert digest(tokens["access_token"]) not in output
    assert found["access_tokens"][0]["client_id"] == client.client_id
    assert other not in output


def test_username_and_groups_are_listed_and_exported(run, app):
    control = Control(app)
    control.put("persons/anna", {"username": "anna-a", "groups": ["staff", "admins"]})
    control.post("sessions", {"person": "anna"})

    (listed,) = json.loads(run("list", "--json").out)
    exported = json.loads(run("export", "anna", "--json").out)["user"]

    for found in (listed, exported):
        assert (found["username"], found["groups"]) == ("anna-a", ["admins", "staff"])


def test_what_is_known_of_an_admission_is_exported(run, app, tokens, database):
    with database.begin() as transaction:
        at = clock.now()
        admitted = update(user).where(user.c.id == USER)
        transaction.connection.execute(admitted.values(admitted_at=at, admitted_by="id:1"))
        removal.remove(transaction, "another", at, provider_id="other")
        removal.remove(transaction, USER, at - timedelta(hours=1), provider_id=USER)

    exported = json.loads(run("export", USER, "--json").out)

    assert exported["user"]["admitted_by"] == "id:1"
    assert exported["user"]["admitted_at"].endswith("Z")
    assert [each["id"] for each in exported["removed_accounts"]] == [USER]


def test_an_export_is_accounted_for(run, tokens, happened):
    run("export", USER)

    assert happened() == [UserExported(sub=USER)]


@pytest.mark.attack("FAILURES-9")
def test_deleting_leaves_nothing_of_a_user_but_notices_for_their_clients(
    run, tokens, browser, client, database, happened, caplog
):
    code = client.sign_in_with(browser)
    sid = browser.session()["session"]["id"]
    caplog.clear()

    output = run("delete", USER)

    assert output.err == f"Deleted {USER}.\n"
    assert output.out.splitlines() == [
        "accounts: 1",
        "sessions: 1",
        "session participants: 1",
        "consents: 1",
        "authorization codes: 3",
        "access tokens: 1",
        "refresh tokens: 1",
        "logout notices: 0",
    ]
    assert rows_about(database, USER) == ["logout_notice"]
    assert rows_about(database, ADDRESS) == []
    assert notices(database) == [(sid, client.client_id)]
    assert happened() == [SignedOut(sub=USER, sid=sid), UserDeleted(sub=USER)]
    assert browser.session() is None
    assert client.userinfo(tokens["access_token"]).status_int == 401
    assert client.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert client.redeem(code).json["error"] == "invalid_grant"
    assert database.reader.scalar(select(func.count()).select_from(oauth_client)) == 1


def test_who_comes_again_begins_anew(run, tokens, browser, client):
    run("delete", USER)

    browser.sign_in()

    assert browser.session()["user"]["email"] == ADDRESS
    assert "/consent?" in client.authorize(browser).location


def test_other_people_keep_what_is_theirs(run, tokens, other, database):
    run("delete", "ada@example.com")

    assert json.loads(run("list", "--json").out)[0]["id"] == USER
    assert rows_about(database, other) == []
    assert len(user_administration.everything_about(database.reader, USER)["sessions"]) == 1


def test_a_dry_run_deletes_nobody(run, tokens, browser, database, caplog):
    caplog.set_level("INFO", "authservice.events")

    output = run("delete", USER, "--dry-run", "--json")

    assert output.err == "Everything is in order; nothing was written.\n"
    assert json.loads(output.out)["sessions"] == 1
    assert database.reader.scalar(select(func.count()).select_from(user)) == 1
    assert browser.session() is not None
    assert "user_deleted" not in caplog.text


@pytest.mark.parametrize("command", ["export", "delete"])
def test_somebody_who_is_not_there_is_said_so(run, database, command):
    with pytest.raises(SystemExit, match="there is no user of that id or e-mail address"):
        run(command, "nobody@example.com")


def test_no_table_of_people_is_forgotten():
    of_people = {name for name, table in metadata.tables.items() if "user_id" in table.c}
    conditions = [str(each.whereclause) for each in user_administration._hanging("x").values()]
    known = {name for name in of_people if any(f"{name}.user_id =" in each for each in conditions)}

    # Clients belong to no user once they are registered.
    assert of_people - known == {"oauth_client"}
