"""Open redirects: no parameter that takes an address leads a person to a stranger's."""

from urllib.parse import urlsplit

import pytest

from tests.attacks import evil_addresses
from tests.helpers.browser import ORIGIN
from tests.helpers.end_session import BYE, END_SESSION
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty

RETURNS = ("callbackURL", "errorCallbackURL", "newUserCallbackURL")


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(
        app, database, enable_end_session=True, post_logout_redirect_uris=[BYE]
    )


@pytest.fixture
def production(make_app, monkeypatch):
    return production_browser(production_app(make_app, monkeypatch))


def from_everywhere(where, addresses):
    """Yield the addresses; each one is requested from a host of its own, so that none counts."""
    for number, address in enumerate(addresses):
        where.extra_environ["REMOTE_ADDR"] = f"198.51.100.{number}"
        yield address


def leads_nowhere(answer):
    """Check that neither a header nor a link, form or refresh of the page names another host."""
    assert answer.status_int < 500
    assert "Location" not in answer.headers
    assert "Refresh" not in answer.headers
    if answer.content_type != "text/html":
        return
    policy = answer.headers["Content-Security-Policy"]
    assert evil_addresses.HOST not in policy
    for tag in answer.html.find_all(["a", "form", "meta", "iframe", "base"]):
        for name in ("href", "action", "content", "src"):
            assert urlsplit(tag.get(name, "")).hostname != evil_addresses.HOST
            assert not tag.get(name, "").lower().startswith(("javascript:", "data:"))


@pytest.mark.attack("RFC9700-4.1", "RFC9700-4.11.2", "RFC6819-4.2.4", "OWASP-OAUTH-1")
def test_a_redirect_uri_in_disguise_is_not_followed(client, browser):
    browser.sign_in()

    for address in evil_addresses.disguised(client.redirect_uri):
        answer = browser.get(
            "/api/auth/oauth2/authorize", client.request(redirect_uri=address), expect_errors=True
        )
        assert answer.status_int == 400, address
        leads_nowhere(answer)


@pytest.mark.attack("RFC9700-4.11.2", "OWASP-OAUTH-1")
def test_an_error_is_not_sent_to_a_redirect_uri_in_disguise_either(subtests, client, browser):
    for change in ({"prompt": "none"}, {"scope": "nonsense"}, {"request": "x"}):
        with subtests.test(**change):
            for address in evil_addresses.disguised(client.redirect_uri):
                parameters = client.request(redirect_uri=address, **change)
                answer = browser.get("/api/auth/oauth2/authorize", parameters, expect_errors=True)
                assert answer.status_int == 400, address
                leads_nowhere(answer)


@pytest.mark.attack("BROWSER-open-redirect")
def test_a_post_logout_redirect_uri_in_disguise_is_not_followed(client, browser):
    hint = client.redeem(client.sign_in_with(browser)).json["id_token"]

    for address in evil_addresses.disguised(BYE):
        parameters = {"id_token_hint": hint, "post_logout_redirect_uri": address}
        answer = browser.get(END_SESSION, parameters, expect_errors=True)
        assert answer.status_int == 400, address
        leads_nowhere(answer)
    assert browser.session() is not None


@pytest.mark.attack("BROWSER-open-redirect", "FAILURES-46")
@pytest.mark.parametrize(
    ("fixture", "path"),
    [
        ("browser", "/sign-in"),
        ("production", "/sign-in"),
        ("production", "/api/auth/sign-in/begin"),
    ],
)
def test_an_application_address_in_disguise_is_not_followed(
    subtests, request, fixture, path, engine
):
    where = request.getfixturevalue(fixture)

    for name in RETURNS:
        with subtests.test(name=name):
            for address in from_everywhere(where, evil_addresses.disguised(f"{where.origin}/home")):
                answer = where.get(path, {name: address}, expect_errors=True)
                assert answer.status_int == (400 if "\0" in address else 403), address
                leads_nowhere(answer)


@pytest.mark.attack("BROWSER-open-redirect", "FAILURES-46")
@pytest.mark.parametrize("fixture", ["browser", "production"])
def test_nor_by_the_session_api(subtests, request, fixture, engine):
    where = request.getfixturevalue(fixture)

    for name in RETURNS:
        with subtests.test(name=name):
            for address in from_everywhere(where, evil_addresses.disguised(f"{where.origin}/home")):
                answer = where.post_json(
                    "/api/auth/sign-in/social",
                    {"provider": "github", name: address},
                    headers={"Origin": where.origin},
                    expect_errors=True,
                )
                assert answer.status_int == 403, address
                assert "url" not in answer.json


@pytest.mark.attack("BROWSER-open-redirect")
def test_whoever_is_signed_in_is_not_led_away_either(browser):
    browser.sign_in()

    for address in evil_addresses.disguised(f"{ORIGIN}/home"):
        leads_nowhere(browser.get("/sign-in", {"callbackURL": address}, expect_errors=True))


# Servers that add or cut a slash by redirect take a path of two slashes for a host, or trust Host.
NEARLY = ("//", "//{host}/", "//{host}/sign-in", "/sign-in/", "/static", "/static/.", "/static/..")


@pytest.mark.attack("BROWSER-host-header", "BROWSER-cache-poisoning")
def test_a_host_that_was_made_up_does_not_become_the_next_page(subtests, production):
    for path in NEARLY:
        with subtests.test(path=path):
            named = {
                "PATH_INFO": path.format(host=evil_addresses.HOST),
                "HTTP_HOST": evil_addresses.HOST,
            }
            answer = production.get("/", extra_environ=named, expect_errors=True)
            assert answer.status_int == 404
            leads_nowhere(answer)
