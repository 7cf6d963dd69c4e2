"""A service in production with rules of admission, and people who come to it from the stand-in."""

from authservice.services.admission import pins
from authservice.settings.admission import rules
from tests.helpers.production import production_app, production_browser

SIGN_IN = "/sign-in"
# What a browser says when a link of another site, or an address bar, leads its tab here.
NAVIGATION = {
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Site": "same-site",
}


def pin(database, numbers):
    """Give names numbers, as the provider would: ``{"team:acme/platform": "71"}``."""
    with database.transaction() as connection:
        pins.learn(connection, {rules.parse(entry): each for entry, each in numbers.items()})


class Gate:
    """The service under certain rules, and the way through the provider."""

    def __init__(self, make_app, monkeypatch, standin):
        self._make_app = make_app
        self._monkeypatch = monkeypatch
        self.standin = standin

    def serves(self, **settings):
        """Start the service with settings such as ``admission__users``; return the application."""
        return production_app(self._make_app, self._monkeypatch, **(self.standin.ini | settings))

    def come(self, app, login="octocat", person=None, **query):
        """Sign in with an account; return the browser and the last answer of the service."""
        person = person or production_browser(app)
        page = person.get(SIGN_IN, query or {"callbackURL": "/"})
        leaving = person.press(page, choice="sign-in")
        return person, self.back(person, leaving, login)

    def back(self, person, leaving, login="octocat"):
        """Allow at the provider, to which an answer leads, and follow where that leads here."""
        while leaving.status_int == 303 and leaving.location.startswith(person.origin):
            leaving = person.visit(leaving.location)
        back = self.standin.allow(leaving.location, login)
        answer = person.visit(back, expect_errors=True)
        while answer.status_int == 303 and answer.location.startswith(person.origin):
            answer = person.visit(answer.location, expect_errors=True, headers=NAVIGATION)
        return answer
