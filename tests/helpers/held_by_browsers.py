"""What browsers and clients hold of a service that was made with AUTH_SECRET, and its way back."""

from urllib.parse import parse_qs, urlsplit

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import END_SESSION
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

_API = "/api/auth"
_FROM_HERE = {"Origin": ORIGIN}


class Held:
    """Stops at each place of one service, and goes on from there at another."""

    def __init__(self, app, database):
        self.client = RelyingParty.registered(app, database, enable_end_session=True)
        person, newcomer = Browser(app), Browser(app)
        self.tokens = self.client.redeem(self.client.sign_in_with(person)).json

        self.sign_in = self.client.authorize(newcomer).location
        self.sign_in_form = _fields(newcomer.visit(self.sign_in), choice="sign-in")
        self.callback = newcomer.press(newcomer.visit(self.sign_in), choice="sign-in")

        self.consent = self.client.authorize(person, prompt="consent").location
        self.consent_form = _fields(person.visit(self.consent), decision="allow")
        self.logout_form = _fields(person.get(END_SESSION), decision="stay")
        parameters = {"client_id": self.client.client_id}
        self.sealed_logout = person.post(END_SESSION, parameters).location
        self.sign_out_form = _fields(person.get("/"))
        self.cookies = [dict(browser.cookies) for browser in (person, newcomer)]

    def used_at(self, app):
        """Return what becomes of each at a service, in an order in which none hinders the next."""
        person, newcomer = (_browser(app, cookies) for cookies in self.cookies)
        client = self.client
        client.http = Browser(app)
        hint = self.tokens["id_token"]
        silent = client.request(prompt="none")
        steps = {
            "get-session": lambda: person.get(f"{_API}/get-session"),
            "list-sessions": lambda: _get(person, f"{_API}/list-sessions"),
            "token": lambda: _get(person, f"{_API}/token"),
            "get-consents": lambda: _get(person, f"{_API}/oauth2/get-consents"),
            "start page": lambda: _get(person, "/"),
            "sign-in page": lambda: _get(newcomer, self.sign_in),
            "sign-in form": lambda: _post(newcomer, "/sign-in", self.sign_in_form),
            "callback": lambda: _get(newcomer, self.callback.location),
            "consent page": lambda: _get(person, self.consent),
            "consent form": lambda: _post(person, "/consent", self.consent_form),
            "silent request": lambda: _get(person, AUTHORIZE, silent),
            "request with a hint": lambda: _get(
                person, AUTHORIZE, silent | {"id_token_hint": hint}
            ),
            "pending request": lambda: _get(person, f"{AUTHORIZE}?{urlsplit(self.consent).query}"),
            "userinfo": lambda: client.userinfo(self.tokens["access_token"]),
            "refresh": lambda: client.refresh(self.tokens["refresh_token"]),
            "sealed end-session": lambda: _get(person, self.sealed_logout),
            "end-session form": lambda: _post(person, f"{END_SESSION}/confirm", self.logout_form),
            "sign-out form": lambda: _post(person, "/sign-out", self.sign_out_form),
            "end-session with a hint": lambda: _get(person, END_SESSION, {"id_token_hint": hint}),
            "sign-out": lambda: person.post_json(
                f"{_API}/sign-out", {}, headers=_FROM_HERE, expect_errors=True
            ),
        }
        return {name: _outcome(step()) for name, step in steps.items()}


def _browser(app, cookies):
    browser = Browser(app)
    for name, value in cookies.items():
        browser.set_cookie(name, value)
    return browser


def _fields(page, **pressed):
    """Return what the form of a page sends when a button is pressed."""
    return dict(page.forms[0].submit_fields()) | pressed


def _get(browser, address, parameters=None):
    return browser.get(browser.path(address), parameters, expect_errors=True)


def _post(browser, path, fields):
    return browser.post(path, fields, expect_errors=True)


def _outcome(answer):
    """Return an answer's status and what it amounts to, in a few words."""
    if answer.location:
        parts = urlsplit(answer.location)
        said = parse_qs(parts.query)
        word = said["error"][0] if "error" in said else "code" if "code" in said else ""
        return f"{answer.status_int} {parts.path} {word}".strip()
    if answer.content_type == "text/html":
        return f"{answer.status_int} {answer.html.h1.get_text(' ', strip=True)}"
    content = answer.json
    error = (content.get("code") or content.get("error")) if isinstance(content, dict) else None
    return f"{answer.status_int} {error or ('nothing' if content is None else 'content')}"
