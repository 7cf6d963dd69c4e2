"""``provider.trust_emails``: what applications are told of an address that is verified there."""

import pytest

from tests.functional.forward.asking import APP, PROXY, Proxy
from tests.helpers.production import (
    production_app,
    production_browser,
    sign_in_stranger,
    signed_in_cookies,
)
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

ADDRESS = "ada1@example.com"


@pytest.mark.attack("FAILURES-untrusted-address")
@pytest.mark.requirement("OIDC-CORE-5.1-2")
def test_only_addresses_of_a_trusted_provider_are_called_verified(
    subtests, make_app, monkeypatch, database
):
    for trusted in (True, False):
        with subtests.test(trusted=trusted):
            settings = {
                "auth__trusted_proxies": f"{PROXY} 127.0.0.1",
                "provider__trust_emails": str(trusted).lower(),
            }
            app = production_app(make_app, monkeypatch, **settings)
            person = sign_in_stranger(production_browser(app), app, database)
            client = RelyingParty.registered(app, database)
            client.http = production_browser(app)

            assert told_to_siblings(person) == [(ADDRESS, trusted)] * 2
            proxy = Proxy(app, signed_in_cookies(app, database))
            assert remote_emails(proxy) == [ADDRESS if trusted else ""] * 2
            page = person.visit(client.authorize(person).location)
            assert ADDRESS in page.html.get_text()
            assert told_to_clients(client, person) == [(ADDRESS, trusted)] * 3


def told_to_siblings(person):
    """Return what the session and its JWT say: the address, and whether it is verified."""
    jwt = person.get("/api/auth/token").json["token"]
    return [
        (said["email"], said["emailVerified"])
        for said in (person.session()["user"], decoded(jwt, person)[1])
    ]


def remote_emails(proxy):
    return [answer.headers["Remote-Email"] for answer in (proxy.original(APP), proxy.forwarded())]


def told_to_clients(client, person):
    """Return what userinfo and ID tokens say, of a sign-in and of a refresh."""
    tokens = client.redeem(client.sign_in_with(person)).json
    refreshed = client.refresh(tokens["refresh_token"]).json
    return [
        (said["email"], said["email_verified"])
        for said in (
            client.userinfo(tokens["access_token"]).json,
            decoded(tokens["id_token"], client.http)[1],
            decoded(refreshed["id_token"], client.http)[1],
        )
    ]
