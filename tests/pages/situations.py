"""The way to every page: in the end the tab shows the page of that name.

What only has to have happened before, a sign-in or a consent, is not looked at on the way.
"""

from tests.helpers.end_session import END_SESSION


def start(visit):
    visit.go("/")


def start_signed_in(visit):
    visit.has_signed_in()
    visit.go("/")


def sign_in(visit):
    visit.go("/sign-in")


def sign_in_for_client(visit):
    visit.authorize()


def sign_in_for_host(visit):
    visit.go("/sign-in", callbackURL="http://app.localhost:3000/")


def continue_as(visit):
    visit.has_signed_in()
    visit.authorize(prompt="select_account")


def sign_in_again(visit):
    visit.has_signed_in()
    visit.authorize(prompt="login")


def sign_in_once_more_after_max_age(visit):
    visit.has_signed_in()
    visit.authorize(max_age=0)


def signed_in(visit):
    visit.go("/sign-in")
    with visit.tab.expect_request("**/callback/**") as callback:
        visit.press("sign-in-submit")
    visit.tab.goto(callback.value.url)


def wrong_person(visit):
    visit.has_signed_in()
    visit.authorize(client_id=visit.others_client_id)


def sign_in_as_another_person(visit):
    wrong_person(visit)
    with visit.tab.expect_navigation():
        visit.tab.get_by_role("main").get_by_role("link").first.click()


def consent(visit):
    visit.authorize()
    visit.press("sign-in-submit")


def consent_to_some(visit):
    consent(visit)
    # Without its style the page would be there already, and look like another one.
    with visit.tab.expect_navigation():
        visit.tab.get_by_role("main").get_by_role("link").last.click()


def returning_by_form(visit):
    # The application is silent, so the page that sends the form stays.
    visit.tab.route(visit.redirect_uri, lambda route: route.fulfill(status=204))
    visit.authorize(response_mode="form_post")
    visit.press("sign-in-submit")
    # Its script runs only when the style is there.
    with visit.tab.expect_request(visit.redirect_uri):
        visit.tab.locator("#consent-allow").click()


def account(visit):
    visit.has_signed_in_elsewhere()
    visit.has_connected()
    visit.go("/account")


def account_without_applications(visit):
    visit.has_signed_in()
    visit.go("/account")


def account_after_ending_a_session(visit):
    account(visit)
    visit.press("end-2")


def sign_out_at_a_clients_wish(visit):
    visit.has_signed_in()
    visit.go(END_SESSION, client_id=visit.client_id)


def sign_out_without_a_session(visit):
    visit.go(END_SESSION)


def signed_out(visit):
    start_signed_in(visit)
    visit.press("sign-out-submit")


def signed_out_everywhere(visit):
    account_without_applications(visit)
    visit.press("sign-out-everywhere")


def error(visit):
    visit.go("/error", error="access_denied")


def link_refused(visit):
    visit.go("/sign-in", callbackURL="https://elsewhere.example/")


def wrong_redirect_uri(visit):
    visit.authorize(redirect_uri=f"{visit.redirect_uri}/elsewhere")


def expired(visit):
    visit.go("/consent", interaction="x")


def expired_of_client(visit):
    visit.authorize()
    page = visit.tab.url
    visit.tab.context.clear_cookies()
    visit.go("/sign-in")
    visit.tab.goto(page)


def without_cookies(visit):
    visit.authorize()
    visit.tab.context.clear_cookies()
    visit.tab.reload()


def not_found(visit):
    visit.go("/nowhere")


ALL = {
    way.__name__.replace("_", "-"): way
    for way in (
        start,
        start_signed_in,
        sign_in,
        sign_in_for_client,
        sign_in_for_host,
        continue_as,
        sign_in_again,
        sign_in_once_more_after_max_age,
        signed_in,
        wrong_person,
        sign_in_as_another_person,
        consent,
        consent_to_some,
        returning_by_form,
        account,
        account_without_applications,
        account_after_ending_a_session,
        sign_out_at_a_clients_wish,
        sign_out_without_a_session,
        signed_out,
        signed_out_everywhere,
        error,
        link_refused,
        wrong_redirect_uri,
        expired,
        expired_of_client,
        without_cookies,
        not_found,
    )
}
