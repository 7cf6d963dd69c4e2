"""A proxy that does not say for whom it asks: who counts, who is told what, and what is logged."""

import pytest

from tests.helpers.production import production_app, production_browser

PROXY = "10.0.0.1"
LOGGER = "authservice.web.request.silent_proxy"


@pytest.fixture
def ask(make_app, monkeypatch):
    """Ask the service for an address as a connection from an address does."""
    app = production_app(make_app, monkeypatch, auth__trusted_proxies=f"{PROXY} 127.0.0.1")
    browser = production_browser(app)

    def get(path, remote, **headers):
        browser.extra_environ["REMOTE_ADDR"] = remote
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return browser.get(path, headers=headers, expect_errors=True)

    return get


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


@pytest.mark.attack("BROWSER-probing")
def test_only_a_request_whose_sender_is_known_may_be_the_operators(subtests, ask):
    for remote, headers, known, told in (
        (PROXY, {}, False, False),
        ("127.0.0.1", {}, False, False),
        (PROXY, {"X_Forwarded_For": "203.0.113.7"}, True, False),
        (PROXY, {"X_Forwarded_For": "203.0.113.7:4711"}, True, False),
        (PROXY, {"X_Forwarded_For": "203.0.113.7, unknown, 127.0.0.1:4711"}, False, False),
        (PROXY, {"X_Forwarded_For": "unknown"}, False, False),
        (PROXY, {"X_Forwarded_For": ""}, False, False),
        (PROXY, {"X_Forwarded_For": "127.0.0.1"}, True, True),
        (PROXY, {"Host": "127.0.0.1:8080"}, True, True),
        ("127.0.0.1", {"Host": "127.0.0.1:8080"}, True, True),
        ("127.0.0.1", {"Host": "localhost:8080", "X_Forwarded_Proto": "https"}, False, False),
        (PROXY, {"Host": "10.0.0.2", "X_Real_IP": "203.0.113.7"}, False, False),
        (PROXY, {"Host": "AUTH.example.com:443"}, False, False),
        ("203.0.113.7", {}, True, False),
        ("10.9.9.9", {"X_Forwarded_For": "203.0.113.7"}, False, False),
    ):
        with subtests.test(remote=remote, headers=headers, known=known, told=told):
            answer = ask("/api/ready", remote, **headers).json

            assert answer["sender_known"] is known
            assert ("version" in answer) is told


@pytest.mark.attack("BROWSER-probing")
@pytest.mark.parametrize("remote", ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"])
def test_a_proxy_on_this_machine_that_no_setting_names_and_that_adds_nothing_is_noticed(
    make_app, monkeypatch, remote
):
    browser = production_browser(production_app(make_app, monkeypatch, auth__trusted_proxies=PROXY))
    browser.extra_environ["REMOTE_ADDR"] = remote

    passed_on = browser.get("/api/ready").json
    of_its_own = browser.get("/api/ready", headers={"Host": "127.0.0.1:8080"}).json

    assert not passed_on["sender_known"]
    assert "version" not in passed_on
    assert of_its_own["sender_known"]
    assert "version" in of_its_own


def test_the_log_says_it_once(ask, caplog):
    for _ in range(3):
        ask("/sign-in", PROXY)
    ask("/sign-in", "127.0.0.1")

    (line,) = said(caplog)
    assert line.startswith(f"{PROXY} passes requests on without")


def test_the_log_says_nothing_of_a_proxy_that_names_the_sender(ask, caplog):
    for written in ("203.0.113.7", "[2001:db8::7]:443", "unknown"):
        ask("/sign-in", PROXY, X_Forwarded_For=written)
    ask("/sign-in", "127.0.0.1", Host="127.0.0.1:8080")

    assert said(caplog) == []


def test_a_load_balancer_that_asks_for_itself_is_no_silent_proxy(ask, caplog):
    ask("/api/ready", PROXY)

    assert said(caplog) == []


def test_a_stranger_cannot_make_the_log_say_it(ask, caplog):
    for name in ("X_Forwarded_For", "Via", "Forwarded", "X_Real_IP", "X_Forwarded_Proto"):
        ask("/sign-in", "203.0.113.7", **{name: "nonsense"})
        ask(
            "/sign-in",
            PROXY,
            X_Forwarded_For="203.0.113.7",
            **({name: "x"} if "For" not in name else {}),
        )

    assert said(caplog) == []
