"""Every way through the pages, with scripts and without: no page needs one."""

import json

import pytest

from tests.helpers.chromium import expect
from tests.helpers.end_session import END_SESSION
from tests.pages import situations
from tests.pages.visit import Visit, arrives, sees

pytestmark = pytest.mark.engines("sqlite")

_RESTARTED = """button => {
    button.style.animation = "none";
    button.offsetWidth;
    button.style.animation = "";
    [window.half] = button.getAnimations();
    half.pause();
    half.currentTime = 499;
    window.clicks = 0;
    button.addEventListener("click", () => clicks += 1);
}"""
_FINISHED = """() => {
    half.finish();
    return { clicks, duration: half.effect.getComputedTiming().duration };
}"""


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request):
    return request.param


@pytest.fixture
def visit(new_visit, scripts):
    return new_visit(java_script_enabled=scripts)


@pytest.fixture
def elsewhere(visit, new_context):
    """Another browser, in which the same person is signed in."""
    tab = new_context().new_page()
    Visit(tab, visit.service_url, visit.client_id, visit.redirect_uri).has_signed_in()
    return tab


def _session(tab, visit):
    """Return what applications are told of the browser."""
    answer = tab.context.request.get(f"{visit.service_url}/api/auth/get-session")
    return json.loads(answer.text())


def test_allowing_leads_to_the_application_with_a_code(visit, application):
    visit.authorize()
    sees(visit.tab, "to continue to Reading List")
    visit.press("sign-in-submit")
    sees(visit.tab, "Allow Reading List to use your account?")
    visit.press("consent-allow")

    arrives(visit)
    assert set(application.arrivals[-1]) == {"code", "iss", "state"}


def test_allow_takes_no_click_before_one_can_have_read_it(visit, application, scripts):
    situations.consent(visit)
    allow = visit.tab.locator("#consent-allow")
    # The half second begins once more, and stops just before its end.
    allow.evaluate(_RESTARTED)
    allow.scroll_into_view_if_needed()
    box = allow.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    visit.tab.mouse.click(*middle)
    early = allow.evaluate(_FINISHED)
    with visit.tab.expect_navigation():
        visit.tab.mouse.click(*middle)

    assert early == {"clicks": 0, "duration": 500}
    arrives(visit)


def test_denying_leads_to_the_application_with_an_error(visit, application):
    visit.authorize()
    visit.press("sign-in-submit", "consent-deny")

    arrives(visit)
    assert application.arrivals[-1]["error"] == "access_denied"


@pytest.mark.parametrize("response_mode", ["query", "form_post"])
def test_who_is_not_meant_goes_back_with_an_error(visit, application, response_mode):
    visit.has_signed_in()
    visit.authorize(client_id=visit.others_client_id, response_mode=response_mode)
    sees(visit.tab, "Reading List is not for this account")
    visit.press("back")

    arrives(visit)
    assert application.arrivals[-1]["error"] == "access_denied"


def test_the_form_for_the_application_is_sent(visit, application, scripts):
    visit.authorize(response_mode="form_post")
    visit.press("sign-in-submit", "consent-allow")
    if not scripts:
        visit.press("form-post-submit")

    arrives(visit)
    assert set(application.arrivals[-1]) == {"code", "iss", "state"}


def test_who_is_signed_in_goes_on_by_one_click(visit):
    situations.continue_as(visit)
    visit.tab.get_by_role("button", name="Continue as Local Developer").click()

    sees(visit.tab, "Allow Reading List to use your account?")


def test_another_device_is_signed_out(visit, elsewhere):
    visit.sign_in()
    visit.tab.get_by_role("link", name="Manage your account").click()
    expect(visit.tab.locator("#sessions li")).to_have_count(2)
    visit.press("end-2")

    sees(visit.tab, "That device is signed out.")
    expect(visit.tab.locator("#sessions li")).to_have_count(1)
    assert _session(elsewhere, visit) is None
    assert _session(visit.tab, visit) is not None


def test_this_browser_is_signed_out(visit, elsewhere):
    visit.sign_in()
    visit.go("/account")
    visit.press("end-1")

    sees(visit.tab, "Signed out")
    assert _session(visit.tab, visit) is None
    assert _session(elsewhere, visit) is not None


def test_an_application_is_disconnected_and_has_to_ask_again(visit):
    visit.connect()
    visit.go("/account")
    visit.press("disconnect-1")

    sees(visit.tab, "The application is disconnected. It has to ask you again.")
    sees(visit.tab, "You have not connected any application yet.")
    visit.authorize()
    sees(visit.tab, "Allow Reading List to use your account?")


def test_everything_ends_everywhere(visit, elsewhere):
    visit.connect()
    visit.go("/account")
    visit.press("sign-out-everywhere")

    sees(visit.tab, "You are no longer signed in to authservice on any device")
    assert _session(visit.tab, visit) is None
    assert _session(elsewhere, visit) is None


def test_signing_out_is_asked_and_done(visit):
    situations.sign_out_at_a_clients_wish(visit)
    sees(visit.tab, "Reading List asks to sign you out")
    visit.press("logout-confirm")

    sees(visit.tab, "Signed out")
    assert _session(visit.tab, visit) is None
    visit.tab.get_by_role("link", name="Sign in again").click()
    expect(visit.tab.locator("#sign-in-submit")).to_be_visible()


def test_signing_out_may_lead_back_to_the_application(visit):
    visit.sign_in()
    bye = visit.redirect_uri.replace("/callback", "/bye")
    visit.go(END_SESSION, client_id=visit.client_id, post_logout_redirect_uri=bye)
    visit.press("logout-confirm")

    arrives(visit)
    assert _session(visit.tab, visit) is None


def test_staying_signed_in_changes_nothing(visit):
    situations.sign_out_at_a_clients_wish(visit)
    visit.tab.get_by_role("button", name="Stay signed in").click()

    sees(visit.tab, "You are signed in")
    assert _session(visit.tab, visit) is not None


def test_an_error_page_leads_on(visit):
    visit.go("/nowhere")
    sees(visit.tab, "There is no such page")
    visit.tab.get_by_role("link", name="Start page").click()

    sees(visit.tab, "One sign-in for your applications")


def test_a_choice_that_was_left_open_over_night_is_shown_again(visit, turnable_clock, keep_picture):
    visit.authorize()
    visit.press("sign-in-submit")
    turnable_clock.advance(hours=14)
    visit.press("consent-allow")
    sees(visit.tab, "Allow Reading List to use your account?")
    keep_picture(visit.tab, "consent-again")
    visit.press("consent-allow")

    arrives(visit)


def test_a_sign_in_page_that_was_left_open_over_night_works(visit, turnable_clock):
    visit.authorize()
    turnable_clock.advance(hours=14)
    visit.press("sign-in-submit", "consent-allow")

    arrives(visit)


def test_a_sign_out_page_that_was_left_open_over_night_is_shown_again(visit, turnable_clock):
    situations.sign_out_at_a_clients_wish(visit)
    turnable_clock.advance(hours=14)
    visit.press("logout-confirm")
    sees(visit.tab, "Reading List asks to sign you out")
    assert _session(visit.tab, visit) is not None
    visit.press("logout-confirm")

    sees(visit.tab, "Signed out")
