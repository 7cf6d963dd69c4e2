"""Rate limits, counted in the memory of one process: which requests count, and against whom."""

import base64
from contextlib import ExitStack

import pytest

from authservice.services import client_registration
from authservice.services.client_metadata import ClientMetadata
from authservice.web import rate_limits
from authservice.web.routes import ROUTES
from tests.browser import Browser
from tests.cookies import cookie_header
from tests.production import production_app, production_browser, signed_in_cookies
from tests.relying_party import TOKEN, USERINFO, RelyingParty

BEGIN = "/api/auth/sign-in/begin"
CALLBACK = "/api/auth/callback/github"
SESSION = "/api/auth/get-session"
SOCIAL = "/api/auth/sign-in/social"
AUTHORIZE = "/api/auth/oauth2/authorize"
INTROSPECT = "/api/auth/oauth2/introspect"
REVOKE = "/api/auth/oauth2/revoke"


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.fixture
def browser(app):
    return production_browser(app)


@pytest.fixture
def register(database):
    def run(**changes):
        wanted = {"name": "Example App", "redirect_uris": ["https://app.example.com/callback"]}
        with database.transaction() as connection:
            return client_registration.register(connection, ClientMetadata(**wanted | changes))

    return run


def _at(browser, address):
    browser.extra_environ["REMOTE_ADDR"] = address
    return browser


def _get(browser, path, times, **options):
    return [browser.get(path, expect_errors=True, **options).status_int for _ in range(times)]


def _basic(client_id, secret):
    pair = base64.b64encode(f"{client_id}:{secret}".encode()).decode()
    return {"Authorization": f"Basic {pair}"}


@pytest.mark.attack("RFC6819-4.4.1.11")
@pytest.mark.parametrize(
    ("path", "limit", "window"),
    [
        ("/sign-in", 100, 10),
        ("/api/auth/callback/github", 30, 10),
        ("/api/auth/callback/elsewhere", 30, 10),
        ("/api/auth/sign-in/begin", 30, 10),
        (AUTHORIZE, 300, 60),
        (SESSION, 100, 10),
        ("/api/auth/token", 100, 10),
        ("/", 100, 10),
        ("/api/auth/list-sessions", 100, 10),
        ("/static/authservice.css", 100, 10),
    ],
)
def test_so_many_requests_pass_and_the_next_is_told_when_to_come_again(
    browser, path, limit, window
):
    assert 429 not in _get(browser, path, limit)

    refused = browser.get(path, expect_errors=True)

    assert refused.status_int == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= window


@pytest.mark.parametrize(
    "path",
    [
        "/api/health",
        "/api/auth/ok",
        "/api/auth/jwks",
        "/api/auth/.well-known/openid-configuration",
        "/api/auth/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/api/auth",
    ],
)
def test_what_everybody_reads_is_free(browser, path):
    assert set(_get(browser, path, 320)) == {200}


def test_a_valid_session_makes_asking_for_it_free(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))

    assert set(_get(browser, SESSION, 120) + _get(browser, "/api/auth/token", 120)) == {200}


@pytest.mark.attack("BROWSER-many-cookies")
def test_a_session_is_signed_so_often_from_wherever_it_is_asked(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))
    other = production_browser(app, signed_in_cookies(app, database))
    path = "/api/auth/token"

    assert set(_get(browser, path, 300)) == {200}

    refused = _at(browser, "203.0.113.9").get(path, expect_errors=True)
    assert refused.status_int == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert _get(other, path, 1) == [200]
    assert _get(browser, SESSION, 1) == [200]


WRITES = [
    ("POST" if "POST" in route.methods else "GET", route)
    for route in ROUTES
    if route.name in {"callback", "sign_in.begin"}
    or ("POST" in route.methods and route.name not in rate_limits._OF_CLIENTS)
]


@pytest.mark.attack("BROWSER-many-cookies")
@pytest.mark.parametrize(("method", "route"), WRITES, ids=lambda part: getattr(part, "name", ""))
def test_a_session_writes_so_often_from_wherever_it_does(
    make_app, monkeypatch, database, method, route
):
    app = production_app(make_app, monkeypatch, ratelimit__session_requests="1")
    cookies = signed_in_cookies(app, database)
    path = route.path.replace("{provider_id}", "github")

    def ask(cookies, number):
        browser = _at(production_browser(app, cookies), f"203.0.113.{number}")
        return browser._gen_request(method, path, expect_errors=True).status_int

    other = signed_in_cookies(app, database)
    shared_alone = cookies.partition("; ")[0]

    # A sibling application, which has the shared cookie alone, takes nothing from the person.
    assert ask(shared_alone, 1) != 429
    assert ask(cookies, 2) != 429
    assert ask(cookies, 3) == 429
    assert ask(other, 4) != 429


def test_other_addresses_of_the_api_are_not_free_with_a_session(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))

    assert _get(browser, "/api/auth/list-sessions", 101) == [200] * 100 + [429]


def test_showing_and_sending_the_sign_in_page_count_together(browser):
    _get(browser, "/sign-in", 50)
    for _ in range(50):
        assert browser.post("/sign-in", {}, expect_errors=True).status_int != 429

    assert browser.post("/sign-in", {}, expect_errors=True).status_int == 429
    assert browser.get("/sign-in", expect_errors=True).status_int == 429


def _form(app):
    """Return the form of the sign-in page, opened by somebody of the office."""
    return production_browser(app).get("/sign-in").forms[0]


def _begun(form):
    return form.submit("choice", value="sign-in", expect_errors=True).status_int


def test_thirty_people_of_an_office_begin_to_sign_in_at_once_and_one_more_waits(app, browser):
    assert [_begun(_form(app)) for _ in range(31)] == [303] * 30 + [429]

    assert _get(browser, BEGIN, 1) == [429]
    assert _get(browser, "/sign-in", 1) == [200]
    assert _get(_at(browser, "203.0.113.8"), BEGIN, 1) == [303]


def test_a_form_that_is_sent_again_begins_nothing_that_counts(app, browser):
    form = _form(app)

    assert [_begun(form) for _ in range(35)] == [303] * 35
    assert _get(browser, BEGIN, 30) == [303] * 29 + [429]


def test_going_on_as_the_person_who_is_signed_in_begins_nothing_that_counts(app, database, browser):
    cookies = signed_in_cookies(app, database)
    for _ in range(3):
        page = production_browser(app, cookies).get("/sign-in")
        page.test_app = production_browser(app, f"{cookies}; {cookie_header(page)}")
        assert page.forms[0].submit("choice", value="continue").status_int == 303

    assert _get(browser, BEGIN, 31) == [303] * 30 + [429]


def test_who_comes_back_counts_for_the_sign_in_that_began(make_app, monkeypatch, standin):
    ini = {name.replace(".", "__"): value for name, value in standin.ini.items()}
    app = production_app(make_app, monkeypatch, **ini, ratelimit__begun_sign_ins="3")
    people = [production_browser(app) for _ in range(3)]
    backs = [standin.allow(_get_begin(person)) for person in people]
    stranger = production_browser(app)
    junk = f"{CALLBACK}?code=x&state=x"

    # Others at the same address, or a page of somebody's that they opened, use up what is junk.
    assert _get(stranger, junk, 4) == [400] * 3 + [429]
    assert _get(stranger, stranger.path(backs[0]), 1) == [429]
    assert [person.visit(back).status_int for person, back in zip(people, backs, strict=True)] == [
        303
    ] * 3


def test_one_sign_in_comes_back_so_often_and_no_oftener(make_app, monkeypatch, standin):
    ini = {name.replace(".", "__"): value for name, value in standin.ini.items()}
    app = production_app(make_app, monkeypatch, **ini, ratelimit__begun_sign_ins="3")
    places = app.registry.components.sign_in_places
    monkeypatch.setattr(places, "_patience", 0.0)
    first, second = production_browser(app), production_browser(app)
    back, other = standin.allow(_get_begin(first)), standin.allow(_get_begin(second))
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(places.place("203.0.113.8"))
        statuses = _get(first, first.path(back), 4)
        assert statuses == [503] * 3 + [429]
        assert _get(second, second.path(other), 1) == [503]


def _get_begin(browser):
    return browser.get(BEGIN).location


def test_each_address_counts_apart(browser):
    _get(browser, "/sign-in", 101)

    assert _get(_at(browser, "203.0.113.8"), "/sign-in", 1) == [200]
    assert _get(_at(browser, "127.0.0.1"), "/sign-in", 1) == [429]


def test_ipv6_addresses_of_one_network_count_together(browser):
    statuses = [
        _get(_at(browser, f"2001:db8:0:1:{number}::1"), BEGIN, 1)[0] for number in range(31)
    ]

    assert statuses == [303] * 30 + [429]
    assert _get(_at(browser, "2001:db8:0:2::1"), BEGIN, 1) == [303]


@pytest.mark.attack("EXHAUSTION-senders")
def test_a_site_with_many_ipv6_networks_may_ask_eight_times_as_often(make_app, monkeypatch):
    app = production_app(make_app, monkeypatch, ratelimit__begun_sign_ins="2")
    browser = production_browser(app)
    statuses = [
        _get(_at(browser, f"2001:db8:0:{number:x}::1"), BEGIN, 1)[0] for number in range(17)
    ]

    assert statuses == [303] * 16 + [429]
    assert _get(_at(browser, "2001:db8:1::1"), BEGIN, 1) == [303]


def test_what_one_ipv6_network_is_refused_uses_up_nothing_of_its_site(browser):
    _get(_at(browser, "2001:db8:0:1::1"), BEGIN, 100)

    assert _get(_at(browser, "2001:db8:0:2::1"), BEGIN, 1) == [303]


def test_an_ipv6_address_on_a_link_counts_like_any_other(browser):
    assert _get(_at(browser, "fe80::1%eth0"), BEGIN, 31) == [303] * 30 + [429]


def test_an_ipv4_address_in_ipv6_dress_is_the_same(browser):
    _get(_at(browser, "203.0.113.8"), BEGIN, 30)

    assert _get(_at(browser, "::ffff:203.0.113.8"), BEGIN, 1) == [429]


def test_without_a_trusted_proxy_no_forwarded_address_counts(browser):
    statuses = [
        browser.get(
            BEGIN, headers={"X-Forwarded-For": f"203.0.113.{n}"}, expect_errors=True
        ).status_int
        for n in range(31)
    ]

    assert statuses[-1] == 429


@pytest.mark.attack("FAILURES-47")
def test_behind_a_trusted_proxy_its_word_counts_and_no_claim_left_of_it(make_app, monkeypatch):
    app = production_app(make_app, monkeypatch, auth__trusted_proxies="127.0.0.1 10.0.0.0/8")
    browser = production_browser(app)

    def ask(forwarded_for):
        return _get(browser, BEGIN, 1, headers={"X-Forwarded-For": forwarded_for})[0]

    statuses = [ask(f"198.51.100.{n}, 203.0.113.8, 10.1.2.3") for n in range(31)]
    assert statuses == [303] * 30 + [429]
    assert ask("203.0.113.9, 10.1.2.3") == 303


def test_pages_protocol_and_session_api_each_say_it_their_way(browser):
    _get(browser, BEGIN, 30)
    page = browser.get(BEGIN, status=429)
    assert page.content_type == "text/html"
    assert "Please wait a moment" in page.text
    assert page.headers["Content-Security-Policy"]

    _get(browser, SESSION, 100)
    api = browser.get(SESSION, status=429)
    assert set(api.json) == {"message", "code"}
    assert api.json["code"] == "TOO_MANY_REQUESTS"

    for _ in range(20):
        browser.post(TOKEN, {"client_id": "x"}, status=401)
    protocol = browser.post(TOKEN, {"client_id": "x"}, status=429)
    assert set(protocol.json) == {"error", "error_description"}
    assert protocol.json["error"] == "temporarily_unavailable"
    assert protocol.headers["Cache-Control"] == "no-store"


@pytest.mark.attack("RFC6819-4.4.1.3", "RFC6819-4.4.1.12")
def test_failures_of_an_address_count_together_at_all_endpoints_of_clients(browser):
    for _ in range(10):
        browser.post(TOKEN, {"client_id": "x"}, status=401)
        browser.get(USERINFO, headers={"Authorization": "Bearer x"}, status=401)

    browser.get(USERINFO, headers={"Authorization": "Bearer x"}, status=429)
    _at(browser, "203.0.113.8").post(TOKEN, {"client_id": "x"}, status=401)


@pytest.mark.attack("RFC6819-4.3.5")
def test_who_guesses_gets_no_answer_worth_having_after_twenty_failures(browser, register):
    client_id, secret = register()
    for _ in range(20):
        browser.post(TOKEN, headers=_basic(client_id, "wrong"), status=401)

    browser.post(TOKEN, headers=_basic(client_id, "wrong"), status=429)
    # The client itself works on, at the same address too: nobody can lock it out from there.
    form = {"grant_type": "refresh_token", "refresh_token": "x"}
    assert browser.post(TOKEN, form, headers=_basic(client_id, secret), status=400)


@pytest.fixture
def limited(app, register):
    """A client that may ask each endpoint three times a minute, asked for no consent."""
    client_id, secret = register(requests_per_minute=3, skip_consent=True)
    return RelyingParty(app, client_id, secret, "https://app.example.com/callback")


def _posted(browser, path, form, **options):
    return browser.post(path, form, expect_errors=True, **options).status_int


def _asked_for(browser, token, **options):
    return _posted(browser, INTROSPECT, {"token": token}, **options)


def _refreshed(browser, form=(), **options):
    form = {"grant_type": "refresh_token", "refresh_token": "x"} | dict(form)
    return _posted(browser, TOKEN, form, **options)


def _redeemed(app, database, client):
    """Return the answer for an honest code of somebody who is signed in."""
    person = production_browser(app, signed_in_cookies(app, database))
    code = client.answer(client.authorize(person))["code"]
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": client.redirect_uri,
        "code_verifier": client.verifier,
    }
    return _posted(production_browser(app), TOKEN, form, headers=client.credentials())


@pytest.mark.attack("EXHAUSTION-budget")
def test_made_up_tokens_that_a_client_relays_take_nothing_from_its_codes(
    app, browser, database, limited
):
    headers = limited.credentials()
    statuses = [_asked_for(browser, f"made-up-{n}", headers=headers) for n in range(5)]

    # Of a client that has shown who it is, "not active" is an answer like any other.
    assert statuses == [200] * 3 + [429] * 2
    assert _redeemed(app, database, limited) == 200
    assert _posted(browser, REVOKE, {"token": "x"}, headers=headers) == 200


@pytest.mark.attack("EXHAUSTION-budget")
def test_what_fails_takes_nothing_from_what_succeeds(app, browser, database, limited):
    statuses = [_refreshed(browser, headers=limited.credentials()) for _ in range(22)]

    assert statuses == [400] * 20 + [429] * 2
    for _ in range(3):
        assert _redeemed(app, database, limited) == 200
    assert _redeemed(app, database, limited) == 429


@pytest.mark.attack("EXHAUSTION-budget")
def test_failures_of_one_client_hold_nobody_else_at_its_address_back(browser, register, limited):
    for _ in range(21):
        _refreshed(browser, headers=limited.credentials())

    assert _refreshed(browser, headers=_basic(*register())) == 400
    assert _posted(browser, TOKEN, {"client_id": "x"}) == 401
    assert _refreshed(_at(browser, "203.0.113.8"), headers=limited.credentials()) == 400


def test_what_cannot_be_read_counts_as_a_failure(browser):
    options = {"content_type": "text/plain"}
    statuses = [_posted(browser, TOKEN, "x", **options) for _ in range(21)]

    assert statuses == [400] * 20 + [429]


def test_a_confidential_client_counts_wherever_it_asks_from(browser, limited, register):
    headers = limited.credentials()
    statuses = [
        _asked_for(_at(browser, f"203.0.113.{number}"), "x", headers=headers) for number in range(4)
    ]

    assert statuses == [200] * 3 + [429]
    assert _asked_for(browser, "x", headers=_basic(*register())) == 200


def test_a_public_client_counts_for_each_address_apart(browser, register):
    client_id, _ = register(public=True, requests_per_minute=3)
    form = {"client_id": client_id, "token": "x"}

    assert [_posted(browser, REVOKE, form) for _ in range(4)] == [200] * 3 + [429]
    assert _posted(_at(browser, "203.0.113.8"), REVOKE, form) == 200


def test_a_public_client_counts_for_each_ipv6_site_too(browser, register):
    client_id, _ = register(public=True, requests_per_minute=1)
    form = {"client_id": client_id, "token": "x"}
    statuses = [
        _posted(_at(browser, f"2001:db8:0:{number}::1"), REVOKE, form) for number in range(9)
    ]

    assert statuses == [200] * 8 + [429]


def test_userinfo_counts_for_the_client_of_the_token(app, browser, database, limited):
    person = production_browser(app, signed_in_cookies(app, database))
    code = limited.answer(limited.authorize(person))["code"]
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": limited.redirect_uri,
        "code_verifier": limited.verifier,
    }
    answer = browser.post(TOKEN, form, headers=limited.credentials())
    headers = {"Authorization": f"Bearer {answer.json['access_token']}"}

    assert _get(browser, USERINFO, 4, headers=headers) == [200] * 3 + [429]


def test_what_is_not_proved_to_be_a_client_counts_against_none(browser, limited):
    for _ in range(5):
        browser.post(TOKEN, headers=_basic(limited.client_id, "wrong"), status=401)

    assert _asked_for(browser, "x", headers=limited.credentials()) == 200


@pytest.mark.parametrize(
    ("setting", "path", "status"),
    [
        ("authorization_requests", AUTHORIZE, 400),
        ("session_checks", SESSION, 200),
        ("session_checks", "/api/auth/token", 401),
        ("client_failures", USERINFO, 401),
    ],
)
def test_a_limit_is_what_its_setting_says(make_app, monkeypatch, setting, path, status):
    browser = production_browser(
        production_app(make_app, monkeypatch, **{f"ratelimit__{setting}": "2"})
    )

    assert _get(browser, path, 3) == [status] * 2 + [429]


def test_the_limit_of_every_other_path_is_what_its_setting_says(make_app, monkeypatch):
    limits = {"ratelimit__begun_sign_ins": "1", "ratelimit__other_requests": "3"}
    browser = production_browser(production_app(make_app, monkeypatch, **limits))

    assert _get(browser, "/", 4) == [200] * 3 + [429]
    assert _get(browser, BEGIN, 2) == [303, 429]


def test_the_limits_of_clients_and_of_sessions_are_what_their_settings_say(
    make_app, monkeypatch, database, register
):
    limits = {"ratelimit__client_requests": "2", "ratelimit__session_requests": "1"}
    app = production_app(make_app, monkeypatch, **limits)
    person = production_browser(app, signed_in_cookies(app, database))
    headers = _basic(*register())

    assert [_asked_for(production_browser(app), "x", headers=headers) for _ in range(3)] == [
        200,
        200,
        429,
    ]
    assert _get(person, "/api/auth/token", 2) == [200, 429]


def test_local_mode_limits_nothing(make_app):
    browser = Browser(make_app())

    assert set(_get(browser, "/sign-in", 110)) == {200}
    assert set(_get(browser, SESSION, 150)) == {200}
