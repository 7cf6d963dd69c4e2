"""Every recipe does what its page says, against a real local-mode server."""

import re
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from sqlalchemy import text

from authservice.database.database import Database
from tests.e2e import recipes
from tests.e2e.busy_service import WAIT
from tests.e2e.noting_service import noting_service
from tests.e2e.person import Person
from tests.e2e.recipes import (
    Application,
    TypedApplication,
    Visitor,
    serves_after_strange_paths,
)
from tests.helpers.ports import free_port
from tests.helpers.processes import LocalService
from tests.helpers.production import ORIGIN
from tests.httpclient.certificates import Authority
from tests.unit.settings.loading import PRODUCTION_ENVIRON

RELYING_PARTIES = ["flask-authlib", "node-openid-client"]
FIRST_PARTY = ["first-party-wsgi", "first-party-asgi", "first-party-node", "first-party-go"]
COOKIES = (
    ("http", "authservice-{port}", {}),
    ("https", "__Secure-authservice", {}),
    ("https", "__Secure-acme", {"COOKIE_PREFIX": "acme"}),
)
SHORTEST_RELYING_PARTY = "shortest-relying-party"
SHORTEST_FIRST_PARTY = "shortest-first-party"
SIGNED_IN = "Signed in as Local Developer"
DAY_MS = 24 * 3600 * 1000


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


def session_cookie(service):
    return f"authservice-{service.port}.session_token"


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


ALL_RELYING_PARTIES = [*RELYING_PARTIES, "go-oidc", SHORTEST_RELYING_PARTY]
ALL_FIRST_PARTY = [*FIRST_PARTY, SHORTEST_FIRST_PARTY]


@pytest.mark.parametrize("relying_party", ALL_RELYING_PARTIES, indirect=True)
def test_a_relying_party_that_was_opened_at_another_address_says_where_to_begin(
    person, relying_party
):
    """Browsers keep the cookies of 127.0.0.1 and localhost apart, and so does the person here."""
    opened = reachable_by_number(relying_party)
    answer = person.http.get(opened, allow_redirects=False, timeout=20)
    if answer.status_code == 200:
        answer = person.http.get(f"{opened}sign-in", allow_redirects=False, timeout=20)

    failed = person.http.get(person.open(answer.headers["Location"]), timeout=20)

    assert failed.status_code == 400
    assert failed.headers["Content-Type"].startswith("text/html")
    assert "Internal Server Error" not in failed.text
    link = re.search(r'<a href="([^"]+)">', failed.text)[1]
    assert link == relying_party.url
    again = person.http.get(link, allow_redirects=False, timeout=20)
    if again.status_code == 200:
        again = person.http.get(f"{link}sign-in", allow_redirects=False, timeout=20)
    back = person.open(again.headers["Location"])
    assert SIGNED_IN in person.http.get(back, timeout=20).text


@pytest.mark.parametrize("first_party", ALL_FIRST_PARTY, indirect=True)
def test_a_first_party_application_that_was_opened_at_another_address_leads_to_its_own(
    person, first_party
):
    page = person.http.get(reachable_by_number(first_party), timeout=20).text
    link = re.search(r'<a href="([^"]+)">Sign in</a>', page)[1]

    back = person.open(link)

    assert back == first_party.url
    assert SIGNED_IN in person.http.get(back, timeout=20).text


def reachable_by_number(application):
    """Return an address of the application with the number in place of the name."""
    for host in ("127.0.0.1", "[::1]"):
        url = application.url.replace("localhost", host)
        try:
            requests.get(url, allow_redirects=False, timeout=20)
        except requests.ConnectionError:
            continue
        return url
    raise AssertionError(application.output)


@pytest.mark.parametrize("relying_party", ALL_RELYING_PARTIES, indirect=True)
def test_a_relying_party_survives_strange_paths(relying_party):
    assert serves_after_strange_paths(relying_party)


@pytest.mark.parametrize("first_party", ALL_FIRST_PARTY, indirect=True)
def test_a_first_party_application_survives_strange_paths(first_party):
    assert serves_after_strange_paths(first_party)


@pytest.mark.parametrize("relying_party", ALL_RELYING_PARTIES, indirect=True)
def test_a_relying_party_names_the_address_to_open_and_no_other(relying_party):
    names_only_its_address(relying_party)


@pytest.mark.parametrize("first_party", ALL_FIRST_PARTY, indirect=True)
def test_a_first_party_application_names_the_address_to_open_and_no_other(first_party):
    names_only_its_address(first_party)


def names_only_its_address(application):
    application.stop()
    said = "".join(application.output)
    named = re.findall(r"https?://[^\s/]+:\d+", said)

    assert set(named) == {application.url.removesuffix("/")}, said


@pytest.mark.parametrize("name", ALL_FIRST_PARTY)
def test_a_first_party_application_says_in_a_page_that_the_service_does_not_answer(name, tmp_path):
    nothing = SimpleNamespace(url=f"http://localhost:{free_port()}")
    application = Application(name, tmp_path, nothing)
    try:
        answer = requests.get(application.url, timeout=20)
    finally:
        application.stop()

    assert answer.status_code == 502
    assert answer.headers["Content-Type"].startswith("text/html")
    assert f"does not answer at {nothing.url}" in answer.text


def says_to_come_again(answer):
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == WAIT
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Try again in a moment" in answer.text


@pytest.mark.parametrize("name", ALL_FIRST_PARTY)
def test_a_first_party_application_says_in_a_page_that_the_service_had_too_many_requests(
    busy, tmp_path, name
):
    application = Application(name, tmp_path, busy)
    try:
        says_to_come_again(requests.get(application.url, timeout=20))
    finally:
        application.stop()


@pytest.mark.parametrize("name", ALL_RELYING_PARTIES)
def test_a_relying_party_says_in_a_page_that_the_service_had_too_many_requests(
    busy, tmp_path, name
):
    application = Application(name, tmp_path, busy, CLIENT_ID="x", CLIENT_SECRET="x")
    try:
        browser = requests.Session()
        begun = browser.get(application.url, allow_redirects=False, timeout=20)
        if not begun.is_redirect:
            begun = browser.get(f"{application.url}sign-in", allow_redirects=False, timeout=20)
        asked = parse_qs(urlsplit(begun.headers["Location"]).query)
        back = {"code": "x", "state": asked.get("state", [""])[0], "iss": f"{busy.url}/api/auth"}
        says_to_come_again(browser.get(f"{application.url}callback", params=back, timeout=20))
    finally:
        application.stop()


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    """The service as it is deployed, asked by back ends on its machine."""
    folder = tmp_path_factory.mktemp("production")
    environment = PRODUCTION_ENVIRON | {"AUTH_URL": ORIGIN, "PROVIDER_CLIENT_ID": "app-1"}
    started = LocalService(folder, ini="production.ini", **environment)
    yield started
    started.stop()


@pytest.mark.attack("EXHAUSTION-one-address")
@pytest.mark.parametrize("name", ALL_FIRST_PARTY)
def test_a_first_party_application_may_have_many_visitors_who_are_not_signed_in(
    production, tmp_path, name
):
    application = Application(name, tmp_path, production)
    try:
        with requests.Session() as http:
            answers = [http.get(application.url, timeout=20) for _ in range(150)]
    finally:
        application.stop()

    assert {answer.status_code for answer in answers} == {200}
    assert all(">Sign in</a>" in answer.text for answer in answers)


PYTHON = [
    name
    for name, (language, _) in recipes.all_recipes().items()
    if language == "python" and not name.startswith(("api-", "machine-"))
]


@pytest.mark.parametrize("name", PYTHON)
def test_what_is_typed_starts_a_recipe_where_there_is_only_python3(
    service, register, person, tmp_path, name
):
    port = free_port()
    client = register(redirect_uri=f"http://localhost:{port}/callback")
    values = {key.upper(): client[key] for key in ("client_id", "client_secret")}
    application = TypedApplication(name, tmp_path, service, port=port, **values)
    try:
        begun = person.http.get(application.url, allow_redirects=False, timeout=20)
        if begun.is_redirect:
            signed_in = person.http.get(person.open(begun.headers["Location"]), timeout=20).text
        else:
            signed_in = Visitor(person, application).sign_in()
        assert SIGNED_IN in signed_in
    finally:
        application.stop()


@pytest.mark.parametrize("relying_party", ["go-oidc"], indirect=True)
def test_the_relying_party_in_go_says_who_signed_in(person, relying_party):
    begun = person.http.get(relying_party.url, allow_redirects=False, timeout=20)

    back = person.http.get(person.open(begun.headers["Location"]), timeout=20)

    assert (back.url, SIGNED_IN in back.text) == (relying_party.url, True)


@pytest.mark.parametrize("relying_party", [SHORTEST_RELYING_PARTY], indirect=True)
def test_the_shortest_relying_party_says_who_signed_in(person, relying_party):
    begun = person.http.get(relying_party.url, allow_redirects=False, timeout=20)

    back = person.open(begun.headers["Location"])

    assert back.startswith(f"{relying_party.url}callback?")
    answer = person.http.get(back, timeout=20)
    assert SIGNED_IN in answer.text
    # A browser that loads the page again sends no code again.
    assert SIGNED_IN in person.http.get(answer.url, timeout=20).text


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
    assert session_cookie(service) not in person.http.cookies


@pytest.mark.parametrize("first_party", [*FIRST_PARTY, SHORTEST_FIRST_PARTY], indirect=True)
def test_a_first_party_application_relays_the_cookie_of_an_extended_session(
    service, person, first_party
):
    visitor = Visitor(person, first_party)
    visitor.sign_in()
    let_days_pass(service, 2)

    answer = visitor.home()

    assert SIGNED_IN in answer.text
    assert f"{session_cookie(service)}=" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("first_party", [*FIRST_PARTY, SHORTEST_FIRST_PARTY], indirect=True)
def test_a_first_party_application_takes_nobody_for_somebody_else(service, person, first_party):
    visitor = Visitor(person, first_party)
    visitor.sign_in()
    let_days_pass(service, 2)
    assert SIGNED_IN in visitor.home().text

    stranger = Visitor(Person(service.url), first_party)

    assert SIGNED_IN not in stranger.home().text


@pytest.mark.parametrize(("scheme", "begins", "renamed"), COOKIES)
@pytest.mark.parametrize("name", ALL_FIRST_PARTY)
def test_a_first_party_application_forwards_the_session_cookie_and_nothing_else(
    tmp_path, name, scheme, begins, renamed
):
    authority = Authority(tmp_path)
    trust = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    env = dict.fromkeys(trust, str(authority.bundle)) | renamed
    tls = authority.server_context("localhost") if scheme == "https" else None
    with noting_service(tls) as service:
        own = f"{begins.format(port=service.server_port)}.session"
        sent = (
            f"theme=d\xe4rk;{own}_token=a.b; id=1; {own}_token=\xe9; {own}_token"
            f"; {own}_tokens=c; x{own}_token=d; {own}_host=e; __Host-{own}_token=f"
        )
        application = Application(name, tmp_path, service, **env)
        try:
            for headers in ({"Cookie": sent.encode("latin-1")}, {}):
                assert requests.get(application.url, headers=headers, timeout=20).ok
                requests.post(f"{application.url}sign-out", headers=headers, timeout=20)
        finally:
            application.stop()
    # What a sibling has set twice goes on as it is: the service finds the one that counts.
    assert {cookie or "" for cookie in service.cookies} == {
        f"{own}_token=a.b; {own}_token=\xe9",
        "",
    }
