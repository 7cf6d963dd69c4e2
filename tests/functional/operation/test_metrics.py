"""Metrics on an address of their own: what is counted, and under which labels."""

import socket
import subprocess
import sys

import pytest
import requests

from authservice import clock
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.control import Control
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty
from tests.helpers.scrape import scrape, value

DURATION = "http_request_duration_seconds_count"


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def measured(make_app, port):
    return make_app(metrics__listen=f"127.0.0.1:{port}")


@pytest.fixture
def browser(measured):
    return Browser(measured)


@pytest.fixture
def client(measured, database):
    return RelyingParty.registered(measured, database)


@pytest.fixture
def now(port):
    """Return the value of a metric at this moment."""
    return lambda name, **labels: value(scrape(port), name, **labels)


def test_requests_are_counted_by_method_route_and_status(browser, now):
    for _ in range(3):
        browser.get("/api/health")
    browser.head("/api/health")
    browser.get("/api/auth/callback/github", expect_errors=True)
    browser.get("/static/authservice.css")

    assert now(DURATION, method="GET", route="/api/health", status="200") == 3
    assert now(DURATION, method="HEAD", route="/api/health", status="200") == 1
    callback = "/api/auth/callback/{provider_id}"
    assert now(DURATION, method="GET", route=callback, status="400") == 1
    assert now(DURATION, method="GET", route="/static/*", status="200") == 1


def test_nobody_outside_makes_up_a_label(browser, port):
    for path in ("/nowhere", "/nowhere/else", "/%ff", "/static/nothing"):
        browser.get(path, expect_errors=True)
    browser.lint = False
    browser._gen_request("BREW", "/api/health", expect_errors=True)
    leaving = browser.get("/sign-in").forms[0].submit("choice", value="sign-in").location
    query = {"error": "made_up", "state": leaving.partition("state=")[2]}
    browser.get("/api/auth/callback/github", query, expect_errors=True)

    labels = {text for sample in scrape(port) for _, text in sample[1:]}

    assert not labels & {"BREW", "made_up"}
    assert not [text for text in labels if "nowhere" in text or "nothing" in text]
    samples = scrape(port)
    assert value(samples, DURATION, method="other", route="/api/health", status="405") == 1
    assert value(samples, "sign_ins_total", result="other") == 1


def test_sign_ins_and_sign_outs(browser, now):
    browser.sign_in()
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    leaving = browser.get("/sign-in").forms[0].submit("choice", value="sign-in").location
    query = {"error": "access_denied", "state": leaving.partition("state=")[2]}
    browser.get("/api/auth/callback/github", query, expect_errors=True)

    assert now("sign_ins_total", result="success") == 1
    assert now("sign_ins_total", result="access_denied") == 1
    assert now("sign_outs_total") == 1


def test_who_is_refused_is_counted(make_app, port, now):
    app = make_app(metrics__listen=f"127.0.0.1:{port}", admission__organizations="acme")
    Control(app).put("persons/bob", {})
    browser = Browser(app)
    page = browser.get("/sign-in", {"person": "bob"})
    browser.visit(page.forms[0].submit("choice", value="sign-in").location, expect_errors=True)

    assert now("sign_ins_total", result="not_admitted") == 1


def test_tokens_by_grant_and_result_and_replays(turnable_clock, browser, client, now):
    code = client.sign_in_with(browser)
    tokens = client.redeem(code).json
    client.refresh(tokens["refresh_token"])
    turnable_clock.advance(seconds=11)
    client.refresh(tokens["refresh_token"])
    client.redeem(code)
    client.token_request({"grant_type": "password"})

    def requests_(grant_type, result):
        return now("token_requests_total", grant_type=grant_type, result=result)

    assert requests_("authorization_code", "success") == 1
    assert requests_("refresh_token", "success") == 1
    assert requests_("refresh_token", "invalid_grant") == 1
    assert requests_("authorization_code", "invalid_grant") == 1
    assert requests_("other", "unsupported_grant_type") == 1
    assert now("replays_total", kind="refresh_token") == 1
    assert now("replays_total", kind="code") == 1


def test_waits_for_the_database_are_counted_with_every_transaction(browser, now):
    before = now("database_wait_seconds_count")
    browser.sign_in()

    assert now("database_wait_seconds_count") >= before + 2


def test_the_age_of_the_keys(browser, measured, now):
    # Noted by a thread of its own as it starts.
    measured.registry.components.metrics._looking.stop()

    for alg in ("RS256", "ES256", "EdDSA"):
        made = now("signing_key_created_timestamp_seconds", alg=alg)
        assert clock.now().timestamp() - made < 3600


def test_requests_that_a_rate_limit_refused(make_app, monkeypatch, port, now):
    app = production_app(make_app, monkeypatch, metrics__listen=f"127.0.0.1:{port}")
    browser = production_browser(app)

    for _ in range(32):
        browser.get("/api/auth/sign-in/begin", expect_errors=True)

    assert now("rate_limit_hits_total", limit="begun_sign_ins") == 2


def test_an_error_of_our_own_is_counted_as_one(browser, now, monkeypatch):
    monkeypatch.setattr(
        "authservice.web.views.operation.health.ReadyAnswer", lambda *_, **__: 1 / 0
    )

    browser.get("/api/health", expect_errors=True)

    assert now(DURATION, method="GET", route="/api/health", status="500") == 1


def test_the_service_itself_answers_no_metrics(browser):
    assert browser.get("/metrics", expect_errors=True).status_int == 404


def test_the_address_is_left_when_the_application_is_closed(measured, port):
    measured.registry.components.close()

    with pytest.raises(requests.ConnectionError):
        scrape(port)


def test_an_address_that_is_taken_stops_the_start(make_app):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(SystemExit) as stop:
            make_app(metrics__listen=f"127.0.0.1:{port}")

    assert str(stop.value).startswith("authservice: metrics.listen: ")


def _run(code):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True
    )


def test_off_nothing_of_it_is_there(app):
    assert app.registry.components.metrics is None
    assert app.registry.components.database.observe_wait is None

    ended = _run("import authservice.application, sys; print('prometheus_client' in sys.modules)")

    assert ended.stdout == "False\n"


def test_without_the_library_the_start_says_what_to_install(database_url, port):
    settings = {
        "auth.mode": "local",
        "auth.url": ORIGIN,
        "auth.database_url": database_url,
        "metrics.listen": f"127.0.0.1:{port}",
    }
    code = "import sys; sys.modules['prometheus_client'] = None; from authservice import main; "

    ended = _run(f"{code} main({{}}, **{settings!r})")

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "authservice: metrics.listen needs prometheus-client; install it:"
        " pip install 'authservice[metrics]'"
    )
