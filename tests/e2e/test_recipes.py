"""Every recipe does what its page says, against a real local-mode server."""

import subprocess
import sys

import pytest
from sqlalchemy import text

from authservice.db import Database
from tests.chromium import expect
from tests.e2e import recipes
from tests.e2e.person import Person
from tests.e2e.recipes import Application, Visitor
from tests.node import node
from tests.processes import Process, free_port

RELYING_PARTIES = ["flask-authlib", "node-openid-client"]
FIRST_PARTY = ["first-party-wsgi", "first-party-asgi", "first-party-node"]
SHORTEST_RELYING_PARTY = "shortest-relying-party"
SHORTEST_FIRST_PARTY = "shortest-first-party"
SIGNED_IN = "Signed in as Local Developer"
SESSION_COOKIE = "authservice.session_token"
DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def person(service):
    return Person(service.url)


@pytest.fixture
def first_party(service, tmp_path, request):
    started = Application(request.param, tmp_path, service)
    yield started
    started.stop()


@pytest.fixture
def relying_party(service, register, tmp_path, request):
    port = free_port()
    client = register(redirect_uri=f"http://localhost:{port}/callback")
    started = Application(
        request.param,
        tmp_path,
        service,
        port=port,
        CLIENT_ID=client["client_id"],
        CLIENT_SECRET=client["client_secret"],
    )
    yield started
    started.stop()


def session_of(service, person):
    return person.http.get(f"{service.url}/api/auth/get-session", timeout=20).json()


def let_days_pass(service, days):
    """Move every session into the past, as if it had not been used since."""
    past = "UPDATE session SET updated_at = updated_at - :ms, expires_at = expires_at - :ms"
    database = Database(service.env["AUTH_DATABASE_URL"])
    with database.transaction() as connection:
        connection.execute(text(past), {"ms": days * DAY_MS})
    database.dispose()


@pytest.mark.attack("FAILURES-52")
@pytest.mark.parametrize("relying_party", RELYING_PARTIES, indirect=True)
def test_a_relying_party_signs_a_person_in_and_out(service, person, relying_party):
    visitor = Visitor(person, relying_party)

    assert SIGNED_IN in visitor.sign_in()
    assert SIGNED_IN in visitor.home().text
    assert SIGNED_IN not in visitor.sign_out()

    assert session_of(service, person)["user"]["id"] == "local-developer"


@pytest.mark.parametrize("relying_party", RELYING_PARTIES, indirect=True)
def test_a_relying_party_survives_an_answer_that_nobody_asked_for(person, relying_party):
    answer = person.http.get(f"{relying_party.url}callback?code=x&state=y", timeout=20)

    assert answer.status_code == 400
    assert SIGNED_IN not in Visitor(person, relying_party).home().text


@pytest.mark.parametrize("relying_party", [SHORTEST_RELYING_PARTY], indirect=True)
def test_the_shortest_relying_party_says_who_signed_in(person, relying_party):
    begun = person.http.get(relying_party.url, allow_redirects=False, timeout=20)

    back = person.open(begun.headers["Location"])

    assert back.startswith(f"{relying_party.url}callback?")
    assert SIGNED_IN in person.http.get(back, timeout=20).text


@pytest.mark.parametrize("first_party", [SHORTEST_FIRST_PARTY], indirect=True)
def test_the_shortest_first_party_application_says_who_is_signed_in(person, first_party):
    assert SIGNED_IN in Visitor(person, first_party).sign_in()


@pytest.mark.parametrize("first_party", FIRST_PARTY, indirect=True)
def test_a_first_party_application_signs_a_person_in_and_out(service, person, first_party):
    visitor = Visitor(person, first_party)

    assert SIGNED_IN in visitor.sign_in()
    assert SIGNED_IN in visitor.home().text
    assert SIGNED_IN not in visitor.sign_out()

    assert session_of(service, person) is None
    assert SESSION_COOKIE not in person.http.cookies


@pytest.mark.parametrize("first_party", [*FIRST_PARTY, SHORTEST_FIRST_PARTY], indirect=True)
def test_a_first_party_application_relays_the_cookie_of_an_extended_session(
    service, person, first_party
):
    visitor = Visitor(person, first_party)
    visitor.sign_in()
    let_days_pass(service, 2)

    answer = visitor.home()

    assert SIGNED_IN in answer.text
    assert f"{SESSION_COOKIE}=" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("first_party", [*FIRST_PARTY, SHORTEST_FIRST_PARTY], indirect=True)
def test_a_first_party_application_takes_nobody_for_somebody_else(service, person, first_party):
    visitor = Visitor(person, first_party)
    visitor.sign_in()
    let_days_pass(service, 2)
    assert SIGNED_IN in visitor.home().text

    stranger = Visitor(Person(service.url), first_party)

    assert SIGNED_IN not in stranger.home().text


def test_a_page_in_the_browser_signs_in_and_out_with_credentials(
    service, launch_chromium, tmp_path
):
    _, text = recipes.all_recipes()["first-party-browser"]
    page_text = text.replace(recipes.DEFAULT_AUTH_URL, service.url)
    (tmp_path / "index.html").write_text(page_text, encoding="utf-8")
    port = free_port()
    server = Process(
        [sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1"],
        ready=f":{port}",
        cwd=tmp_path,
    )
    try:
        with launch_chromium().new_context() as context:
            page = context.new_page()
            page.goto(f"http://localhost:{port}/")
            expect(page.get_by_text("Signed out")).to_be_visible()
            page.get_by_role("button", name="Sign in").click()
            page.locator("#sign-in-submit").click()
            expect(page.get_by_text(SIGNED_IN)).to_be_visible()
            assert page.url == f"http://localhost:{port}/"
            page.get_by_role("button", name="Sign out").click()
            expect(page.get_by_text("Signed out")).to_be_visible()
    finally:
        server.stop()


def test_the_npm_client_reads_the_session(service, person, tmp_path):
    person.open(f"{service.url}/sign-in")
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in person.http.cookies)
    _, text = recipes.all_recipes()["first-party-better-auth"]
    client = text.replace(recipes.DEFAULT_AUTH_URL, service.url)
    (tmp_path / "auth.mjs").write_text(client, encoding="utf-8")
    (tmp_path / "main.mjs").write_text(
        """
        import { auth } from './auth.mjs'
        const headers = { cookie: process.env.COOKIES }
        const { data } = await auth.getSession({ fetchOptions: { headers } })
        console.log(data.user.name)
        """,
        encoding="utf-8",
    )
    recipes.give_node_packages(tmp_path)

    printed = subprocess.run(
        [node(), "main.mjs"],
        cwd=tmp_path,
        env={"COOKIES": cookies},
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert printed == "Local Developer\n"
