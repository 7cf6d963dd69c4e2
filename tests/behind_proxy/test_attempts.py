"""Ways through a sign-in that people take: two tabs, back, twice, late, cancelled."""

import re

import pytest

from tests.behind_proxy.deployment import APP, AUTH, PROVIDER, SHOP
from tests.behind_proxy.person import MONA, finish_sign_in, sees, sign_in_at
from tests.helpers.chromium import expect

AT_PROVIDER = re.compile(f"^{re.escape(PROVIDER)}/login")


def _sign_in_page(tab, application):
    tab.goto(f"{AUTH}/sign-in?callbackURL={application}/")
    return tab.locator("#sign-in-submit")


def test_two_tabs_with_two_attempts_both_arrive(tab):
    other = tab.context.new_page()
    _sign_in_page(tab, APP).click()
    _sign_in_page(other, SHOP).click()
    tab.wait_for_url(AT_PROVIDER)
    other.wait_for_url(AT_PROVIDER)

    other.get_by_role("button", name="Authorize").click()
    tab.get_by_role("button", name="Authorize").click()

    sees(other, MONA)
    sees(tab, MONA)
    assert (tab.url, other.url) == (f"{APP}/", f"{SHOP}/")


def test_a_page_opened_before_the_sign_in_in_another_tab_goes_on_working(tab):
    button = _sign_in_page(tab, APP)
    other = tab.context.new_page()
    sign_in_at(other, SHOP)
    sees(other, MONA)

    button.click()
    tab.wait_for_url(AT_PROVIDER)
    tab.get_by_role("button", name="Authorize").click()
    sees(tab, MONA)


def test_two_clicks_are_one_sign_in(tab):
    _sign_in_page(tab, APP).dblclick()

    tab.get_by_role("button", name="Authorize").click()

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)


def test_the_form_can_be_sent_again_after_going_back(tab):
    _sign_in_page(tab, APP).click()
    tab.wait_for_url(AT_PROVIDER)

    tab.go_back()
    finish_sign_in(tab)

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)


def test_going_back_to_the_provider_and_allowing_again_is_harmless(tab):
    sign_in_at(tab, APP)
    sees(tab, MONA)
    first = _session_cookie(tab)

    tab.go_back()
    tab.wait_for_url(AT_PROVIDER)
    tab.get_by_role("button", name="Authorize").click()

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)
    assert _session_cookie(tab) == first


def test_a_callback_opened_again_leads_on_to_the_application(tab):
    with tab.expect_response(re.compile("/api/auth/callback/")) as callback:
        sign_in_at(tab, APP)
    sees(tab, MONA)

    tab.goto(callback.value.url)

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)
    assert callback.value.status == 303


@pytest.mark.attack("BROWSER-csrf-callback")
def test_a_callback_in_another_browser_signs_nobody_in(tab, new_browser, keep_picture):
    with tab.expect_response(re.compile("/api/auth/callback/")) as callback:
        sign_in_at(tab, APP)
    sees(tab, MONA)
    other = new_browser().new_page()

    assert other.goto(callback.value.url).status == 400

    sees(other, "This sign-in has expired")
    keep_picture(other, "expired")
    assert _session_cookie(other) is None


def test_who_cancels_at_the_provider_goes_back_to_the_application_that_asked(tab):
    tab.goto(APP)
    tab.get_by_role("link", name="Sign in").click()
    tab.locator("#sign-in-submit").click()

    tab.get_by_role("button", name="Cancel").click()

    expect(tab).to_have_url(f"{APP}/failed?error=access_denied")
    sees(tab, "Not signed in: error=access_denied")


def test_who_cancels_may_try_again_from_the_page_that_says_so(tab, keep_picture):
    _sign_in_page(tab, APP).click()
    tab.get_by_role("button", name="Cancel").click()
    sees(tab, "You did not sign in")
    keep_picture(tab, "cancelled")

    tab.get_by_role("link", name="Try again").click()
    finish_sign_in(tab)

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)


def _session_cookie(tab):
    values = [
        cookie["value"]
        for cookie in tab.context.cookies()
        if cookie["name"] == "__Secure-authservice.session_token"
    ]
    return values[0] if values else None
