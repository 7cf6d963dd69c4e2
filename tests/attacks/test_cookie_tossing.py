"""Cookie tossing: a sibling application may set cookies for the whole domain, and gains nothing."""

import pytest

from tests.helpers.production import ORIGIN, production_app, production_browser, signed_in_cookies
from tests.helpers.statements import statements  # noqa: F401  (a fixture)

SHARED = "__Secure-authservice.session_token"
COMPANION = "__Host-authservice.session_host"
# Characters that a browser may let stand before a name: what begins with them has no prefix for
# it, so that any host may set it. Python's strip() would take them away.
BLANKS = ("\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0")
PREFIXES = ("", "__Secure-", *[f"{blank}__Host-" for blank in BLANKS])


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.fixture
def victim(app, database):
    return signed_in_cookies(app, database, account_id="1")


@pytest.fixture
def attacker(app, database):
    return signed_in_cookies(app, database, account_id="2")


def _only(cookies, name):
    return next(pair for pair in cookies.split("; ") if pair.startswith(f"{name}="))


def _who(app, cookies):
    found = production_browser(app, cookies).get("/api/auth/get-session").json
    return found and found["user"]["email"]


@pytest.mark.attack("BROWSER-cookie-tossing", "OWASP-SESSION-2")
def test_a_tossed_session_cookie_does_not_cover_the_own_one(app, victim, attacker):
    tossed = _only(attacker, SHARED)

    assert _who(app, f"{tossed}; {victim}") == "ada1@example.com"
    assert _who(app, f"{victim}; {tossed}") == "ada1@example.com"


@pytest.mark.attack("BROWSER-cookie-tossing")
def test_hundreds_of_tossed_cookies_do_not_hide_the_own_one(app, victim):
    junk = "; ".join(f"{SHARED}={n}.{'x' * 43}" for n in range(100))

    assert _who(app, f"{junk}; {victim}") == "ada1@example.com"


@pytest.mark.attack("BROWSER-cookie-tossing")
def test_a_companion_without_the_prefix_that_only_this_host_may_set_is_none(subtests, app, victim):
    shared, companion = _only(victim, SHARED), _only(victim, COMPANION)

    for prefix in ("__host-", "__HOST-", "x__Host-", *PREFIXES):
        with subtests.test(prefix=prefix):
            tossed = companion.replace("__Host-", prefix)
            answer = production_browser(app, f"{shared}; {tossed}").get(
                "/api/auth/list-sessions", expect_errors=True
            )
            assert answer.status_int == 401


@pytest.mark.attack("BROWSER-cookie-tossing", "BROWSER-csrf-forms")
def test_a_form_made_for_another_browser_cannot_be_sent_with_its_tossed_cookie(
    subtests, app, victim
):
    for prefix in PREFIXES:
        with subtests.test(prefix=prefix):
            page = production_browser(app).get("/sign-in")
            value = page.headers["Set-Cookie"].split(";")[0].partition("=")[2]
            form = dict(page.forms[0].submit_fields())
            answer = production_browser(app, f"{victim}; {prefix}authservice.browser={value}").post(
                "/sign-in", form | {"choice": "sign-in"}, expect_errors=True
            )
            assert answer.status_int == 403
            assert "Location" not in answer.headers


@pytest.mark.attack("BROWSER-login-csrf", "FAILURES-48", "RFC6819-4.4.1.6")
def test_a_tossed_attempt_cookie_finishes_nobodys_sign_in(subtests, app):
    for prefix in PREFIXES:
        with subtests.test(prefix=prefix):
            begun = production_browser(app).get("/api/auth/sign-in/begin")
            state = begun.location.partition("state=")[2].partition("&")[0]
            tossed = begun.headers["Set-Cookie"].split(";")[0].replace("__Host-", prefix)
            answer = production_browser(app, tossed).get(
                f"/api/auth/callback/github?code=c&state={state}", expect_errors=True
            )
            assert answer.status_int == 400
            assert SHARED not in answer.headers.get("Set-Cookie", "")


@pytest.mark.engines("sqlite")
@pytest.mark.attack("BROWSER-many-cookies")
def test_copies_of_a_session_cookie_cost_no_more_than_one(app, victim, statements):  # noqa: F811
    _who(app, victim)
    once = len(statements)

    assert _who(app, "; ".join([victim] * 100)) == "ada1@example.com"

    assert len(statements) == 2 * once


@pytest.mark.engines("sqlite")
@pytest.mark.attack("BROWSER-many-cookies")
def test_many_session_cookies_cost_no_more_statements_than_two(app, database, statements):  # noqa: F811
    sessions = [_only(signed_in_cookies(app, database), SHARED) for _ in range(40)]
    statements.clear()
    _who(app, "; ".join(sessions[:2]))
    few = len(statements)

    _who(app, "; ".join(sessions))

    assert few > 1
    assert len(statements) == 2 * few


@pytest.mark.attack("BROWSER-many-cookies", "BROWSER-cookie-tossing")
def test_however_many_sessions_a_sibling_plants_the_own_one_wins(app, database, victim):
    planted = [_only(_planted(app, database, number), SHARED) for number in range(2, 102)]
    cookies = f"{'; '.join(planted)}; {victim}"

    assert _who(app, cookies) == "ada1@example.com"
    listed = production_browser(app, cookies).get("/api/auth/list-sessions")
    assert len(listed.json) == 1


def _planted(app, database, number):
    return signed_in_cookies(app, database, account_id=str(number))


@pytest.mark.attack("BROWSER-many-cookies", "BROWSER-cookie-tossing")
def test_sessions_that_have_ended_hide_no_other_from_an_application(app, database, victim):
    ended = [signed_in_cookies(app, database, account_id="2") for _ in range(20)]
    for cookies in ended:
        production_browser(app, cookies).post_json(
            "/api/auth/sign-out", {}, headers={"Origin": ORIGIN}
        )
    planted = "; ".join(_only(cookies, SHARED) for cookies in ended)

    assert _who(app, f"{planted}; {_only(victim, SHARED)}") == "ada1@example.com"


@pytest.mark.attack("BROWSER-many-cookies", "BROWSER-cookie-tossing")
def test_signing_out_ends_the_own_session_however_many_are_planted(app, database, victim):
    planted = [_only(_planted(app, database, number), SHARED) for number in range(2, 22)]

    production_browser(app, f"{'; '.join(planted)}; {victim}").post_json(
        "/api/auth/sign-out", {}, headers={"Origin": ORIGIN}
    )

    assert _who(app, victim) is None
