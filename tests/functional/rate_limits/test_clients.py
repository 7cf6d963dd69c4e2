"""How often a client may ask; failures count apart from what succeeds."""

import pytest

from authservice.crypto.secret_values import random_token
from tests.functional.rate_limits.asking import INTROSPECT, REVOKE, at, get, introspected, posted
from tests.helpers.production import production_browser, signed_in_cookies
from tests.helpers.relying_party import TOKEN, USERINFO


@pytest.mark.attack("RFC6819-4.4.1.3", "RFC6819-4.4.1.12")
def test_failures_of_an_address_count_together_at_all_endpoints_of_clients(browser):
    for _ in range(10):
        browser.post(TOKEN, {"client_id": "x"}, status=401)
        browser.post(INTROSPECT, {"client_id": "x"}, status=401)

    browser.post(REVOKE, {"client_id": "x"}, status=429)
    at(browser, "203.0.113.8").post(TOKEN, {"client_id": "x"}, status=401)


@pytest.mark.attack("BROWSER-brute-force", "RFC6819-4.3.5")
@pytest.mark.requirement("RFC6749-2.3.1-5")
def test_who_guesses_gets_no_answer_worth_having_after_twenty_failures(browser, register):
    client = register()
    right = client.credentials()
    client.client_secret = "wrong"
    for _ in range(20):
        browser.post(TOKEN, headers=client.credentials(), status=401)

    browser.post(TOKEN, headers=client.credentials(), status=429)
    # The client itself works on, at the same address too: it cannot be locked out from there.
    form = {"grant_type": "refresh_token", "refresh_token": "x"}
    assert browser.post(TOKEN, form, headers=right, status=400)


@pytest.fixture
def limited(register):
    """A client that may call each endpoint three times a minute, and needs no consent."""
    return register(requests_per_minute=3, skip_consent=True)


def _guessed(browser, **options):
    """Return the status of a request with a code that somebody has made up."""
    return posted(browser, TOKEN, {"grant_type": "authorization_code", "code": "x"}, **options)


def _redeemed(app, database, client, **person):
    """Return the answer for an honest code of a user who is signed in."""
    person = production_browser(app, signed_in_cookies(app, database, **person))
    return client.redeem(client.answer(client.authorize(person))["code"])


@pytest.mark.attack("EXHAUSTION-budget")
def test_made_up_tokens_that_a_client_relays_take_nothing_from_honest_ones(
    app, browser, database, limited
):
    headers = limited.credentials()
    token = _redeemed(app, database, limited).json["access_token"]
    statuses = [introspected(browser, random_token(), headers=headers) for _ in range(5)]

    assert statuses == [200] * 3 + [429] * 2
    assert [introspected(browser, token, headers=headers) for _ in range(4)] == [200] * 3 + [429]
    assert _redeemed(app, database, limited).status_int == 200
    assert posted(browser, REVOKE, {"token": random_token()}, headers=headers) == 200


def test_honest_tokens_take_nothing_from_what_is_not_active(app, browser, database, limited):
    headers = limited.credentials()
    token = _redeemed(app, database, limited).json["access_token"]
    for _ in range(4):
        introspected(browser, token, headers=headers)

    assert introspected(browser, random_token(), headers=headers) == 200


@pytest.mark.attack("EXHAUSTION-budget")
def test_what_fails_takes_nothing_from_what_succeeds(app, browser, database, limited):
    statuses = [_guessed(browser, headers=limited.credentials()) for _ in range(22)]

    assert statuses == [400] * 20 + [429] * 2
    for status in (200, 200, 200, 429):
        assert _redeemed(app, database, limited).status_int == status


@pytest.mark.attack("EXHAUSTION-budget")
def test_failures_of_one_client_hold_nobody_else_at_its_address_back(browser, register, limited):
    for _ in range(21):
        _guessed(browser, headers=limited.credentials())

    assert _guessed(browser, headers=register().credentials()) == 400
    assert posted(browser, TOKEN, {"client_id": "x"}) == 401
    assert _guessed(at(browser, "203.0.113.8"), headers=limited.credentials()) == 400


def test_what_cannot_be_read_counts_as_a_failure(browser):
    options = {"content_type": "text/plain"}
    statuses = [posted(browser, TOKEN, "x", **options) for _ in range(21)]

    assert statuses == [400] * 20 + [429]


def test_a_confidential_client_counts_wherever_it_asks_from(browser, limited, register):
    headers = limited.credentials()
    statuses = [
        introspected(at(browser, f"203.0.113.{number}"), random_token(), headers=headers)
        for number in range(4)
    ]

    assert statuses == [200] * 3 + [429]
    assert introspected(browser, random_token(), headers=register().credentials()) == 200


def test_a_public_client_counts_for_each_address_apart(browser, register):
    form = {
        "client_id": register(public=True, requests_per_minute=3).client_id,
        "token": random_token(),
    }

    assert [posted(browser, REVOKE, form) for _ in range(4)] == [200] * 3 + [429]
    assert posted(at(browser, "203.0.113.8"), REVOKE, form) == 200


def test_a_public_client_counts_for_each_ipv6_site_too(browser, register):
    form = {
        "client_id": register(public=True, requests_per_minute=1).client_id,
        "token": random_token(),
    }
    statuses = [posted(at(browser, f"2001:db8:0:{number}::1"), REVOKE, form) for number in range(9)]

    assert statuses == [200] * 8 + [429]


@pytest.mark.attack("EXHAUSTION-budget")
def test_userinfo_counts_for_each_person_of_a_client(app, browser, database, limited):
    def statuses(account_id, times):
        token = _redeemed(app, database, limited, account_id=account_id).json["access_token"]
        return get(browser, USERINFO, times, headers={"Authorization": f"Bearer {token}"})

    assert statuses("1", 2) == [200] * 2
    # Of whichever token.
    assert statuses("1", 3) == [200] + [429] * 2
    assert statuses("2", 1) == [200]


def test_what_is_not_proved_to_be_a_client_counts_against_none(browser, limited):
    right = limited.credentials()
    limited.client_secret = "wrong"
    for _ in range(5):
        browser.post(TOKEN, headers=limited.credentials(), status=401)

    assert introspected(browser, random_token(), headers=right) == 200
