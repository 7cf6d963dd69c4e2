"""Which addresses count apart, which together, and whose word for an address counts."""

import pytest

from tests.functional.rate_limits.asking import BEGIN, at, get
from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser


def test_each_address_counts_apart(browser):
    get(browser, "/sign-in", 101)

    assert get(at(browser, "203.0.113.8"), "/sign-in", 1) == [200]
    assert get(at(browser, "127.0.0.1"), "/sign-in", 1) == [429]


def test_ipv6_addresses_of_one_network_count_together(browser):
    statuses = [get(at(browser, f"2001:db8:0:1:{number}::1"), BEGIN, 1)[0] for number in range(31)]

    assert statuses == [303] * 30 + [429]
    assert get(at(browser, "2001:db8:0:2::1"), BEGIN, 1) == [303]


@pytest.mark.attack("EXHAUSTION-senders")
def test_a_site_with_many_ipv6_networks_may_ask_eight_times_as_often(make_app, monkeypatch):
    app = production_app(make_app, monkeypatch, ratelimit__begun_sign_ins="2")
    browser = production_browser(app)
    statuses = [get(at(browser, f"2001:db8:0:{number:x}::1"), BEGIN, 1)[0] for number in range(17)]

    assert statuses == [303] * 16 + [429]
    assert get(at(browser, "2001:db8:1::1"), BEGIN, 1) == [303]


def test_what_one_ipv6_network_is_refused_uses_up_nothing_of_its_site(browser):
    get(at(browser, "2001:db8:0:1::1"), BEGIN, 100)

    assert get(at(browser, "2001:db8:0:2::1"), BEGIN, 1) == [303]


def test_an_ipv6_address_on_a_link_counts_like_any_other(browser):
    assert get(at(browser, "fe80::1%eth0"), BEGIN, 31) == [303] * 30 + [429]


def test_an_ipv4_address_in_ipv6_dress_is_the_same(browser):
    get(at(browser, "203.0.113.8"), BEGIN, 30)

    assert get(at(browser, "::ffff:203.0.113.8"), BEGIN, 1) == [429]


def test_without_a_trusted_proxy_no_forwarded_address_counts(browser):
    statuses = [
        browser.get(
            BEGIN, headers={"X-Forwarded-For": f"203.0.113.{n}"}, expect_errors=True
        ).status_int
        for n in range(31)
    ]

    assert statuses[-1] == 429


@pytest.fixture
def forwarded(make_app, monkeypatch):
    """Ask through trusted proxies that write this about the sender."""
    app = production_app(make_app, monkeypatch, auth__trusted_proxies="127.0.0.1 10.0.0.0/8")
    browser = production_browser(app)

    def ask(written, times=1):
        return get(browser, BEGIN, times, headers={"X-Forwarded-For": written})

    return ask


@pytest.mark.attack("FAILURES-47")
def test_behind_a_trusted_proxy_its_word_counts_and_no_claim_left_of_it(forwarded):
    statuses = [
        forwarded(f"198.51.100.{n}, 203.0.113.8:{51000 + n}, 10.1.2.3")[0] for n in range(31)
    ]
    assert statuses == [303] * 30 + [429]
    assert forwarded("203.0.113.9, 10.1.2.3") == [303]


@pytest.mark.attack("FAILURES-47")
def test_what_a_proxy_writes_in_place_of_an_address_is_a_sender_apart(forwarded):
    long = "x" * 10_000
    for written in ("unknown", "_hidden", "", f"{long}1"):
        statuses = [forwarded(f"198.51.100.{n}, {written} , 10.1.2.3")[0] for n in range(31)]
        assert statuses == [303] * 30 + [429], written[:99]

    assert forwarded("_another") == forwarded(f"{long}2") == [303]
    # Nor does it count for the proxies.
    assert forwarded("127.0.0.1") == forwarded("10.1.2.3") == [303]


def test_the_log_says_once_an_hour_what_is_no_address(forwarded, caplog):
    for written in ("\x1b[2J\x85" + "x" * 10_000, "unknown"):
        forwarded(f"{written}, 10.1.2.3", 2)

    (line,) = [
        record.getMessage() for record in caplog.records if "no address" in record.getMessage()
    ]
    assert line.startswith(r"127.0.0.1 writes '\x1b[2J\x85xxx")
    assert len(line) < 300


def test_a_session_shows_no_address_that_is_none(make_app):
    browser = Browser(make_app(auth__trusted_proxies="127.0.0.1"))
    browser.extra_environ["HTTP_X_FORWARDED_FOR"] = "1.2.3.4, unknown"
    browser.sign_in()

    assert browser.get("/api/auth/list-sessions").json[0]["ipAddress"] == ""
