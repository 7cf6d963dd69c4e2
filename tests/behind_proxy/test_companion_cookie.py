"""A sibling application that steals a shared cookie, or plants one, gains next to nothing."""

import pytest

from tests.behind_proxy.deployment import APP, AUTH, CLIENT, DOMAIN, SHOP
from tests.behind_proxy.person import MONA, finish_sign_in, sees, sign_in_at
from tests.behind_proxy.walk import walk_in
from tests.helpers.chromium import expect

SHARED = "__Secure-authservice.session_token"
COMPANION = "__Host-authservice.session_host"


def _visible_at(tab, address):
    return {cookie["name"] for cookie in tab.context.cookies(address)}


@pytest.fixture
def owner(production, tab):
    production.forget_consents()
    sign_in_at(tab, APP)
    sees(tab, MONA)
    return tab


def test_a_sibling_sees_the_shared_cookie_only(owner):
    assert SHARED in _visible_at(owner, SHOP)
    assert COMPANION not in _visible_at(owner, SHOP)
    assert {SHARED, COMPANION} <= _visible_at(owner, AUTH)
    assert _visible_at(owner, CLIENT) == set()


@pytest.fixture
def attackers(production):
    """The shared cookie of an attacker, who is signed in and needs no browser for that."""
    walk = walk_in(production, f"{APP}/", account="hubot")
    session = walk.get(f"{AUTH}/api/auth/get-session").json
    assert session["user"]["name"] == "hubot"
    return walk.jar[SHARED]


def _plant(tab, value, path="/"):
    """Let the sibling application set a cookie for the whole domain."""
    attributes = f"Domain={DOMAIN};Path={path};Secure;HttpOnly;SameSite=Lax"
    tab.goto(f"{APP}/plant?{SHARED}={value};{attributes}")


@pytest.mark.attack("BROWSER-cookie-tossing")
def test_a_planted_cookie_signs_nobody_in_to_a_client(production, tab, attackers):
    _plant(tab, attackers)

    tab.goto(f"{CLIENT}/sign-in?prompt=none")
    sees(tab, "No sign-in: login_required")
    tab.goto(f"{CLIENT}/sign-in")
    expect(tab.locator("#sign-in-submit")).to_be_visible()
    assert "hubot" not in tab.content()

    finish_sign_in(tab)
    sees(tab, "Mona Lisa")


# Browsers send the cookie of the longer path first, among equals the older one.
@pytest.mark.attack("BROWSER-cookie-tossing")
@pytest.mark.parametrize("path", ["/", "/api/auth/oauth2"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_planted_cookie_does_not_cover_the_own_session(production, tab, attackers, path, when):
    production.forget_consents()
    if when == "before":
        _plant(tab, attackers, path)
    tab.goto(f"{AUTH}/sign-in?callbackURL={SHOP}/")
    finish_sign_in(tab)
    sees(tab, MONA)
    if when == "after":
        _plant(tab, attackers, path)

    tab.goto(f"{CLIENT}/sign-in")
    if when == "before" or path != "/":
        sees(tab, "Allow Wiki of the Observatory")
        sees(tab, "Mona Lisa")
    else:
        # The very cookie was overwritten, so there is no session: certainly not the attacker.
        expect(tab.locator("#sign-in-submit")).to_be_visible()
    assert "hubot" not in tab.content()


@pytest.mark.attack("BROWSER-cookie-tossing")
def test_junk_planted_beside_it_does_not_break_the_own_session(tab, keep_picture):
    sign_in_at(tab, SHOP)
    for number, junk in enumerate(("x", "a.b", "%00", "A" * 43 + "." + "B" * 43)):
        _plant(tab, junk, f"/{'api/auth/oauth2'[: number * 4 + 3]}")

    tab.goto(f"{AUTH}/")

    sees(tab, "You are signed in")
    keep_picture(tab, "landing-with-planted-cookies")
