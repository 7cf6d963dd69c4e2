"""AUTH_SECRET replaced, with and without the old one at hand: what is worth anything afterwards."""

import base64
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.models import jwks
from authservice.services.keys.key_schedule import PUBLISHED_AFTER, PUBLISHED_BEFORE
from authservice.services.keys.signing_keys import READ_AGAIN_AFTER
from tests.helpers.browser import Browser
from tests.helpers.held_by_browsers import Held
from tests.helpers.published_keys import JWKS, decoded

pytestmark = pytest.mark.usefixtures("clients_of_all_algs")

OLD, NEW, OTHER = (base64.b64encode(bytes(range(n, n + 32))).decode() for n in (0, 32, 64))

WITH_THE_SECRET = {
    "get-session": "200 content",
    "list-sessions": "200 content",
    "token": "200 content",
    "get-consents": "200 content",
    "start page": "200 You are signed in",
    "sign-in page": "200 Sign in",
    "sign-in form": "303 /api/auth/callback/github code",
    "callback": "303 /api/auth/oauth2/authorize",
    "consent page": "200 Allow Example App to use your account?",
    "consent form": "303 /api/auth/oauth2/authorize",
    "silent request": "303 /callback code",
    "request with a hint": "303 /callback code",
    "pending request": "303 /callback code",
    "userinfo": "200 content",
    "refresh": "200 content",
    "sealed end-session": "200 Sign out?",
    "end-session form": "303 /",
    "sign-out form": "303 /signed-out",
    "end-session with a hint": "303 /signed-out",
    "sign-out": "200 content",
}
# No session is left and every page has to be opened again; what clients hold is as good as ever.
WITHOUT_THE_SECRET = WITH_THE_SECRET | {
    "get-session": "200 nothing",
    "list-sessions": "401 UNAUTHORIZED",
    "token": "401 UNAUTHORIZED",
    "get-consents": "401 UNAUTHORIZED",
    "start page": "200 One sign-in for your applications",
    "sign-in page": "400 This page has expired",
    "sign-in form": "403 This page is out of date",
    "callback": "400 This sign-in has expired",
    "consent page": "400 This page has expired",
    "consent form": "403 This page is out of date",
    "silent request": "303 /callback login_required",
    "request with a hint": "303 /callback login_required",
    "pending request": "400 This page has expired",
    "end-session form": "403 This page is out of date",
    "sign-out form": "303 /signed-out",
    "end-session with a hint": "200 Sign out?",
}


@pytest.fixture
def serve(make_app, database_url, monkeypatch):
    """Build the service with a secret, and perhaps the one before."""

    def built(current, previous=None):
        use(monkeypatch, current, previous)
        return make_app(auth__database_url=database_url)

    return built


@pytest.fixture
def keys_command(database_url, monkeypatch, capsys, tmp_path):
    """Run ``authservice keys`` with a secret, and perhaps the one before."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments, current, previous=None):
        use(monkeypatch, current, previous)
        monkeypatch.setenv("AUTH_DATABASE_URL", database_url)
        authservice(["keys", *arguments, "--json"])
        monkeypatch.delenv("AUTH_DATABASE_URL")
        output = capsys.readouterr()
        return json.loads(output.out), output.err

    return command


def use(monkeypatch, current, previous):
    monkeypatch.setenv("AUTH_SECRET", current)
    monkeypatch.delenv("AUTH_SECRET_PREVIOUS", raising=False)
    if previous is not None:
        monkeypatch.setenv("AUTH_SECRET_PREVIOUS", previous)


def published(app):
    return {key["kid"] for key in Browser(app).get(JWKS).json["keys"]}


def signing_keys(app):
    return app.registry.components.signing_keys


def signer(app, alg="RS256"):
    token = signing_keys(app).sign({}, alg=alg, typ="JWT")
    return decoded(token, Browser(app), alg)[0]["kid"]


def stored(database):
    return {row.id: row for row in database.reader.execute(select(jwks))}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((OLD,), (OLD,)),
        ((OLD,), (NEW, OLD)),
        ((NEW, OLD), (OLD, NEW)),
        ((OLD, NEW), (NEW, OLD)),
    ],
    ids=["unchanged", "changed", "made by a newer process", "known beforehand"],
)
def test_what_either_secret_made_goes_on(serve, database, before, after):
    held = Held(serve(*before), database)

    assert held.used_at(serve(*after)) == WITH_THE_SECRET


@pytest.mark.attack("FAILURES-50")
@pytest.mark.parametrize(
    ("before", "after"),
    [((OLD,), (NEW,)), ((OLD,), (NEW, OTHER)), ((NEW, OLD), (OLD,))],
    ids=["lost", "another one before", "at an older process"],
)
def test_what_another_secret_made_is_refused_and_nothing_fails(serve, database, before, after):
    held = Held(serve(*before), database)

    assert held.used_at(serve(*after)) == WITHOUT_THE_SECRET


@pytest.mark.parametrize("page", ["sign_in", "consent"])
def test_a_page_of_another_secret_says_where_to_begin_again(serve, database, page):
    held = Held(serve(OLD), database)
    browser = Browser(serve(NEW))

    answer = browser.visit(getattr(held, page), expect_errors=True)

    assert "before this service was set up again" in answer.text
    assert "Start again from the application" in answer.text
    assert answer.html.find("a", string="Start page")["href"] == "/"


def test_people_sign_in_again_over_their_old_cookies(serve, database):
    held = Held(serve(OLD), database)
    app = serve(NEW)
    browser = Browser(app)
    for name, value in held.cookies[0].items():
        browser.set_cookie(name, value)
    held.client.http = Browser(app)

    tokens = held.client.redeem(held.client.sign_in_with(browser)).json

    assert browser.session()["user"]["id"] == "local-developer"
    assert decoded(tokens["id_token"], browser)[1]["sub"] == "local-developer"


def test_in_a_rotation_the_keys_stay(serve, database):
    before = published(serve(OLD))

    assert published(serve(NEW, OLD)) == before
    assert len(stored(database)) == 3


def test_keys_depend_on_the_previous_secret_until_they_are_stored_anew(
    serve, database, keys_command, caplog
):
    before = published(serve(OLD))
    serve(NEW, OLD)

    listed, advice = keys_command("list", current=NEW, previous=OLD)
    assert {key["secret"] for key in listed} == {"previous"}
    assert "authservice keys reencrypt" in advice
    ciphertexts = {row.private_key for row in stored(database).values()}

    listed, advice = keys_command("reencrypt", current=NEW, previous=OLD)
    assert {key["secret"] for key in listed} == {"current"}
    assert advice.count("\n") == 1  # which database it was
    assert ciphertexts.isdisjoint(row.private_key for row in stored(database).values())
    after = serve(NEW)
    assert published(after) == before
    assert signer(after) in before
    assert signing_keys(after).locked == ()
    assert caplog.text == ""


def test_storing_anew_again_changes_nothing(serve, database, keys_command):
    serve(OLD)
    keys_command("reencrypt", current=NEW, previous=OLD)
    before = stored(database)

    keys_command("reencrypt", current=NEW, previous=OLD)

    assert stored(database) == before


def test_a_process_with_the_old_secret_goes_on_after_keys_were_stored_anew(
    serve, keys_command, turnable_clock, database
):
    old, new = serve(OLD), serve(NEW, OLD)
    before = signer(old)
    keys_command("reencrypt", current=NEW, previous=OLD)

    for _ in range(3):
        turnable_clock.moment += READ_AGAIN_AFTER
        assert signer(old) == signer(new) == before
        signing_keys(old).wait()

    assert len(stored(database)) == 3


def rounds(turned, *apps):
    """Let processes look at the keys in turn, for half a day."""
    for _ in range(12):
        turned.moment += PUBLISHED_BEFORE / 2
        for app in apps:
            published(app)
            signing_keys(app).wait()


def test_a_rotation_beside_a_process_with_the_old_secret_makes_one_more_set(
    serve, keys_command, turnable_clock, database
):
    old, new = serve(OLD), serve(NEW, OLD)
    keys_command("rotate", current=NEW, previous=OLD)

    rounds(turnable_clock, old, new)

    # The old process could not open the next keys, and made some that both can.
    assert len(stored(database)) == 9
    for app in (old, new):
        assert published(app) == set(stored(database))
        assert signer(app) in published(app)


def test_two_processes_with_different_secrets_make_a_set_each_and_no_more(
    serve, turnable_clock, database
):
    one, other = serve(OLD), serve(NEW)

    rounds(turnable_clock, one, other)

    assert len(stored(database)) == 6
    assert published(one) == published(other) == set(stored(database))
    assert signer(one) != signer(other)


@pytest.mark.attack("FAILURES-36")
def test_a_lost_secret_is_said_and_one_set_is_made(serve, database, caplog, turnable_clock):
    before = published(serve(OLD))

    first = serve(NEW)
    second = serve(NEW)

    assert len(stored(database)) == 6
    assert published(first) == published(second) >= before
    assert signer(first) == signer(second) not in before
    assert set(signing_keys(first).locked) == before
    turnable_clock.moment += READ_AGAIN_AFTER
    published(first)
    said = [record for record in caplog.records if "another AUTH_SECRET" in record.getMessage()]
    # The first process says it of the new keys, as soon as it has seen them.
    said = [record for record in said if any(kid in record.getMessage() for kid in before)]
    # Once in each process.
    assert [record.levelname for record in said] == ["ERROR", "ERROR"]
    assert "authservice keys rotate" in said[0].getMessage()


def readiness(app):
    answer = Browser(app).get("/api/ready").json
    return answer["status"], set(answer["conditions"])


def test_readiness_names_locked_keys_until_they_open_or_end(serve, keys_command, turnable_clock):
    assert readiness(serve(OLD)) == ("ready", set())
    app = serve(NEW)

    assert readiness(app) == ("degraded", {"keys_locked"})
    assert readiness(serve(NEW, OLD)) == ("ready", set())
    keys_command("rotate", current=NEW)
    turnable_clock.moment += PUBLISHED_BEFORE + READ_AGAIN_AFTER
    assert readiness(app) == ("ready", set())


def test_a_lost_secret_that_turns_up_again_opens_the_keys(serve, keys_command):
    before = published(serve(OLD))
    serve(NEW)

    again = serve(NEW, OLD)

    assert signer(again) in before
    assert signing_keys(again).locked == ()


def test_for_good_the_locked_keys_end_with_a_rotation(
    serve, keys_command, turnable_clock, database
):
    before = published(serve(OLD))
    app = serve(NEW)

    keys_command("rotate", current=NEW)

    turnable_clock.moment += PUBLISHED_BEFORE + READ_AGAIN_AFTER
    assert published(app) >= before
    assert signing_keys(app).locked == ()
    turnable_clock.moment += PUBLISHED_AFTER
    assert not published(app) & before
    _, advice = keys_command("list", current=NEW)
    assert advice == ""


@pytest.mark.engines("sqlite")
def test_local_mode_whose_secret_file_is_gone_makes_another(make_app, database):
    before = published(make_app())
    Path(f"{database.url.database}.secret").unlink()

    app = make_app(auth__database_url=str(database.url))

    assert published(app) > before
    assert set(signing_keys(app).locked) == before
