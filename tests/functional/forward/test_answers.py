"""Who may pass, who is led to the sign-in, and how a session ends and lives on."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from authservice.services.sessions import sessions
from tests.functional.forward.asking import APP, NAVIGATION, Proxy
from tests.helpers.production import production_browser, signed_in_cookies

SIGN_IN = "https://auth.example.com/sign-in?callbackURL=https%3A%2F%2Fapp.example.com%2F"
CHALLENGE = 'Session realm="https://auth.example.com"'


@pytest.mark.story("forward.auth_request")
def test_nginx_is_told_who_passes_and_where_the_others_go(ada, stranger):
    for method in ("GET", "HEAD"):
        passed = ada.original(APP, method=method)
        assert (passed.status_int, passed.body) == (200, b"")
        assert passed.headers["Content-Length"] == "0"
        assert passed.headers["Remote-Name"] == "Ada%20Lovelace"

        led = stranger.original(APP, method=method)
        assert led.status_int == 401
        assert led.headers["X-Auth-Sign-In"] == SIGN_IN
        assert led.headers["WWW-Authenticate"] == CHALLENGE
        for answer in (passed, led):
            assert answer.headers["Cache-Control"] == "no-store"
            assert "Access-Control-Allow-Origin" not in answer.headers
            assert "Set-Cookie" not in answer.headers


@pytest.mark.story("forward.forward_auth")
def test_caddy_and_traefik_are_told_who_passes(ada, stranger):
    passed = ada.forwarded("/x?y=1", method="POST")
    assert (passed.status_int, passed.body) == (200, b"")
    assert passed.headers["Remote-Name"] == "Ada%20Lovelace"

    led = stranger.forwarded(headers=NAVIGATION)
    assert (led.status_int, led.headers["Location"]) == (302, SIGN_IN)
    refused = stranger.forwarded()
    assert (refused.status_int, refused.json["code"]) == (401, "UNAUTHORIZED")
    assert refused.headers["WWW-Authenticate"] == CHALLENGE
    for answer in (passed, led, refused):
        assert answer.headers["Cache-Control"] == "no-store"


def test_only_who_opens_a_page_is_led_to_the_sign_in(subtests, stranger):
    for method, headers, status in (
        ("GET", {"Sec-Fetch-Mode": "navigate"}, 302),
        ("HEAD", {"Sec-Fetch-Mode": "navigate"}, 302),
        ("GET", {"Sec-Fetch-Mode": "navigate", "Accept": "*/*"}, 302),
        ("GET", {"Accept": "text/html,application/xhtml+xml;q=0.9"}, 302),
        ("GET", {"Sec-Fetch-Mode": "cors", "Accept": "text/html"}, 401),
        ("GET", {"Sec-Fetch-Mode": "no-cors", "Accept": "text/html"}, 401),
        ("GET", {"Sec-Fetch-Mode": "websocket", "Upgrade": "websocket"}, 401),
        ("GET", {"Sec-Fetch-Mode": "", "Accept": "text/html"}, 401),
        ("GET", {"Sec-Fetch-Mode": "navigate, navigate"}, 401),
        ("GET", {"Accept": "application/json"}, 401),
        ("GET", {"Accept": "*/*"}, 401),
        ("GET", {}, 401),
        ("POST", {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}, 401),
        ("PUT", {"Accept": "text/html"}, 401),
        ("OPTIONS", {"Accept": "text/html"}, 401),
        ("PROPFIND", {"Accept": "text/html"}, 401),
        ("M-SEARCH", {"Accept": "text/html"}, 401),
    ):
        with subtests.test(method=method, headers=headers):
            assert stranger.forwarded(method=method, headers=headers).status_int == status


@pytest.mark.attack("OWASP-SESSION-1")
def test_a_cookie_without_a_session_lets_nobody_pass(subtests, app, ada):
    name = app.registry.components.cookies.session_name
    token = ada.cookies.split(f"{name}=")[1].split(";")[0]
    for cookie in (f"{name}=x.y", f"{name}={token[:-1]}", f"other={token}", f"{name}=", f"{name}"):
        with subtests.test(cookie=cookie):
            assert Proxy(app, cookie).original(APP).status_int == 401
    # The companion stays with this service: an application's proxy never sees it.
    assert Proxy(app, f"{name}={token}").original(APP).status_int == 200


def test_signing_out_closes_it_at_the_next_request(app, ada):
    assert ada.original(APP).status_int == 200

    origin = {"Origin": "https://auth.example.com"}
    production_browser(app, ada.cookies).post_json("/api/auth/sign-out", {}, headers=origin)

    assert ada.original(APP).status_int == 401
    assert ada.forwarded().status_int == 401


def test_a_session_is_extended_only_where_the_proxy_relays_the_cookie(
    subtests, app, database, turnable_clock
):
    for path in ("original", "forwarded"):
        with subtests.test(path=path):
            cookies = signed_in_cookies(app, database)
            companion = app.registry.components.cookies.companion_name
            shared = cookies.split("; ")
            shared = next(pair for pair in shared if not pair.startswith(companion))
            ask = getattr(Proxy(app, shared), path)
            arguments = [APP] if path == "original" else []
            turnable_clock.advance(days=2)

            assert "Set-Cookie" not in ask(*arguments).headers
            extended = ask(*arguments, query="?extend=1")
            assert extended.headers["Remote-Name"] == "Ada%20Lovelace"
            (cookie,) = extended.headers.getall("Set-Cookie")
            assert cookie.startswith(f"{shared};")
            assert "Domain=.example.com" in cookie
            # Once in an interval.
            assert "Set-Cookie" not in ask(*arguments, query="?extend=1").headers


def test_the_session_ends_when_it_is_not_extended(app, database, turnable_clock):
    ada = Proxy(app, signed_in_cookies(app, database, lifetime=timedelta(days=7)))
    for _ in range(3):
        turnable_clock.advance(days=2)
        assert ada.original(APP).status_int == 200
    turnable_clock.advance(days=2)

    assert ada.original(APP).status_int == 401


@pytest.mark.attack("BROWSER-flood")
def test_a_thousand_requests_without_a_session_and_then_no_look_up(app, database, monkeypatch):
    ada, sender = Proxy(app, signed_in_cookies(app, database)), "203.0.113.1"
    ended = Proxy(app, signed_in_cookies(app, database, lifetime=timedelta(seconds=-1)))
    stranger = Proxy(app)
    looked_up = []
    find = sessions.find
    monkeypatch.setattr(
        sessions, "find", lambda *arguments: looked_up.append(1) or find(*arguments)
    )

    # Who shows no cookie costs no look-up, and keeps nobody from one.
    statuses = {
        stranger.forwarded(headers=NAVIGATION, sender=sender).status_int for _ in range(1000)
    }
    assert statuses == {302}
    assert stranger.forwarded(headers=NAVIGATION, sender=sender).status_int == 401
    led = stranger.original(APP, sender=sender)
    assert (led.status_int, led.headers["X-Auth-Sign-In"]) == (401, SIGN_IN)
    assert not looked_up
    assert ada.original(APP, sender=sender).status_int == 200

    for _ in range(1000):
        assert ended.original(APP, sender=sender).status_int == 401
    assert len(looked_up) == 1001
    led = ended.original(APP, sender=sender)
    assert (led.status_int, led.headers["X-Auth-Sign-In"]) == (401, SIGN_IN)
    assert ended.forwarded(headers=NAVIGATION, sender=sender).status_int == 401
    assert ada.original(APP, sender=sender).status_int == 401
    assert len(looked_up) == 1001
    # Each address by itself.
    assert ada.original(APP, sender="203.0.113.2").status_int == 200


def test_who_is_signed_in_is_never_held_back(ada):
    for _ in range(1100):
        answer = ada.original(APP)
    assert answer.status_int == 200


def test_without_the_database_it_is_503_for_who_may_have_a_session(database, ada, stranger):
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE session RENAME TO lost"))

    for answer in (ada.original(APP), ada.forwarded(headers=NAVIGATION)):
        assert answer.status_int == 503
        assert answer.json["code"] == "SERVICE_UNAVAILABLE"
        assert "Remote-User" not in answer.headers
    assert stranger.original(APP).status_int == 401
