"""The account page: one's own sessions and applications, each ended with effect at once."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_consent, session
from authservice.services.people import consents, users
from authservice.services.sessions import sessions
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.profiles import profile
from tests.helpers.relying_party import RelyingParty

OTHER = profile("1", "Other", provider_id="other", email="other@example.com")
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def signed_in(browser):
    browser.sign_in()
    return browser


@pytest.fixture
def elsewhere(app):
    """The same person in another browser."""
    other = Browser(app)
    other.extra_environ["HTTP_USER_AGENT"] = FIREFOX
    other.sign_in()
    return other


def form_of(page, action):
    return next(form for form in page.forms.values() if form.action == f"/account/{action}")


def entries(page, part):
    return page.html.find(id=part).select("ul.entries > li")


def text(element):
    return " ".join(element.get_text(" ").split())


def end_session(browser, session_id, page=None):
    form = form_of(page or browser.get("/account"), "end-session")
    return browser.post(
        "/account/end-session", dict(form.submit_fields()) | {"session": session_id}
    )


def disconnect(browser, client_id, page=None):
    form = form_of(page or browser.get("/account"), "disconnect")
    fields = {"csrf_token": form["csrf_token"].value, "client_id": client_id}
    return browser.post("/account/disconnect", fields)


def session_of(browser):
    return browser.session()["session"]["id"]


def is_signed_in(browser):
    return browser.session() is not None


def live_sessions(database):
    return database.reader.scalar(select(func.count()).select_from(session))


def test_who_is_not_signed_in_signs_in_and_comes_back(browser):
    answer = browser.get("/account")
    page = browser.follow_home(answer)
    back = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))

    assert answer.status_int == 303
    assert page.request.path == "/sign-in"
    assert back.request.path == "/account"
    assert back.headers["Cache-Control"] == "no-store"


def test_a_session_without_its_companion_manages_nothing(app, signed_in, database):
    shared = {
        name: value for name, value in signed_in.cookies.items() if "session_host" not in name
    }
    page = signed_in.get("/account")
    thief = Browser(app)
    for name, value in shared.items():
        thief.set_cookie(name, value)

    assert thief.get("/account").location.startswith(f"{ORIGIN}/sign-in?")
    answer = end_session(thief, session_of(signed_in), page)
    assert answer.location == f"{ORIGIN}/signed-out"
    assert live_sessions(database) == 1


def test_the_start_page_leads_to_it(signed_in):
    assert signed_in.get("/").click("Manage your account").request.path == "/account"


@pytest.mark.story("account")
def test_sessions_are_named_and_this_one_is_marked_and_first(signed_in, elsewhere):
    here, there = entries(signed_in.get("/account"), "sessions")

    assert "Unknown device" in text(here)
    assert "This browser" in text(here)
    assert "Firefox on Linux" in text(there)
    assert "Last seen within a day" in text(there)
    assert "This browser" not in text(there)
    first, _ = entries(elsewhere.get("/account"), "sessions")
    assert "Firefox on Linux" in text(first)


def test_what_was_long_ago_is_given_as_a_day(signed_in, elsewhere, turnable_clock):
    seen = turnable_clock.moment.date()
    turnable_clock.advance(days=3)

    _, there = entries(signed_in.get("/account"), "sessions")

    last_seen, since = there.find_all("time", datetime=f"{seen}")
    assert text(last_seen.parent) == f"Last seen on {last_seen.text}"
    assert text(since.parent) == f"Signed in on {since.text} from 127.0.0.1"


@pytest.mark.story("account.end_session")
def test_ending_a_session_elsewhere_has_effect_at_once(signed_in, elsewhere, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(elsewhere)).json

    answer = end_session(signed_in, session_of(elsewhere))

    assert answer.location == f"{ORIGIN}/account?done=session-ended"
    assert "That device is signed out." in signed_in.visit(answer.location).text
    assert not is_signed_in(elsewhere)
    assert is_signed_in(signed_in)
    assert relying_party.userinfo(tokens["access_token"]).status_int == 401


def test_ending_this_session_signs_out_and_leads_to_no_sign_in(signed_in, elsewhere):
    page = signed_in.follow_home(end_session(signed_in, session_of(signed_in)))

    assert page.request.path == "/signed-out"
    assert not is_signed_in(signed_in)
    assert is_signed_in(elsewhere)


def test_ending_twice_is_harmless(signed_in, elsewhere):
    page = signed_in.get("/account")
    there = session_of(elsewhere)

    end_session(signed_in, there, page)
    again = end_session(signed_in, there, page)

    assert again.location == f"{ORIGIN}/account"
    assert is_signed_in(signed_in)


def test_a_session_of_somebody_else_is_not_touched(signed_in, database):
    with database.transaction() as connection:
        other, _ = users.from_profile(connection, OTHER)
        theirs, _ = sessions.create(connection, other, timedelta(days=1))

    answer = end_session(signed_in, theirs.id)

    assert answer.location == f"{ORIGIN}/account"
    assert live_sessions(database) == 2
    assert theirs.id not in signed_in.get("/account").text


def test_applications_are_named_with_what_they_may_do(signed_in, relying_party):
    relying_party.sign_in_with(signed_in, scope="openid email")

    (entry,) = entries(signed_in.get("/account"), "applications")

    assert "Example App" in text(entry)
    assert "app.example.com" in text(entry)
    assert [text(each) for each in entry.select("ul.allowed li")] == [
        "Know who you are",
        "See your email address",
    ]
    assert "Allowed since" in text(entry)
    assert "Has no access now" in text(entry)


def test_an_application_with_a_token_was_seen(signed_in, relying_party, turnable_clock):
    tokens = relying_party.redeem(relying_party.sign_in_with(signed_in)).json
    turnable_clock.advance(days=2)
    relying_party.refresh(tokens["refresh_token"])
    seen = turnable_clock.moment.date()
    turnable_clock.advance(days=2)

    (entry,) = entries(signed_in.get("/account"), "applications")

    last_seen = entry.find("time", datetime=f"{seen}")
    assert text(last_seen.parent) == f"Last seen on {last_seen.text}"


@pytest.mark.story("account.disconnect")
def test_disconnecting_has_effect_at_once(signed_in, relying_party, database):
    tokens = relying_party.redeem(relying_party.sign_in_with(signed_in)).json
    code = relying_party.sign_in_with(signed_in)

    answer = disconnect(signed_in, relying_party.client_id)

    assert "The application is disconnected." in signed_in.visit(answer.location).text
    assert relying_party.userinfo(tokens["access_token"]).status_int == 401
    assert relying_party.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert relying_party.redeem(code).json["error"] == "invalid_grant"
    introspected = relying_party.http.post(
        "/api/auth/oauth2/introspect",
        {"token": tokens["access_token"]},
        headers=relying_party.credentials(),
    )
    assert introspected.json == {"active": False}
    assert is_signed_in(signed_in)
    second_visit = signed_in.follow_home(relying_party.authorize(signed_in))
    assert second_visit.request.path == "/consent"


def test_disconnecting_twice_is_harmless(signed_in, relying_party):
    relying_party.sign_in_with(signed_in)
    page = signed_in.get("/account")

    disconnect(signed_in, relying_party.client_id, page)
    again = disconnect(signed_in, relying_party.client_id, page)

    assert again.location == f"{ORIGIN}/account"


def test_an_application_that_need_not_ask_is_listed_while_it_holds_a_token(
    app, signed_in, database
):
    trusted = RelyingParty.registered(app, database, skip_consent=True, name="Trusted")
    tokens = trusted.redeem(trusted.sign_in_with(signed_in)).json

    (entry,) = entries(signed_in.get("/account"), "applications")
    assert "Allowed for everyone by those who run this service" in text(entry)
    disconnect(signed_in, trusted.client_id)

    assert trusted.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert not entries(signed_in.get("/account"), "applications")


def test_somebody_elses_consent_is_not_touched(app, signed_in, relying_party, database):
    with database.begin() as transaction:
        other, _ = users.from_profile(transaction.connection, OTHER)
        consents.grant(transaction, relying_party.client_id, other.id, ("openid",))
    relying_party.sign_in_with(signed_in)

    disconnect(signed_in, relying_party.client_id)

    assert database.reader.scalars(select(oauth_consent.c.user_id)).all() == [other.id]


@pytest.mark.story("account.sign_out_everywhere")
def test_signing_out_everywhere_ends_all(signed_in, elsewhere, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(elsewhere)).json

    form = form_of(signed_in.get("/account"), "sign-out-everywhere")
    answer = form.submit()
    page = signed_in.follow_home(answer)

    assert {cookie.value for cookie in cookies_set_by(answer).values()} == {""}
    assert "on any device" in text(page.html.main)
    assert not is_signed_in(signed_in)
    assert not is_signed_in(elsewhere)
    assert relying_party.userinfo(tokens["access_token"]).status_int == 401
    assert relying_party.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    again = form.submit()
    assert again.location == f"{ORIGIN}/signed-out"


def test_clients_are_told_when_a_session_is_ended(signed_in, elsewhere, told_client, receiver):
    told_client.redeem(told_client.sign_in_with(elsewhere))

    end_session(signed_in, session_of(elsewhere))

    assert receiver.next().token


@pytest.mark.attack("BROWSER-csrf-forms")
def test_a_forged_form_does_nothing(subtests, signed_in, relying_party, database):
    for action in ("end-session", "disconnect", "sign-out-everywhere"):
        with subtests.test(action=action):
            relying_party.sign_in_with(signed_in)
            fields = {
                "csrf_token": "forged",
                "session": session_of(signed_in),
                "client_id": relying_party.client_id,
            }

            answer = signed_in.post(f"/account/{action}", fields, expect_errors=True)

            assert answer.status_int == 403
            assert is_signed_in(signed_in)
            assert database.reader.scalar(select(func.count()).select_from(oauth_consent)) == 1


def test_many_sessions_and_applications_are_shown_in_parts(app, signed_in, database):
    with database.transaction() as connection:
        user = sessions.find_by_id(connection, session_of(signed_in)).user
        for _ in range(200):
            sessions.create(connection, user, timedelta(days=1))
    for number in range(12):
        client = RelyingParty.registered(app, database, name=f"App {number:02}")
        client.sign_in_with(signed_in)

    first = signed_in.get("/account")
    names = [text(entry.h3) for entry in entries(first, "applications")]
    second = first.click("Next", index=1)

    assert len(first.body) < 16_000
    assert len(entries(first, "sessions")) == len(names) == 10
    assert names == sorted(names)
    assert "Page 1 of 21" in first.text
    assert [text(entry.h3) for entry in entries(second, "applications")] == ["App 10", "App 11"]
    last = signed_in.get("/account", {"sessions": "99999"})
    assert "Page 21 of 21" in last.text
    assert len(entries(last, "sessions")) == 1


def test_a_part_that_is_none_is_the_first(subtests, signed_in):
    for part in ("0", "-1", "x", "٣", "1" * 30, ""):
        with subtests.test(part=part):
            page = signed_in.get("/account", {"sessions": part, "applications": part, "done": part})

            assert len(entries(page, "sessions")) == 1
            assert not page.html.select("[role=status]")


def test_hostile_names_break_nothing(app, signed_in, database):
    for name in ("<script>x</script>", "\u202egnp.exe", "x" * 300, '"><b>', "😀"):
        RelyingParty.registered(app, database, name=name).sign_in_with(signed_in)

    page = signed_in.get("/account")

    assert len(entries(page, "applications")) == 5
    assert not page.html.find_all(["script", "b"])
    assert "\u202e" not in page.text
