"""What a person does at the service in a browser tab."""

from urllib.parse import urlencode, urljoin

from tests.helpers.chromium import expect
from tests.helpers.relying_party import AUTHORIZE, challenge_of
from tools.bench.driver.form import Form

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0"
VERIFIER = "a-verifier-as-long-as-the-standard-wants-it"


class Visit:
    """A tab, the service that it visits, and an application that sends it there."""

    # Of a client that is not for the local developer.
    others_client_id = None

    def __init__(self, tab, service_url, client_id, redirect_uri):
        self.tab = tab
        self.service_url = service_url
        self.client_id = client_id
        self.redirect_uri = redirect_uri

    def go(self, path, **query):
        """Open an address of the service."""
        self.tab.goto(f"{self.service_url}{path}{'?' if query else ''}{urlencode(query)}")

    def authorize(self, **changes):
        """Come from the application, with its authorization request."""
        self.tab.goto(self.authorization_url(**changes))

    def authorization_url(self, **changes):
        """Return the address of the application's authorization request."""
        return f"{self.service_url}{self._authorization_request(**changes)}"

    def _authorization_request(self, **changes):
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "openid profile email offline_access",
            "state": "opaque",
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
        }
        return f"{AUTHORIZE}?{urlencode(parameters | changes)}"

    def press(self, *ids):
        """Press one button after the other, each on the page that the one before led to."""
        for each in ids:
            with self.tab.expect_navigation():
                self.tab.locator(f"#{each}").click()

    def sign_in(self):
        """Sign in without an application."""
        self.go("/sign-in")
        self.press("sign-in-submit")

    def connect(self):
        """Sign in at the application and allow it what it asks for."""
        self.authorize()
        self.press("sign-in-submit", "consent-allow")

    def has_signed_in(self):
        """Sign in without looking at the pages on the way; the browser has the cookies."""
        self._submit(self.tab.context, "/sign-in", choice="sign-in")

    def has_signed_in_elsewhere(self):
        """Sign in with another browser of the same person's."""
        with self.tab.context.browser.new_context(user_agent=FIREFOX) as context:
            self._submit(context, "/sign-in", choice="sign-in")

    def has_connected(self):
        """Sign in and allow the application what it asks for, without looking at the pages."""
        self.has_signed_in()
        self._submit(self.tab.context, self._authorization_request(), decision="allow")

    def _submit(self, context, path, **button):
        """Press a button of a page's form, past what the browser shows."""
        page = context.request.get(f"{self.service_url}{path}")
        form = Form(page.text())
        address = urljoin(page.url, form.action)
        assert context.request.post(address, form=form.fields | button).ok


def sees(tab, text):
    """Check that the page says so."""
    expect(tab.get_by_text(text).first).to_be_visible()


def arrives(visit):
    """Check that the browser is back at the application."""
    expect(visit.tab.get_by_role("heading", name="Back at the application")).to_be_visible()
