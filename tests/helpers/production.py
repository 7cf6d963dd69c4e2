"""An application in production, and people who are signed in to it."""

from datetime import timedelta

from pyramid.response import Response

from authservice.services.people import users
from authservice.services.sessions import sessions
from tests.helpers.browser import Browser
from tests.helpers.cookies import cookie_header
from tests.helpers.profiles import profile
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI

ORIGIN = "https://auth.example.com"


def production_app(make_app, monkeypatch, **changes):
    """Build the application in production, with its secrets in the environment."""
    # What an engine needs in local mode, production refuses.
    monkeypatch.delenv("AUTH_LOCAL_CONTROL_TOKEN", raising=False)
    for name, value in PRODUCTION_ENVIRON.items():
        monkeypatch.setenv(name, value)
    if any(name.startswith("admission") for name in changes):
        # Everyone is let in unless a test has rules of its own.
        monkeypatch.delenv("ADMISSION_EVERYONE")
    return make_app(**(PRODUCTION_INI | changes))


def production_browser(app, cookies=""):
    """Return a browser on the application's own host, with these cookies and no jar."""
    browser = Browser(app, origin=ORIGIN)
    if cookies:
        browser.extra_environ["HTTP_COOKIE"] = cookies
    return browser


def signed_in_cookies(app, database, *, account_id="1", lifetime=timedelta(days=7)):
    """Return the Cookie header of a user who signed in just now."""
    about = {"email": f"ada{account_id}@example.com", "image": "https://example.com/ada.png"}
    with database.transaction() as connection:
        user, _ = users.from_profile(connection, profile(account_id, "Ada Lovelace", **about))
        session, token = sessions.create(
            connection, user, lifetime, ip_address="203.0.113.7", user_agent="Test/1"
        )
    response = Response()
    app.registry.components.cookies.set_session(response, session, token)
    return cookie_header(response)


def signed_out_cookies(app, database):
    """Return the Cookie header of a user whose session is no longer stored."""
    cookies = signed_in_cookies(app, database)
    browser = production_browser(app, cookies)
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    return cookies


def sign_in_stranger(browser, app, database):
    """Sign Ada in as another tab of the browser would; return the browser."""
    for pair in signed_in_cookies(app, database).split("; "):
        browser.set_cookie(*pair.split("=", 1))
    return browser
