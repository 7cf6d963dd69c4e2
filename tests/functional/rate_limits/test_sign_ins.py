"""Sign-ins count where they begin, and those who come back count for their own sign-in."""

from contextlib import ExitStack

import pytest

from tests.functional.rate_limits.asking import BEGIN, CALLBACK, at, get
from tests.helpers.cookies import cookie_header
from tests.helpers.production import production_app, production_browser, signed_in_cookies


def test_showing_and_sending_the_sign_in_page_count_together(browser):
    get(browser, "/sign-in", 50)
    for _ in range(50):
        assert browser.post("/sign-in", {}, expect_errors=True).status_int != 429

    assert browser.post("/sign-in", {}, expect_errors=True).status_int == 429
    assert browser.get("/sign-in", expect_errors=True).status_int == 429


def _form(app):
    """Return the form of the sign-in page, opened by a user in the office."""
    return production_browser(app).get("/sign-in").forms[0]


def _begun(form):
    return form.submit("choice", value="sign-in", expect_errors=True).status_int


def test_thirty_people_of_an_office_begin_to_sign_in_at_once_and_one_more_waits(app, browser):
    assert [_begun(_form(app)) for _ in range(31)] == [303] * 30 + [429]

    assert get(browser, BEGIN, 1) == [429]
    assert get(browser, "/sign-in", 1) == [200]
    assert get(at(browser, "203.0.113.8"), BEGIN, 1) == [303]


def test_a_form_that_is_sent_again_begins_nothing_that_counts(app, browser):
    form = _form(app)

    assert [_begun(form) for _ in range(35)] == [303] * 35
    assert get(browser, BEGIN, 30) == [303] * 29 + [429]


def test_going_on_as_the_person_who_is_signed_in_begins_nothing_that_counts(app, database, browser):
    cookies = signed_in_cookies(app, database)
    for _ in range(3):
        page = production_browser(app, cookies).get("/sign-in")
        page.test_app = production_browser(app, f"{cookies}; {cookie_header(page)}")
        assert page.forms[0].submit("choice", value="continue").status_int == 303

    assert get(browser, BEGIN, 31) == [303] * 30 + [429]


def test_who_comes_back_counts_for_the_sign_in_that_began(make_app, monkeypatch, standin):
    app = production_app(make_app, monkeypatch, **standin.ini, ratelimit__begun_sign_ins="3")
    people = [production_browser(app) for _ in range(3)]
    backs = [standin.allow(_get_begin(person)) for person in people]
    stranger = production_browser(app)
    junk = f"{CALLBACK}?code=x&state=x"

    # Others at the same address, or another person's page that they opened, use up what is junk.
    assert get(stranger, junk, 4) == [400] * 3 + [429]
    assert get(stranger, stranger.path(backs[0]), 1) == [429]
    assert [person.visit(back).status_int for person, back in zip(people, backs, strict=True)] == [
        303
    ] * 3


def test_one_sign_in_comes_back_so_often_and_no_oftener(make_app, monkeypatch, standin):
    app = production_app(make_app, monkeypatch, **standin.ini, ratelimit__begun_sign_ins="3")
    places = app.registry.components.sign_in_places
    monkeypatch.setattr(places, "_patience", 0.0)
    first, second = production_browser(app), production_browser(app)
    back, other = standin.allow(_get_begin(first)), standin.allow(_get_begin(second))
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(places.place("203.0.113.8"))
        statuses = get(first, first.path(back), 4)
        assert statuses == [503] * 3 + [429]
        assert get(second, second.path(other), 1) == [503]


def _get_begin(browser):
    return browser.get(BEGIN).location


@pytest.mark.attack("EXHAUSTION-disk")
def test_a_sign_in_counts_once_for_each_two_kib_that_it_takes_to_store(browser):
    # 27 kB each.
    long = f"{BEGIN}?callbackURL=/{'a' * 20_000}"

    assert get(browser, long, 3) == [303] * 2 + [429]
    assert get(browser, BEGIN, 3) == [303] * 2 + [429]
    assert get(at(browser, "203.0.113.8"), long, 1) == [303]


def test_where_few_may_begin_the_longest_sign_in_can(make_app, monkeypatch):
    browser = production_browser(
        production_app(make_app, monkeypatch, ratelimit__begun_sign_ins="3")
    )

    assert get(browser, f"{BEGIN}?callbackURL=/{'a' * 20_000}", 2) == [303, 429]
