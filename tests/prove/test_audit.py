"""The audit after the load: it sees what was acknowledged and does not stand."""

from tools.bench.driver.browser import Browser
from tools.bench.driver.wire import perform
from tools.bench.driver.wsgi import calling
from tools.bench.people.population import Client
from tools.prove import requests
from tools.prove.audit import audit
from tools.prove.ledger import Family, Ledger


class Service:
    """The application, called as a fleet of processes is."""

    def __init__(self, app):
        self.send = calling(app)


def test_the_audit_sees_what_does_not_stand(app):
    service = Service(app)
    browser = Browser("localhost:37960")
    perform(browser.sign_in(), service.send)
    ledger = Ledger(alive=["authservice.session_token=unknown"], ended=[browser.cookies])

    audit("localhost:37960", None, service, ledger)

    assert ledger.losses == [
        "an acknowledged session is unknown in the end",
        "an ended session can be used",
    ]


def test_the_audit_sees_tokens_that_were_revoked_for_nothing(app, browser, relying_party):
    rp = relying_party
    client = Client(rp.client_id, rp.client_secret, rp.redirect_uri)
    tokens = rp.redeem(rp.sign_in_with(browser)).json
    usable = requests.refresh("localhost:37960", client, tokens["refresh_token"])
    family = Family(usable, tokens["access_token"], tokens["refresh_token"], "")
    unknown = Family(usable, "unknown", "unknown", "")
    ledger = Ledger(families=[unknown], revoked=[family])

    audit("localhost:37960", client, Service(app), ledger)

    assert ledger.losses == [
        "an acknowledged refresh token is refused in the end",
        "a spent code was taken again",
        "a revoked refresh token can be used",
        "an access token of a revoked family can be used",
    ]
