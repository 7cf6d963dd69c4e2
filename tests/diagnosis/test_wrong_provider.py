"""What ``authservice check`` finds of addresses: our own, the identity provider's, its clock."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from tests.diagnosis.https_site import HttpsSite
from tests.diagnosis.machine import HOST, finds
from tests.helpers.forward_proxy import ForwardProxy
from tests.helpers.ports import free_port

# The public address


def test_a_host_without_an_address(machine, names):
    names[HOST] = []

    finds(machine, ("address.unresolved", "auth.url"))


def test_a_cookie_domain_that_no_application_shares(machine):
    machine.set("auth.cookie_domain", f".{HOST}")

    finds(machine, ("address.cookie_domain_too_narrow", "auth.cookie_domain"))


def test_a_trusted_origin_that_never_gets_the_cookie(machine):
    machine.set("auth.cookie_domain", ".auth.observatory-lab.org")
    machine.set("auth.trusted_origins", "https://wiki.observatory-lab.org")

    finds(
        machine,
        ("address.origin_outside_cookie_domain", "auth.trusted_origins"),
        "address.cookie_domain_too_narrow",
    )


# The identity provider


def test_a_provider_whose_name_is_misspelt(machine, names):
    names["code-hosting.test"] = []
    for name in ("authorize_url", "token_url", "api_url"):
        machine.set(f"provider.{name}", f"https://code-hosting.test/{name}")

    finds(machine, ("provider.unresolved", "provider.authorize_url"))


def test_a_provider_behind_a_closed_firewall(machine):
    machine.set("provider.api_url", f"http://127.0.0.1:{free_port()}/api")

    finds(machine, ("provider.unreachable", "provider.api_url"))


def test_a_provider_that_only_the_proxy_of_the_environment_reaches(machine):
    machine.set("provider.api_url", f"http://127.0.0.1:{free_port()}/api")
    machine.environ(https_proxy="http://proxy.observatory-lab.org:3128")

    finds(machine, ("provider.only_by_proxy", "provider.api_url"))


def test_a_proxy_of_the_settings_that_does_not_pass_the_provider_on(machine):
    proxy = ForwardProxy({})
    machine.set("outgoing.proxy", proxy.url)
    machine.set("provider.api_url", "https://code-hosting.test/api/v3")

    with closing(proxy):
        (found,) = finds(machine, ("provider.proxy", "provider.api_url"))

    assert "the proxy did not pass the request on" in found["found"]
    assert set(proxy.requests) == {("CONNECT", "code-hosting.test:443")}


def test_a_proxy_of_the_settings_that_is_not_there(machine):
    machine.set("outgoing.proxy", f"http://127.0.0.1:{free_port()}")
    machine.set("provider.api_url", "https://code-hosting.test/api/v3")

    finds(machine, ("provider.proxy", "provider.api_url"))


def test_a_provider_that_is_silent(machine, identity_provider_standin):
    identity_provider_standin.fault("/login/oauth/access_token", "slow")

    finds(machine, ("provider.too_slow", "provider.token_url"))


def test_a_provider_that_fails(machine, identity_provider_standin):
    identity_provider_standin.fault("/api/user", "502")

    finds(machine, ("provider.failing", "provider.api_url"))


@pytest.fixture
def trusted(authority, machine):
    """An authority whose certificates the service accepts."""
    machine.set("outgoing.ca_bundle", authority.bundle)
    return authority


def provider_with(machine, names, certificate):
    """Move the API of the provider to a host with this certificate; return the host's server."""
    site = HttpsSite(certificate)
    names["code-hosting.test"] = ["127.0.0.1"]
    machine.set("provider.api_url", f"https://code-hosting.test:{site.port}/api")
    return closing(site)


def test_a_provider_whose_certificate_is_self_made(machine, names, authority):
    with provider_with(machine, names, authority.certificate("code-hosting.test")):
        (found,) = finds(machine, ("provider.certificate", "provider.api_url"))

    assert "unable to get local issuer certificate" in found["found"]


def test_a_provider_whose_certificate_has_expired(machine, names, trusted):
    expired = trusted.certificate("code-hosting.test", end=datetime(2021, 1, 1, tzinfo=UTC))
    with provider_with(machine, names, expired):
        (found,) = finds(machine, ("provider.certificate", "provider.api_url"))

    assert "certificate has expired" in found["found"]


def test_a_provider_with_the_certificate_of_another_host(machine, names, trusted):
    with provider_with(machine, names, trusted.certificate("elsewhere.test")):
        (found,) = finds(machine, ("provider.certificate", "provider.api_url"))

    assert "Hostname mismatch" in found["found"]


def test_a_client_secret_that_the_provider_does_not_know(machine):
    machine.environ(PROVIDER_CLIENT_SECRET="0123456789abcdef0123456789abcdef01234567")

    finds(machine, ("provider.credentials", "provider.token_url"))


def test_a_client_id_that_the_provider_does_not_know(machine):
    machine.set("provider.client_id", "Ov23liSomebodyElses0")

    finds(machine, "provider.authorize_url", "provider.credentials")


def test_addresses_of_the_provider_with_wrong_paths(machine, identity_provider_standin):
    url = identity_provider_standin.url
    machine.set("provider.authorize_url", f"{url}/oauth/authorize")
    machine.set("provider.token_url", f"{url}/oauth/token")
    machine.set("provider.api_url", f"{url}/v3")

    finds(machine, "provider.authorize_url", "provider.token_url", "provider.api_url")


def test_a_callback_address_for_which_the_provider_redirects_elsewhere(
    machine, identity_provider_standin
):
    elsewhere = "https://old.observatory-lab.org/api/auth/callback/github"
    identity_provider_standin.application(callback_url=elsewhere)

    (found,) = finds(machine, ("provider.callback_refused", "provider.authorize_url"))

    assert found["found"] == f"https://{HOST}/api/auth/callback/github"


def test_what_a_provider_refuses_is_told_apart(subtests, machine, names, trusted):
    certificate = trusted.certificate("code-hosting.test")
    names["code-hosting.test"] = ["127.0.0.1"]

    def answer(path):
        status, body = with_callback if "redirect_uri=" in path else without
        return status, "text/html", body

    for with_callback, without, kind in (
        ((400, b"The redirect_uri is not associated with this app."), (400, b""), "refused"),
        ((400, b"<h1>Invalid callback URL</h1>"), (400, b""), "refused"),
        ((400, b"Bad request"), (200, b"Sign in"), "refused"),
        ((400, b"Unknown client_id or redirect_uri"), (400, b""), "not ours"),
        ((404, b"Not found"), (404, b"Not found"), "not ours"),
        ((400, b"Bad request"), (400, b"redirect_uri is missing"), "not ours"),
    ):
        with subtests.test(with_callback=with_callback, without=without):
            wanted = "provider.callback_refused" if kind == "refused" else "provider.authorize_url"
            with closing(HttpsSite(certificate, answer=answer)) as site:
                url = f"https://code-hosting.test:{site.port}/authorize"
                machine.set("provider.authorize_url", url)
                finds(machine, (wanted, "provider.authorize_url"))


def test_a_token_address_whose_error_is_no_text(machine, names, trusted):
    site = HttpsSite(
        trusted.certificate("code-hosting.test"),
        answer=lambda _path: (400, "application/json", b'{"error": ["invalid_client"]}'),
    )
    names["code-hosting.test"] = ["127.0.0.1"]
    machine.set("provider.token_url", f"https://code-hosting.test:{site.port}/token")

    with closing(site):
        finds(machine, ("provider.token_url", "provider.token_url"))


def test_a_callback_address_that_the_provider_refuses_with_the_code(machine, names, trusted):
    def answer(_path):
        return 200, "application/json", b'{"error": "redirect_uri_mismatch"}'

    site = HttpsSite(trusted.certificate("code-hosting.test"), answer=answer)
    names["code-hosting.test"] = ["127.0.0.1"]
    machine.set("provider.token_url", f"https://code-hosting.test:{site.port}/token")

    with closing(site):
        finds(machine, ("provider.callback_refused", "provider.token_url"))


# The clock


def test_a_clock_that_is_wrong(machine, identity_provider_standin):
    identity_provider_standin.advance(300)

    (found,) = finds(machine, "clock.wrong")

    assert "behind the other's" in found["found"]


def test_a_clock_that_is_a_little_off(machine, identity_provider_standin):
    identity_provider_standin.advance(-25)

    (found,) = finds(machine, "clock.imprecise")

    assert "ahead of the other's" in found["found"]
