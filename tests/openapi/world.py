"""A user with a browser, a client, and the service in local mode: what requests are made of."""

from urllib.parse import parse_qs, urlsplit

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import BYE
from tests.helpers.relying_party import RelyingParty

SESSION_API = "/api/auth"


class World:
    """Prepares requests; each method but the preparing ones returns what sends one."""

    def __init__(self, app, database, production_with_app=None):
        self.app = app
        self.production_with_app = production_with_app
        self.database = database
        self.browser = Browser(app)
        self.stranger = Browser(app)
        self.client = self.register(enable_end_session=True, post_logout_redirect_uris=[BYE])

    def register(self, **changes):
        return RelyingParty.registered(self.app, self.database, **changes)

    def signed_in(self):
        self.browser.sign_in()
        return self.browser

    def tokens(self, **changes):
        return self.client.redeem(self.client.sign_in_with(self.browser, **changes)).json

    def interaction(self, **changes):
        """Begin an authorization request and return what the pages get of it."""
        location = self.client.authorize(self.browser, **changes).location
        return parse_qs(urlsplit(location).query)["interaction"][0]

    def page(self, path, parameters=None):
        """Return the last form of a page of ours, which is its main one."""
        return self.browser.get(path, parameters)

    def consent_form(self, **changes):
        self.signed_in()
        page = self.browser.get("/consent", {"interaction": self.interaction(**changes)})
        return page.forms[0]

    def get(self, path, parameters=None, *, browser=None, headers=None):
        asking = browser or self.browser
        return lambda: asking.get(path, parameters, headers=headers, expect_errors=True)

    def post(self, path, form=None, *, browser=None, headers=None):
        asking = browser or self.browser
        return lambda: asking.post(path, form or {}, headers=headers, expect_errors=True)

    def post_json(self, path, content, *, browser=None, origin=ORIGIN):
        asking = browser or self.browser
        headers = {"Origin": origin} if origin else {}
        return lambda: asking.post_json(path, content, headers=headers, expect_errors=True)

    def post_text(self, path, text, content_type):
        headers = {"Origin": ORIGIN, "Content-Type": content_type}
        return lambda: self.browser.post(path, text, headers=headers, expect_errors=True)

    def by_client(self, path, form, *, client=None):
        asking = client or self.client
        headers = asking.credentials()
        return lambda: asking.http.post(path, form, headers=headers, expect_errors=True)

    def submit(self, form, **fields):
        """Return what presses a button of a form, after changing hidden fields."""
        button = fields.pop("button", None)
        for name, value in fields.items():
            form[name].force_value(value)
        name, value = button or (None, None)
        return lambda: form.submit(name, value=value, expect_errors=True)
