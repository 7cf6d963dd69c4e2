"""One sign-in for every application below the parent domain, and one sign-out."""

from tests.behind_proxy.deployment import APP, AUTH, SHOP
from tests.behind_proxy.person import MONA, NOBODY, finish_sign_in, sees, sign_in_at
from tests.helpers.chromium import expect


def test_who_signs_in_at_one_application_is_known_at_its_sibling(tab, keep_picture):
    tab.goto(SHOP)
    sees(tab, NOBODY)

    sign_in_at(tab, APP)

    expect(tab).to_have_url(f"{APP}/")
    sees(tab, MONA)
    keep_picture(tab, "application")
    tab.goto(SHOP)
    sees(tab, f"{MONA}, mona@example.com")


def test_one_sign_out_signs_out_at_both(tab):
    sign_in_at(tab, APP)
    sees(tab, MONA)

    tab.goto(SHOP)
    tab.get_by_role("button", name="Sign out").click()

    sees(tab, NOBODY)
    tab.goto(APP)
    sees(tab, NOBODY)


def test_a_sign_out_at_the_service_signs_out_everywhere(tab, keep_picture):
    sign_in_at(tab, APP)
    tab.goto(AUTH)
    keep_picture(tab, "landing")

    tab.locator("#sign-out-submit").click()

    expect(tab).to_have_url(f"{AUTH}/signed-out")
    tab.goto(SHOP)
    sees(tab, NOBODY)


def test_whoever_is_signed_in_is_back_with_one_click(tab, keep_picture):
    sign_in_at(tab, APP)
    sees(tab, MONA)

    tab.goto(f"{AUTH}/sign-in?callbackURL={SHOP}/")
    keep_picture(tab, "continue")
    tab.get_by_role("button", name="Continue as Mona Lisa").click()

    expect(tab).to_have_url(f"{SHOP}/")
    sees(tab, MONA)


def test_two_people_in_two_browsers_stay_apart(new_browser):
    first, second = new_browser().new_page(), new_browser().new_page()

    sign_in_at(first, APP)
    sign_in_at(second, APP, account="hubot")

    sees(first, MONA)
    sees(second, "Signed in as hubot")
    first.goto(SHOP)
    first.get_by_role("button", name="Sign out").click()
    sees(first, NOBODY)
    second.reload()
    sees(second, "Signed in as hubot")


def test_another_account_takes_the_place_of_the_first(tab):
    sign_in_at(tab, APP)

    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    finish_sign_in(tab, "hubot")

    sees(tab, "Signed in as hubot")
