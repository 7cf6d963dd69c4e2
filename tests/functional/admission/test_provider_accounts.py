"""One account of the provider is one user: addresses that wander between accounts link no users."""

import io
import json
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from sqlalchemy import select, text, update

from authservice.cli import main as authservice
from authservice.events import AccountNotLinked, EmailReleased, SignedOut
from authservice.models import account, user
from tests.helpers.production import production_app, production_browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

MONA = 583231
HUBOT = 480938
KELVIN = "\u212a"


def addresses(email, *, confirmed=True):
    """Return what the provider says of an account that has one address."""
    return [{"email": email, "primary": True, "verified": confirmed, "visibility": None}]


@pytest.fixture
def production(make_app, monkeypatch, standin):
    return production_app(make_app, monkeypatch, **standin.ini)


@pytest.fixture
def come(production, standin):
    """Sign in with an account, in a browser of its own; return the browser and the last answer."""

    def sign_in(login, *, scope="read:user user:email"):
        person = production_browser(production)
        leaving = person.get("/sign-in").forms[0].submit("choice", value="sign-in")
        leaving = person.follow_home(leaving).location
        leaving = leaving.replace(quote("read:user user:email"), quote(scope))
        back = standin.allow(leaving, login)
        return person, person.follow_home(person.visit(back, expect_errors=True))

    return sign_in


def user_of(person):
    return person.session()["user"]


@pytest.mark.attack("FAILURES-account-by-address")
def test_an_address_that_was_given_up_lets_no_other_account_in(come, standin, happened):
    mona, _ = come("octocat")
    who = user_of(mona)
    standin.account("octocat", emails=addresses("elsewhere@example.com"))
    standin.account("hubot", emails=addresses("mona@example.com"), name="Renamed")

    stranger, answer = come("hubot")

    assert answer.status_int == 400
    assert "account_not_linked" in answer.text
    assert "<dt>Reference</dt>" in answer.text
    assert stranger.session() is None
    assert user_of(mona) == who
    refused = AccountNotLinked(provider="github", account_id=str(HUBOT), sub=who["id"])
    assert refused in happened()


def test_trying_again_with_another_account_asks_which_one(come, standin):
    come("octocat")
    standin.account("hubot", emails=addresses("mona@example.com"))
    stranger, answer = come("hubot")

    page = stranger.get(answer.html.find("a", string="Try again with another account")["href"])
    leaving = page.forms[0].submit("choice", value="sign-in").location

    assert parse_qs(urlsplit(leaving).query)["prompt"] == ["select_account"]


@pytest.mark.parametrize(
    ("change", "label", "prompt"),
    [
        ({"suspended_at": "2026-01-01T00:00:00Z"}, "Try again with another account", True),
        ({"id": "none"}, "Try again", False),
    ],
)
def test_which_account_is_asked_where_the_same_would_fail_again(
    come, standin, change, label, prompt
):
    standin.account("octocat", **change)

    person, answer = come("octocat")

    page = person.get(answer.html.find("a", class_="primary", string=label)["href"])
    leaving = page.forms[0].submit("choice", value="sign-in").location
    assert ("prompt" in parse_qs(urlsplit(leaving).query)) is prompt


@pytest.mark.attack("FAILURES-account-by-address")
def test_an_account_is_its_user_whatever_address_it_has(come, standin):
    mona, hubot = user_of(come("octocat")[0]), user_of(come("hubot")[0])
    standin.account("octocat", emails=addresses("hubot@example.com"))
    standin.account("hubot", emails=addresses("mona@example.com"))

    assert user_of(come("octocat")[0])["id"] == mona["id"]
    assert user_of(come("hubot")[0])["id"] == hubot["id"]
    assert user_of(come("octocat")[0])["email"] == "hubot@example.com"


def test_the_operator_releases_the_address_and_the_account_is_a_new_user(
    come, standin, printed, production, happened
):
    mona, _ = come("octocat")
    who, sid = user_of(mona), mona.session()["session"]["id"]
    standin.account("octocat", emails=addresses("elsewhere@example.com"))
    standin.account("hubot", emails=addresses("mona@example.com"))
    come("hubot")

    output = printed(authservice, "users", "release-email", who["id"], "--yes")

    assert (output.out, output.err) == (
        "sessions: 1\n",
        f"Released the address of {who['id']}.\n",
    )
    assert [SignedOut(sub=who["id"], sid=sid), EmailReleased(sub=who["id"])] == happened()[-2:]
    assert mona.session() is None
    hubot = user_of(come("hubot")[0])
    assert hubot["id"] != who["id"]
    assert (hubot["email"], hubot["emailVerified"]) == ("mona@example.com", True)
    again = user_of(come("octocat")[0])
    assert (again["id"], again["email"]) == (who["id"], "elsewhere@example.com")


def test_who_has_no_verified_address_has_none_for_anybody(come, database, production, standin):
    standin.account("newcomer", email="public@example.com")
    client = RelyingParty.registered(production, database)
    client.http = production_browser(production)

    person, _ = come("newcomer")
    page = person.visit(client.authorize(person).location)
    tokens = client.redeem(client.sign_in_with(person)).json

    who = user_of(person)
    assert (who["email"], who["emailVerified"]) == ("github-900001@unverified.invalid", False)
    assert "No address is shared now" in page.text
    assert "No email address of your GitHub account is confirmed" in page.text
    assert "you did not allow it" not in page.text
    assert "unverified.invalid" not in page.text
    told = client.userinfo(tokens["access_token"]).json
    told |= decoded(tokens["id_token"], client.http)[1]
    assert {"email", "email_verified"} & told.keys() == set()
    assert told["name"] == "New Comer"
    for path in ("/", "/account"):
        assert "unverified.invalid" not in person.get(path).text
    assert "No email address of your GitHub account is confirmed" in person.get("/account").text
    assert "newcomer@example.com" not in str(database.reader.execute(select(user)).all())


def test_who_did_not_allow_their_addresses_is_told_so(come, database, production, standin):
    before = user_of(come("octocat")[0])

    person, _ = come("octocat", scope="read:user")

    who = user_of(person)
    assert (who["id"], who["email"], who["emailVerified"]) == (
        before["id"],
        f"github-{MONA}@unverified.invalid",
        False,
    )
    client = RelyingParty.registered(production, database)
    for page in (person.get("/account"), person.visit(client.authorize(person).location)):
        assert "GitHub does not show us your email addresses" in page.text
        assert "sign in again and allow it" in page.text
        assert "is confirmed" not in page.text
    again, _ = come("octocat")
    assert user_of(again)["email"] == "mona@example.com"
    assert "email addresses" not in again.get("/account").text


def test_what_is_said_of_a_missing_address_is_said_in_every_language(subtests, come):
    for language in ("de", "fr", "es", "pl", "ja", "ar"):
        with subtests.test(language=language):
            person, _ = come("newcomer")

            page = person.get("/account", headers={"Accept-Language": language})

            assert "GitHub" in page.text
            assert "No email address" not in page.text


@pytest.mark.parametrize("kind", ["500", "secondary_limit", "not_json", "truncated"])
def test_who_is_known_signs_in_although_the_addresses_cannot_be_read(come, standin, kind):
    before = user_of(come("octocat")[0])
    standin.account("octocat", name="Mona Smith")
    standin.fault("/api/user/emails", kind)

    person, _ = come("octocat")

    after = user_of(person)
    assert (after["id"], after["name"]) == (before["id"], "Mona Smith")
    assert (after["email"], after["emailVerified"]) == ("mona@example.com", True)


def test_a_new_account_whose_addresses_cannot_be_read_is_told_to_try_again(come, database, standin):
    standin.fault("/api/user/emails", "500")

    person, answer = come("octocat")

    assert answer.status_int == 503
    assert "GitHub does not answer" in answer.text
    assert person.session() is None
    assert database.reader.execute(select(user)).all() == []


@pytest.mark.attack("FAILURES-folded-address")
def test_letters_that_only_look_alike_make_another_address(come, standin):
    standin.account("octocat", emails=addresses("kate@example.com"))
    standin.account("hubot", emails=addresses(f"{KELVIN}ate@example.com"))

    first, second = user_of(come("octocat")[0]), user_of(come("hubot")[0])

    assert first["id"] != second["id"]
    assert (first["email"], second["email"]) == ("kate@example.com", f"{KELVIN}ate@example.com")


@pytest.mark.parametrize("answer", ["", "no\n", "y\n"])
def test_without_a_yes_nothing_is_released(come, printed, answer, monkeypatch):
    mona, _ = come("octocat")
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))

    with pytest.raises(SystemExit, match="not confirmed, so nothing was written"):
        printed(authservice, "users", "release-email", user_of(mona)["id"])

    assert user_of(mona)["email"] == "mona@example.com"


def test_a_yes_may_be_typed_and_a_dry_run_asks_for_none(come, printed, monkeypatch, database):
    mona, _ = come("octocat")
    who = user_of(mona)["id"]
    primary = select(account.c.primary_email)
    assert database.reader.scalar(primary) == "mona@example.com"
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))

    tried = printed(authservice, "users", "release-email", who, "--dry-run", "--json")
    done = printed(authservice, "users", "release-email", "Mona@example.com", "--json")

    assert json.loads(tried.out) == json.loads(done.out) == {"sessions": 1}
    assert tried.err == "Everything is in order; nothing was written.\n"
    assert done.err.startswith(f"mona@example.com is no longer user {who}'s then")
    assert mona.session() is None
    assert database.reader.scalar(primary) is None
    with pytest.raises(SystemExit, match="has no address to release"):
        printed(authservice, "users", "release-email", who, "--yes")


def test_an_address_that_changed_before_the_yes_stays(
    come, printed, database, tmp_path, monkeypatch
):
    mona, _ = come("octocat")
    who = user_of(mona)["id"]

    class Typed:
        """A user signs in while the operator thinks."""

        def readline(self):
            with database.transaction() as connection:
                connection.execute(update(user).values(email="new@example.com"))
            return "yes\n"

    monkeypatch.setattr("sys.stdin", Typed())
    with pytest.raises(SystemExit, match="has another address by now; nothing was written"):
        printed(authservice, "users", "release-email", who)

    assert user_of(mona)["email"] == "new@example.com"


def test_addresses_that_an_older_version_stored_are_told_to_nobody(
    come, database, production, standin
):
    person, _ = come("octocat")
    with database.transaction() as connection:
        connection.execute(text('UPDATE "user" SET email_verified = 0'))
    client = RelyingParty.registered(production, database)
    client.http = production_browser(production)

    tokens = client.redeem(client.sign_in_with(person)).json

    assert "email" not in client.userinfo(tokens["access_token"]).json
