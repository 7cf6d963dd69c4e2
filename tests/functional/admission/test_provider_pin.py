"""The database belongs to one identity provider: the numbers of another are other people."""

import io
import json

import pytest
from sqlalchemy import delete, func, select

from authservice import clock
from authservice.cli import main as authservice
from authservice.events import ProviderRebound
from authservice.models import account, pinned_provider, removed_account, session, user
from authservice.services.admission import pins
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.revocation import rebind as rebinding
from authservice.services.revocation import removal
from authservice.settings.admission import rules
from tests.helpers.admission import Gate
from tests.helpers.production import production_browser
from tests.helpers.relying_party import RelyingParty

ELSEWHERE = "https://git.example.com/api/v3"
OTHER = ProviderPin("github", "https://git.example.com")


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    return Gate(make_app, monkeypatch, standin)


@pytest.fixture
def begin(gate):
    """Start the service in production; changes are those of its settings."""
    return gate.serves


@pytest.fixture
def come(gate):
    """Sign in with the account 583231; return the browser and the last answer."""
    return gate.come


@pytest.fixture
def rebind(printed, tmp_path):
    """Run the command with an ini file that says where the provider is."""

    def run(*arguments, **settings):
        settings = {"auth.mode": "production", "provider.api_url": ELSEWHERE} | settings
        lines = "".join(f"{name} = {value}\n" for name, value in settings.items())
        (tmp_path / "a.ini").write_text(f"[app:main]\nuse = egg:authservice\n{lines}", "utf-8")
        return printed(authservice, "provider", "rebind", "--config", "a.ini", *arguments)

    return run


def pinned(standin):
    return ProviderPin("github", standin.url)


def count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


@pytest.mark.attack("FAILURES-account-of-another-provider")
@pytest.mark.parametrize(
    "change",
    [{"provider__api_url": ELSEWHERE}, {"provider__id": "enterprise"}],
    ids=lambda change: next(iter(change)),
)
def test_another_provider_stops_the_start(begin, come, standin, database, change):
    come(begin())

    with pytest.raises(SystemExit) as stop:
        begin(**change)

    message = str(stop.value)
    refusal = f"authservice: the accounts in the database are those of {pinned(standin)}, and"
    assert message.startswith(refusal)
    assert "authservice provider rebind --config production.ini" in message
    assert "\n" not in message
    assert provider_pin.pinned(database.reader) == pinned(standin)


def test_another_path_is_no_other_provider(begin, standin, database):
    begin()

    assert begin(provider__api_url=f"{standin.api_url}/v3/")
    assert provider_pin.pinned(database.reader) == pinned(standin)


def test_local_mode_pins_nothing(app, browser, database):
    browser.sign_in()

    assert provider_pin.pinned(database.reader) is None


@pytest.mark.attack("FAILURES-account-of-another-provider")
def test_after_a_rebinding_the_same_number_is_somebody_else(
    begin, come, standin, database, rebind, caplog
):
    caplog.set_level("INFO", "authservice.events")
    app = begin()
    former, _ = come(app)
    client = RelyingParty.registered(app, database, skip_consent=True)
    client.http = production_browser(app)
    tokens = client.redeem(client.answer(client.authorize(former))["code"]).json
    who = former.session()["user"]

    output = rebind("--yes")

    assert output.out.splitlines() == [
        *("accounts: 1", "users: 1", "sessions: 1"),
        "refresh tokens: 1",
    ]
    assert output.err == f"The database is that of {OTHER} now.\n"
    assert caplog.records[-1].event == ProviderRebound(provider="github", accounts=1)
    assert former.session() is None
    refused = client.refresh(tokens["refresh_token"])
    assert (refused.status_int, refused.json["error"]) == (400, "invalid_grant")
    assert client.userinfo(tokens["access_token"]).status_int == 401
    assert count(database, account) == 0
    assert begin(provider__api_url=ELSEWHERE)
    # The stand-in may now be another server, with accounts of the same numbers and addresses.
    rebind("--yes", **{"provider.api_url": standin.api_url})
    newcomer, _ = come(begin())
    now = newcomer.session()["user"]
    assert now["id"] != who["id"]
    assert (now["email"], now["emailVerified"]) == ("mona@example.com", True)
    left = database.reader.scalar(select(user.c.email).where(user.c.id == who["id"]))
    assert left == f"{who['id'].lower()}@unverified.invalid"


@pytest.mark.attack("FAILURES-account-of-another-provider")
def test_a_process_that_still_asks_the_former_provider_lets_nobody_in(
    begin, come, database, rebind
):
    app = begin()
    rebind("--yes")

    person, answer = come(app)

    assert answer.status_int == 503
    assert "provider_unavailable" in answer.text
    assert person.session() is None
    assert [count(database, table) for table in (user, account, session)] == [0, 0, 0]


def test_after_a_rebinding_names_in_rules_have_no_numbers(begin, come, database, rebind):
    begin()
    with database.begin() as transaction:
        pins.renew(transaction.connection, rules.parse("org:acme"), None, "7")
        removal.remove(transaction, "1", clock.now(), provider_id="github")

    rebind("--yes")

    assert pins.all_pins(database.reader) == {}
    assert count(database, removed_account) == 0


def test_a_database_that_was_away_at_the_start_is_pinned_by_the_first_sign_in(
    begin, come, standin, database
):
    app = begin()
    with database.transaction() as connection:
        connection.execute(delete(pinned_provider))

    person, _ = come(app)

    assert person.session()
    assert provider_pin.pinned(database.reader) == pinned(standin)


def test_without_a_yes_and_in_a_dry_run_nothing_is_forgotten(
    begin, come, standin, database, rebind, monkeypatch
):
    person, _ = come(begin())
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))

    tried = rebind("--dry-run", "--json")
    with pytest.raises(SystemExit, match="not confirmed, so nothing was written"):
        rebind()

    forgotten = {"accounts": 1, "users": 1, "sessions": 1, "refresh_tokens": 0}
    assert json.loads(tried.out) == forgotten
    assert tried.err == "Everything is in order; nothing was written.\n"
    assert person.session()
    assert provider_pin.pinned(database.reader) == pinned(standin)


def test_a_provider_that_is_pinned_meanwhile_stays(begin, database, rebind, standin, monkeypatch):
    begin()
    third = ProviderPin("github", "https://third.example.com")

    class Typed:
        """Another operator rebinds the database while the operator thinks."""

        def readline(self):
            with database.begin() as transaction:
                rebinding.rebind(transaction, pinned(standin), third)
            return "yes\n"

    monkeypatch.setattr("sys.stdin", Typed())
    with pytest.raises(SystemExit, match="another provider was pinned meanwhile"):
        rebind()

    assert provider_pin.pinned(database.reader) == third


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "no provider is pinned yet; the next start of the service pins one"),
        ({"auth.mode": "local"}, "auth.mode: is local, where no identity provider is asked"),
        ({"provider.api_url": "ftp://x"}, "provider.api_url: must be an https address"),
    ],
)
def test_where_there_is_nothing_to_rebind_it_says_so(database, rebind, settings, message):
    with pytest.raises(SystemExit, match=message):
        rebind("--yes", **settings)


def test_a_provider_is_not_rebound_to_itself(begin, come, rebind, standin, database):
    come(begin())

    with pytest.raises(SystemExit, match="already; nothing was written"):
        rebind("--yes", **{"provider.api_url": standin.api_url})

    assert count(database, account) == 1
