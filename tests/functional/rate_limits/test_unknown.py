"""What is no longer valid or was made up: only what has to be looked up and is unknown counts.

Back ends ask for all their visitors from one address, so nothing that honest visitors bring may use
up what the others need.
"""

from datetime import timedelta

import pytest

from authservice.crypto import family_tokens
from authservice.crypto.secret_values import random_id, random_token
from tests.functional.rate_limits.asking import (
    REVOKE,
    SESSION,
    SESSION_TOKEN,
    SIGN_OUT,
    at,
    get,
    introspected,
    posted,
)
from tests.helpers.production import (
    ORIGIN,
    production_app,
    production_browser,
    signed_in_cookies,
    signed_out_cookies,
)
from tests.helpers.relying_party import USERINFO
from tests.helpers.statements import statements  # noqa: F401  (a fixture)

_NAME = "__Secure-authservice.session_token"
_PREFLIGHT = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}


@pytest.fixture
def app(make_app, monkeypatch):
    limits = {"unknown_tokens": "2", "begun_sign_ins": "1", "other_requests": "3"}
    settings = {f"ratelimit__{name}": value for name, value in limits.items()}
    return production_app(make_app, monkeypatch, **settings)


@pytest.fixture
def tokens_of(app, database):
    """Return the tokens of a person who has just signed in at a client."""

    def redeemed(client):
        person = production_browser(app, signed_in_cookies(app, database))
        return client.redeem(client.answer(client.authorize(person))["code"]).json

    return redeemed


@pytest.fixture
def client(register, browser):
    """A client whose requests come from the address of the browser."""
    made = register(skip_consent=True)
    made.http = browser
    return made


def _asked(browser, method, path, times):
    headers = _PREFLIGHT if method == "OPTIONS" else {"Origin": ORIGIN}
    options = {"params": b"{}", "content_type": "application/json"} if method == "POST" else {}
    return [
        browser._gen_request(method, path, headers=headers, expect_errors=True, **options)
        for _ in range(times)
    ]


@pytest.mark.attack("EXHAUSTION-one-address", "BROWSER-brute-force")
@pytest.mark.engines("sqlite")
def test_without_a_cookie_that_was_signed_here_nothing_is_looked_up_or_counted(
    subtests,
    app,
    database,
    statements,  # noqa: F811
):
    companion = signed_in_cookies(app, database).partition("; ")[2]
    statements.clear()
    api = "/api/auth"
    for method, path, status in (
        ("GET", SESSION, 200),
        ("HEAD", SESSION, 200),
        ("OPTIONS", SESSION, 204),
        ("POST", SESSION, 405),
        ("GET", f"{SESSION}?disableRefresh=true", 200),
        ("GET", SESSION_TOKEN, 401),
        ("POST", SIGN_OUT, 200),
        ("GET", f"{api}/list-sessions", 401),
        ("POST", f"{api}/revoke-session", 401),
        ("POST", f"{api}/revoke-sessions", 401),
        ("POST", f"{api}/revoke-other-sessions", 401),
        ("GET", f"{api}/oauth2/public-client", 401),
        ("GET", f"{api}/oauth2/get-consents", 401),
        ("POST", f"{api}/oauth2/delete-consent", 401),
    ):
        for cookies in (
            "",
            "other=1",
            companion,
            f"{_NAME}=",
            f"{_NAME}=junk",
            f"{_NAME}={random_token()}",
            f"{_NAME}={random_token()}.{random_token()}",
            "; ".join(f"{_NAME}={random_token()}.{random_token()}" for _ in range(60)),
        ):
            with subtests.test(method=method, path=path, cookies=cookies[:60]):
                answers = _asked(production_browser(app, cookies), method, path, 5)

                assert [answer.status_int for answer in answers] == [status] * 5
                if (method, status) == ("GET", 200):
                    assert answers[0].json is None
                assert statements == []


@pytest.mark.attack("BROWSER-brute-force", "EXHAUSTION-one-address")
def test_sessions_that_are_unknown_count_and_hold_no_other_back(subtests, app, database):
    unknown = signed_out_cookies(app, database)
    many = "; ".join([unknown, signed_out_cookies(app, database)])
    expired = signed_in_cookies(app, database, lifetime=timedelta(seconds=-1))
    valid = signed_in_cookies(app, database)
    for number, (method, path, status) in enumerate(
        (("GET", SESSION, 200), ("HEAD", SESSION, 200), ("GET", SESSION_TOKEN, 401))
    ):
        with subtests.test(method=method, path=path):

            def ask(cookies, times, method=method, path=path, address=f"203.0.113.{number}"):
                answers = _asked(at(production_browser(app, cookies), address), method, path, times)
                return [answer.status_int for answer in answers]

            assert ask(expired, 4) == [status] * 4
            # However many a request names, it counts once; and not where one of them is stored.
            assert ask(f"{unknown}; {expired}", 4) == [status] * 4
            assert ask(many, 2) == [status] * 2
            assert ask(unknown, 1) == [429]
            assert ask(f"{unknown}; {valid}", 4) == ask(valid, 4) == [200] * 4
            assert ask("", 4) == ask(expired, 4) == [status] * 4


@pytest.mark.attack("EXHAUSTION-one-address")
def test_signing_out_ends_any_number_of_sessions_from_one_address(app, database):
    people = [signed_in_cookies(app, database) for _ in range(5)]

    def sign_out(cookies):
        return _asked(production_browser(app, cookies), "POST", SIGN_OUT, 1)[0].status_int

    assert [sign_out(cookies) for cookies in people] == [200] * 5
    # Their sessions are unknown by now.
    assert [sign_out(cookies) for cookies in people[:3]] == [200] * 2 + [429]


@pytest.mark.attack("EXHAUSTION-one-address")
@pytest.mark.engines("sqlite")
def test_access_tokens_that_are_not_valid_take_nothing_from_others(
    browser,
    client,
    tokens_of,
    turnable_clock,
    statements,  # noqa: F811
):
    tokens = tokens_of(client)
    turnable_clock.advance(seconds=3601)
    fresh = tokens_of(client)

    def ask(token, times):
        return get(browser, USERINFO, times, headers={"Authorization": f"Bearer {token}"})

    statements.clear()
    for text in ("junk", f"{random_token()}x", "eyJ.eyJ.x", tokens["refresh_token"], "a b"):
        assert set(ask(text, 25)) <= {400, 401}
    assert get(browser, USERINFO, 25) == [401] * 25
    assert statements == []
    assert ask(tokens["access_token"], 25) == [401] * 25
    assert [ask(random_token(), 1)[0] for _ in range(3)] == [401] * 2 + [429]
    assert ask("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.x", 1) == [429]
    refused = browser.get(
        USERINFO, headers={"Authorization": f"Bearer {random_token()}"}, expect_errors=True
    )
    assert 1 <= int(refused.headers["Retry-After"]) <= 60

    assert ask(fresh["access_token"], 4) == [200] * 4
    assert ask(tokens["access_token"], 1) == ask("junk", 1) == [401]


@pytest.mark.attack("EXHAUSTION-one-address", "RFC6819-4.4.1.3")
@pytest.mark.engines("sqlite")
@pytest.mark.parametrize("public", [False, True])
def test_refresh_tokens_that_are_not_valid_take_nothing_from_others(
    browser,
    client,
    register,
    tokens_of,
    public,
    statements,  # noqa: F811
):
    foreign = tokens_of(client)
    client = register(skip_consent=True, public=public)
    client.http = browser
    revoked, valid = tokens_of(client), tokens_of(client)
    identity = {"client_id": client.client_id} if public else {}
    form = identity | {"token": revoked["refresh_token"]}
    assert posted(browser, REVOKE, form, headers=client.credentials()) == 200
    made_up, another = (family_tokens.issue(random_id(), random_token()) for _ in range(2))

    def ask(token, times=1):
        return [client.refresh(token).status_int for _ in range(times)]

    statements.clear()
    for text in ("junk", random_token(), valid["id_token"], made_up.upper()):
        assert ask(text, 25) == [400] * 25
    assert not [each for each in statements if "oauth_client" not in each]
    assert ask(revoked["refresh_token"], 25) == [400] * 25
    # What was given to another client is as unknown as what never was.
    assert ask(made_up) + ask(another) + ask(foreign["refresh_token"]) == [400] * 2 + [429]
    refused = client.refresh(made_up)
    assert (refused.status_int, refused.json["error"]) == (429, "temporarily_unavailable")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60

    assert ask(revoked["refresh_token"]) == [400]
    for _ in range(4):
        valid = client.refresh(valid["refresh_token"]).json
    assert "access_token" in valid
    # Codes and secrets are guessed as seldom as ever.
    assert [client.redeem("x").status_int for _ in range(21)] == [400] * 20 + [429]


@pytest.mark.attack("EXHAUSTION-one-address")
@pytest.mark.engines("sqlite")
def test_only_what_is_unknown_counts_as_inactive_and_only_what_may_be_known_as_revoked(
    browser,
    register,
    tokens_of,
    turnable_clock,
    statements,  # noqa: F811
):
    client = register(skip_consent=True, requests_per_minute=2)
    headers = client.credentials()
    tokens = tokens_of(client)
    turnable_clock.advance(seconds=3601)

    statements.clear()
    for text in ("junk", f"{random_token()}x", tokens["id_token"].replace(".", "")):
        assert [introspected(browser, text, headers=headers) for _ in range(4)] == [200] * 4
        revoked = [posted(browser, REVOKE, {"token": text}, headers=headers) for _ in range(4)]
        assert revoked == [200] * 4
    assert not [each for each in statements if "oauth_client" not in each]
    expired = tokens["access_token"]
    assert [introspected(browser, expired, headers=headers) for _ in range(4)] == [200] * 4
    unknown = [introspected(browser, random_token(), headers=headers) for _ in range(3)]
    assert unknown == [200] * 2 + [429]
    assert introspected(browser, tokens["refresh_token"], headers=headers) == 200
    assert posted(browser, REVOKE, {"token": expired}, headers=headers) == 200
