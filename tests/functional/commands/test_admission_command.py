"""``authservice admission``: pins are renewed on purpose, and the rules say what they would do."""

import io
import json
import sys

import pytest
from sqlalchemy import select, update

from authservice import clock
from authservice.cli import main as authservice
from authservice.models import user
from authservice.services.admission import pins
from authservice.services.admission.decision import SENTENCES, Pin, Why
from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.people import users
from authservice.services.people.memberships import Group, Memberships
from tests.helpers import github_app
from tests.helpers.admission import pin
from tests.helpers.profiles import profile
from tests.unit.services.admission.people import person
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI, changed

OCTOCAT = "583231"
PLATFORM = "team:acme/platform"


@pytest.fixture
def admitting(printed, standin, tmp_path, monkeypatch):
    """Have a production with these rules, and return how its command is run."""
    # What an engine needs in local mode, production refuses.
    monkeypatch.delenv("AUTH_LOCAL_CONTROL_TOKEN", raising=False)
    for name, value in changed(PRODUCTION_ENVIRON, {"ADMISSION_EVERYONE": None}).items():
        monkeypatch.setenv(name, value)
    standin.organization("Acme", id=7, members={"octocat": "active"})
    ini = PRODUCTION_INI | standin.ini

    def admitting(*, trust_emails="true", **settings):
        ini["provider.trust_emails"] = trust_emails
        text = "".join(f"{name} = {value}\n" for name, value in ini.items())
        text += "".join(f"admission.{name} = {value}\n" for name, value in settings.items())
        file = tmp_path / "own.ini"
        file.write_text(f"[app:main]\n{text}", encoding="utf-8")

        def run(command, *arguments):
            return printed(authservice, "admission", command, *arguments, "--config", str(file))

        return run

    return admitting


@pytest.fixture
def has(database):
    """Let a name have a number, and be shown with another one where there is one."""

    def has(entry, number, other=None):
        pin(database, {entry: number})
        if other is not None:
            with database.transaction() as connection:
                kind, _, name = entry.partition(":")
                groups = {"organizations" if kind == "org" else "teams": {name: other}}
                who = person(other, name) if kind == "user" else person(**groups)
                pins.mark(connection, who)

    return has


@pytest.fixture
def app(standin, monkeypatch):
    """A GitHub App, which is installed in the organization."""
    for name, value in github_app.environ().items():
        monkeypatch.setenv(name, value)
    github_app.register(standin)
    standin.organization("Acme", installation=70, teams={"platform": {"id": 701}})


@pytest.fixture
def octocat(database):
    """A person who has signed in, whom members of a team are."""
    groups = Memberships((Group("acme", "7"),), (Group("acme/platform", "700"),))
    theirs = profile(OCTOCAT, "The Octocat", username="octocat", memberships=groups)
    with database.transaction() as connection:
        found, _ = users.from_profile(connection, theirs)
        connection.execute(update(user).values(admitted_at=clock.now(), admitted_by="org:acme"))
    return found.id


def client_for(database, *entries):
    metadata = ClientMetadata(name="App", redirect_uris=["https://a.example/cb"], allow=entries)
    with database.begin() as transaction:
        client_registration.register(transaction, metadata)


def stored(database):
    return pins.all_pins(database.reader)


def is_admitted(database):
    return database.reader.scalar(select(user.c.admitted_at)) is not None


def answering(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


# pin


def test_names_without_a_number_are_given_the_one_they_have_now(admitting, database):
    client_for(database, "user:hubot", "id:1")
    run = admitting(organizations="acme acme/platform", users="user:OctoCat id:1")

    printed = run("pin")

    assert stored(database) == {
        "org:acme": Pin("7"),
        "user:hubot": Pin("480938"),
        "user:octocat": Pin(OCTOCAT),
    }
    why = "the provider shows its number to members only"
    assert printed.out.splitlines() == [
        "org:acme means 7",
        f"{PLATFORM} admits nobody: {why}; authservice admission pin {PLATFORM} --number NUMBER",
        f"user:octocat means {OCTOCAT}",
        "user:hubot means 480938",
    ]


def test_a_name_that_another_one_has_now_is_renewed_on_request(
    admitting, database, has, octocat, monkeypatch
):
    run = admitting(organizations="acme")
    has("org:acme", "6", "7")
    assert stored(database) == {"org:acme": Pin("6", "7")}

    answering(monkeypatch, "no\n")
    with pytest.raises(SystemExit, match="nothing was written"):
        run("pin", "org:acme")
    assert stored(database) == {"org:acme": Pin("6", "7")}
    run("pin", "org:acme", "--dry-run")
    assert stored(database) == {"org:acme": Pin("6", "7")}

    answering(monkeypatch, "yes\n")
    printed = run("pin", "org:acme")

    assert printed.out == "org:acme means 7, and no longer 6\n"
    assert "Make sure that these names are the ones you mean" in printed.err
    assert stored(database) == {"org:acme": Pin("7")}
    assert not is_admitted(database)


def test_a_name_that_has_its_number_is_left_alone(admitting, database, has, octocat):
    has("org:acme", "7")

    printed = admitting(organizations="acme")("pin", "--json")

    assert json.loads(printed.out) == [
        {"rule": "org:acme", "former_number": "7", "number": "7", "changed": False}
    ]
    assert is_admitted(database)


def test_a_number_that_the_provider_does_not_show_is_named(admitting, database, has):
    run = admitting(organizations="acme/platform acme/infra acme/new")
    has("org:acme", "7")
    has("team:acme/platform", "700")
    has("team:acme/infra", "800", "801")
    before = stored(database)

    lines = run("pin", "--yes").out.splitlines()
    assert lines[0] == "team:acme/platform means 700"
    assert all("admits nobody" in line for line in lines[1:3])
    with pytest.raises(SystemExit, match=r"pin team:acme/infra --number NUMBER; nothing was"):
        run("pin", "org:acme", "team:acme/infra")
    assert stored(database) == before

    printed = run("pin", "team:acme/infra", "--number", "801", "--yes")
    run("pin", "team:acme/new", "--number", "900")

    assert printed.out == "team:acme/infra means 801, and no longer 800\n"
    assert stored(database) == before | {
        "team:acme/infra": Pin("801"),
        "team:acme/new": Pin("900"),
    }


@pytest.mark.usefixtures("app")
def test_an_app_says_the_number_of_a_team(admitting, database, standin, has):
    run = admitting(organizations="acme/platform acme/gone")
    has("org:acme", "7")
    has("team:acme/platform", "700", "701")
    standin.organization("Acme", login="acme-labs")

    with pytest.raises(SystemExit, match="team:acme/gone: nobody has that name"):
        run("pin", "team:acme/gone")
    run("pin", "team:acme/platform", "--yes")
    assert stored(database)["team:acme/platform"] == Pin("701")

    standin.organization("Acme", installation=None)
    with pytest.raises(SystemExit, match=r"cannot read the organization \(not_installed\)"):
        run("pin", "team:acme/platform")


def test_a_name_that_nobody_has_is_not_pinned(admitting, database):
    run = admitting(organizations="acme", users="user:nobody-has-this")

    with pytest.raises(SystemExit, match="user:nobody-has-this: nobody has that name"):
        run("pin")
    # The name of an organization is no account.
    with pytest.raises(SystemExit, match="nobody has that name"):
        run("pin", "user:acme")
    assert stored(database) == {}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("acme", "must begin with one of org:"),
        ("org:a b", "must be org:NAME"),
        ("id:5", "has no name that could change its number"),
        ("domain:example.com", "has no name that could change its number"),
        ("org:acme org:beta --number 7", "--number is that of one RULE"),
        ("--number 7", "--number is that of one RULE"),
        ("org:acme --number x7", "--number 'x7' must be a number of the identity provider"),
        ("org:acme --number 7 --number 8", "--number is given twice"),
    ],
)
def test_what_has_no_number_to_renew_is_refused(admitting, capsys, entry, words):
    arguments = [entry] if entry == "org:a b" else entry.split()
    with pytest.raises(SystemExit) as ended:
        admitting(organizations="acme")("pin", *arguments)

    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_credentials_that_do_not_hold_are_said_and_not_shown(admitting, monkeypatch):
    monkeypatch.setenv("PROVIDER_CLIENT_SECRET", "an-0ther-secret")

    with pytest.raises(SystemExit, match="does not accept our client id") as ended:
        admitting(organizations="acme")("pin")
    assert "an-0ther-secret" not in str(ended.value)


@pytest.mark.parametrize("command", [["pin"], ["test", "octocat"]])
def test_an_outage_of_the_provider_is_said(admitting, standin, command):
    run = admitting(organizations="acme", users="user:octocat")
    for path in ("/api/orgs/acme", "/api/users/octocat"):
        standin.fault(path, "502")

    with pytest.raises(SystemExit, match=r"the identity provider does not say: .*502"):
        run(*command)


# test


def test_each_rule_says_what_it_would_do(admitting, has):
    has("org:acme", "7")
    has("team:acme/platform", "700")
    has("user:octocat", OCTOCAT)
    has("user:gone", "1", "2")
    run = admitting(
        organizations="acme acme/platform beta",
        users=f"user:octocat user:gone id:{OCTOCAT} id:1",
        email_domains="observatory-lab.org",
    )

    lines = run("test", "OctoCat").out.splitlines()

    unknown = "unknown: only a sign-in shows membership; has never signed in"
    assert lines == [
        f"octocat is account {OCTOCAT}.",
        f"org:acme: {unknown}",
        f"team:acme/platform: {unknown}",
        f"org:beta: does not: {SENTENCES[Why.NAME_UNRESOLVED]}",
        "user:octocat: lets in: it is this account",
        f"user:gone: does not: {SENTENCES[Why.NAME_REASSIGNED]}",
        f"id:{OCTOCAT}: lets in: it is this account",
        "id:1: does not: it is another account",
        "domain:observatory-lab.org: unknown: only a sign-in shows the address",
        "It may sign in.",
    ]


def test_a_public_member_is_one(admitting, standin, has):
    standin.organization("Acme", public_members=["octocat"])
    run = admitting(organizations="acme")
    has("org:acme", "7")

    assert "org:acme: lets in: a public member" in run("test", "octocat").out
    # Of the organization that has the name now, which is not the one that was meant.
    standin.organization("Acme", id=8)
    assert (
        "org:acme: does not: the name belongs to another number now" in run("test", "octocat").out
    )


def test_what_the_last_sign_in_showed_is_told(admitting, octocat, has):
    has("org:acme", "7")
    has("team:acme/other", "702")
    run = admitting(organizations="acme acme/other")

    lines = run("test", "octocat").out.splitlines()

    assert lines[1].endswith("at the last sign-in: a member")
    assert lines[2].endswith("at the last sign-in: no member")
    assert lines[3].startswith(f"It is user {octocat}, admitted by org:acme at ")
    assert lines[4] == "Only a sign-in can tell whether it may."


@pytest.mark.usefixtures("app")
def test_an_app_sees_every_membership(admitting, has):
    run = admitting(organizations="acme")
    has("org:acme", "7")

    assert "org:acme: lets in: a member" in run("test", "octocat").out
    assert "org:acme: does not: not an active member" in run("test", "hubot").out


def test_it_is_told_in_json_too(admitting, octocat, database):
    with database.transaction() as connection:
        connection.execute(update(user).values(admitted_at=None))

    found = json.loads(admitting(users="id:1")("test", "octocat", "--json").out)

    assert found == {
        "login": "octocat",
        "account_id": OCTOCAT,
        "conclusion": "does not",
        "rules": [{"rule": "id:1", "says": "does not", "why": "it is another account"}],
        "user_id": octocat,
        "admitted_by": "org:acme",
        "admitted_at": None,
    }


def test_addresses_of_a_provider_that_is_not_trusted_let_nobody_in(admitting):
    run = admitting(email_domains="observatory-lab.org", trust_emails="false")

    assert "does not: addresses of this provider do not count" in run("test", "octocat").out


def test_where_everyone_may_sign_in_an_account_may(admitting):
    assert "everyone: lets in" in admitting(everyone="true")("test", "octocat").out


def test_an_account_that_is_not_there_is_said_so(admitting):
    with pytest.raises(SystemExit, match="there is no account nobody-has-this"):
        admitting(users="id:1")("test", "nobody-has-this")


def test_nothing_is_stored_by_a_test(admitting, database):
    admitting(organizations="acme", users="user:octocat")("test", "octocat")

    assert stored(database) == {}


@pytest.mark.parametrize("command", [["pin"], ["test", "octocat"]])
def test_local_mode_has_no_provider_to_ask(printed, tmp_path, command):
    file = tmp_path / "local.ini"
    file.write_text("[app:main]\nauth.mode = local\nauth.url = http://localhost:37960\n")

    with pytest.raises(SystemExit, match="local mode has accounts of its own"):
        printed(authservice, "admission", *command, "--config", str(file))
