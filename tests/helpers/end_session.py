"""What tests of RP-initiated logout share: the request, and what its answers amount to."""

from urllib.parse import parse_qs

from sqlalchemy import func, select

from authservice.models import oauth_access_token, session
from tests.helpers.browser import ORIGIN
from tests.helpers.cookies import cookies_set_by

END_SESSION = "/api/auth/oauth2/end-session"
BYE = "https://app.example.com/bye"
COOKIES = {"authservice.session_token", "authservice.session_host"}


def ask(browser, hint=None, **parameters):
    """Send the person to the end-session endpoint."""
    hinted = {} if hint is None else {"id_token_hint": hint}
    return browser.get(END_SESSION, hinted | parameters, expect_errors=True)


def left_to(answer, uri):
    """Check that the person is sent there, and return the parameters that were added."""
    assert answer.status_int == 303, answer
    address, _, query = answer.location.partition("?")
    assert address == uri
    return {name: values[0] for name, values in parse_qs(query).items()}


def is_confirmation(answer):
    """Check that the person is prompted, and nothing has happened yet."""
    assert answer.status_int == 200
    assert answer.html.find(id="logout-confirm") is not None
    assert not COOKIES & set(cookies_set_by(answer))
    assert answer.headers["Cache-Control"] == "no-store"
    return answer


def is_refusal(answer, text):
    """Check that an error page names the rule, and nothing has happened."""
    assert answer.status_int == 400
    assert answer.content_type == "text/html"
    assert text in answer.text
    assert "Location" not in answer.headers
    assert not COOKIES & set(cookies_set_by(answer))


def has_ended(answer, browser):
    """Check that the cookies are cleared, and that there is no session any more."""
    cleared = cookies_set_by(answer)
    assert set(cleared) >= COOKIES
    for name in COOKIES:
        assert cleared[name].value == ""
        assert "Max-Age=0" in cleared[name].attributes
    assert browser.session() is None


def sessions_left(database):
    return database.reader.scalar(select(func.count()).select_from(session))


def access_tokens_left(database):
    return database.reader.scalar(select(func.count()).select_from(oauth_access_token))


def shows_signed_out(browser, answer):
    """Check that the person lands on our own page."""
    assert left_to(answer, f"{ORIGIN}/signed-out") == {}
    assert "Signed out" in browser.follow_home(answer).text
