"""What people do twice: two tabs, the back button, a double click, a page that is loaded again."""

import pytest

from tests.helpers.chromium import expect
from tests.pages import situations
from tests.pages.visit import Visit, arrives, sees

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def second(visit):
    """The same person in another tab of the same browser."""
    tab = visit.tab.context.new_page()
    return Visit(tab, visit.service_url, visit.client_id, visit.redirect_uri)


def test_two_tabs_end_where_each_began(visit, second, application):
    visit.authorize(state="first")
    second.authorize(state="second")
    visit.press("sign-in-submit")
    second.press("sign-in-submit", "consent-allow")
    arrives(second)
    # Meanwhile the person has signed in again, in the same session.
    visit.press("consent-allow")

    arrives(visit)
    assert [each["state"] for each in application.arrivals] == ["second", "first"]
    assert len({each["code"] for each in application.arrivals}) == 2


def test_a_page_whose_person_has_left_in_another_tab_changes_nothing(visit, second):
    situations.account(visit)
    second.go("/")
    second.press("sign-out-submit")
    visit.press("disconnect-1")

    sees(visit.tab, "Signed out")
    visit.sign_in()
    visit.go("/account")
    expect(visit.tab.locator("#applications")).to_contain_text("Reading List")


def test_a_consent_whose_person_has_left_in_another_tab_asks_to_sign_in(visit, second):
    situations.consent(visit)
    second.go("/")
    second.press("sign-out-submit")
    visit.press("consent-allow")
    visit.tab.get_by_role("link", name="Load the page again").click()
    visit.press("sign-in-submit", "consent-allow")

    arrives(visit)


def test_back_from_the_application_a_choice_can_be_made_again(visit, application):
    visit.connect()
    arrives(visit)
    visit.tab.go_back()
    visit.press("consent-deny")

    arrives(visit)
    assert ["code" in each for each in application.arrivals] == [True, False]


def test_back_to_the_sign_in_page_one_signs_in_again(visit):
    situations.consent(visit)
    visit.tab.go_back()
    visit.press("sign-in-submit")

    sees(visit.tab, "Allow Reading List to use your account?")


def test_back_from_signed_out_nothing_is_shown_of_the_account(visit):
    situations.account_without_applications(visit)
    visit.press("sign-out-everywhere")
    sees(visit.tab, "Signed out")
    visit.tab.go_back()

    expect(visit.tab.locator("#sign-in-submit")).to_be_visible()
    expect(visit.tab.get_by_text("local-developer@localhost.localdomain")).to_have_count(0)


@pytest.mark.parametrize("decision", ["consent-allow", "consent-deny"])
def test_a_double_click_decides_once(visit, decision):
    visit.authorize()
    visit.tab.locator("#sign-in-submit").dblclick()
    sees(visit.tab, "Allow Reading List to use your account?")
    visit.tab.locator(f"#{decision}").dblclick()

    arrives(visit)


@pytest.mark.parametrize("button", ["end-2", "disconnect-1", "sign-out-everywhere"])
def test_a_double_click_ends_a_thing_once(visit, button):
    situations.account(visit)
    visit.tab.locator(f"#{button}").dblclick()

    if button == "sign-out-everywhere":
        expect(visit.tab.get_by_role("heading", name="Signed out")).to_be_visible()
    else:
        expect(visit.tab.get_by_role("heading", name="Your account")).to_be_visible()
        expect(visit.tab.locator(f"#{button}")).to_have_count(0)


def test_what_was_done_is_not_done_again_when_the_page_is_loaded_again(visit):
    situations.account_after_ending_a_session(visit)
    visit.tab.reload()

    expect(visit.tab.locator("#sessions li")).to_have_count(1)
