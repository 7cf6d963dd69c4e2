"""Whom the service trusts, and which way it goes, when it calls the provider or tells a client."""

import json
import logging
import ssl
import subprocess

import pytest

from authservice.httpclient import Method, Request, SendError, Timeouts, transport
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.code_hosting import CodeHosting
from authservice.oauth.logout.delivery import LogoutDelivery
from authservice.outgoing import client
from authservice.settings import OutgoingSettings
from tests.diagnosis.https_site import HttpsSite
from tests.helpers import host_names
from tests.helpers.forward_proxy import ForwardProxy
from tests.helpers.parts import program
from tests.unit.settings.loading import local, problems, production

authority = host_names.authority
names = host_names.names

HOST = "company.test"
PERSON = {"id": 583231, "login": "octocat", "name": "Octo Cat", "avatar_url": None, "email": None}
EMAILS = [{"email": "octo@company.test", "verified": True, "primary": True}]


def as_provider(path):
    """Answer as a GitHub Enterprise Server."""
    answers = {
        "/login/oauth/access_token": {"access_token": "t", "token_type": "bearer", "scope": ""},
        "/api/v3/user": PERSON,
    }
    content = answers.get(path.partition("?")[0], EMAILS)
    return 200, "application/json", json.dumps(content).encode()


@pytest.fixture
def site(authority):
    """A host of the company, with a certificate of the company's own authority."""
    made = HttpsSite(authority.certificate(HOST, "127.0.0.1"), answer=as_provider)
    yield made
    made.close()


@pytest.fixture
def client_of_ours(authority):
    """A client application that takes note of logouts, behind the same authority."""
    certificate = authority.certificate(HOST, "127.0.0.1")
    made = HttpsSite(certificate, answer=lambda _path: (200, "text/plain", b""))
    yield made
    made.close()


@pytest.fixture
def proxy():
    """The only one who can look the company's hosts up."""
    made = ForwardProxy({})
    yield made
    made.close()


def told(settings, uri):
    return LogoutDelivery(settings).deliver(uri, "a.b.c")


def provider(settings, port):
    found = settings.provider
    changed = {
        "authorize_url": f"https://{HOST}:{port}/login/oauth/authorize",
        "token_url": f"https://{HOST}:{port}/login/oauth/access_token",
        "api_url": f"https://{HOST}:{port}/api/v3",
    }
    fields = {name: getattr(found, name) for name in type(found).__slots__}
    return CodeHosting(type(found)(**{**fields, **changed}), "https://x/cb", settings.outgoing)


def by_proxy(proxy, **ini):
    return production({"outgoing.proxy": proxy.url, **ini})


# Whom the service trusts


def test_a_client_behind_the_companys_authority_is_told(client_of_ours, authority):
    uri = f"https://127.0.0.1:{client_of_ours.port}/logout"
    networks = {"auth.backchannel_networks": "127.0.0.0/8"}

    refused = told(production(networks), uri)
    accepted = told(production({**networks, "outgoing.ca_bundle": str(authority.bundle)}), uri)

    assert "the certificate is not accepted" in refused
    assert accepted is None


def test_people_sign_in_at_a_provider_behind_the_companys_authority(site, authority, names):
    names[HOST] = ["127.0.0.1"]

    with pytest.raises(SignInFailedError, match="certificate is not accepted"):
        provider(production(), site.port).profile("code", "v" * 43)

    settings = production({"outgoing.ca_bundle": str(authority.bundle)})
    assert provider(settings, site.port).profile("code", "v" * 43).account_id == "583231"


@pytest.mark.parametrize("kept_in", ["a file", "a folder"])
def test_what_the_machine_trusts_is_trusted(
    client_of_ours,
    authority,
    tmp_path,
    monkeypatch,
    kept_in,
):
    """As OpenSSL was built to find it, here in a place of the test's own."""
    paths = ssl.get_default_verify_paths()
    if kept_in == "a file":
        found = paths._replace(openssl_cafile=str(authority.bundle), openssl_capath="/nowhere")
    else:
        (tmp_path / hash_of(authority.bundle)).write_bytes(authority.bundle.read_bytes())
        found = paths._replace(openssl_cafile="/nowhere", openssl_capath=str(tmp_path))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: found)

    settings = production({"auth.backchannel_networks": "127.0.0.0/8"})
    assert told(settings, f"https://127.0.0.1:{client_of_ours.port}/logout") is None


def hash_of(bundle):
    """Return the name under which OpenSSL looks for a certificate in a folder."""
    command = [program("openssl"), "x509", "-noout", "-subject_hash", "-in", bundle]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"{done.stdout.strip()}.0"


def test_a_machine_that_trusts_nobody_yet_trusts_the_public_authorities(monkeypatch):
    paths = ssl.get_default_verify_paths()
    nothing = paths._replace(openssl_cafile="/nowhere", openssl_capath="/nowhere")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nothing)
    monkeypatch.setattr(transport, "_SYSTEM_BUNDLES", ())

    made = client(OutgoingSettings(), Timeouts(), 1024)

    assert made._transport._context.cert_store_stats()["x509_ca"] > 50


def test_the_bundle_is_trusted_beside_the_public_authorities(authority, monkeypatch):
    monkeypatch.setattr(transport, "_load_system_authorities", lambda _context: False)

    made = client(OutgoingSettings(ca_bundle=str(authority.bundle)), Timeouts(), 1024)

    subjects = [each["subject"] for each in made._transport._context.get_ca_certs()]
    assert ((("commonName", "Test authority"),),) in subjects
    assert len(subjects) > 50


# Which way it goes


def test_a_sign_in_goes_through_the_proxy(site, proxy, authority):
    proxy.hosts[f"{HOST}:{site.port}"] = site.port
    settings = by_proxy(proxy, **{"outgoing.ca_bundle": str(authority.bundle)})

    assert provider(settings, site.port).profile("code", "v" * 43).account_id == "583231"
    assert set(proxy.requests) == {("CONNECT", f"{HOST}:{site.port}")}


def test_a_logout_token_goes_through_the_proxy(client_of_ours, proxy, authority):
    proxy.hosts[f"{HOST}:{client_of_ours.port}"] = client_of_ours.port
    settings = by_proxy(proxy, **{"outgoing.ca_bundle": str(authority.bundle)})

    assert told(settings, f"https://{HOST}:{client_of_ours.port}/logout") is None
    assert proxy.requests == [("CONNECT", f"{HOST}:{client_of_ours.port}")]


@pytest.mark.attack("BROWSER-ssrf")
def test_nothing_of_our_own_networks_is_asked_of_the_proxy(subtests, proxy):
    for uri in (
        "https://10.0.0.1/logout",
        "https://127.0.0.1/logout",
        "https://169.254.169.254/latest",
        "https://[::1]/logout",
        "https://[::ffff:10.0.0.1]/logout",
        "https://[64:ff9b::7f00:1]/logout",
        "https://localhost/logout",
        "https://api.localhost/logout",
        "http://localhost/logout",
        "http://127.0.0.1/logout",
        "http://company.test/logout",
    ):
        with subtests.test(uri=uri):
            assert told(by_proxy(proxy), uri) is not None
            assert proxy.requests == []


@pytest.mark.attack("BROWSER-ssrf")
def test_a_name_that_the_proxy_leads_to_another_host_learns_nothing(proxy, authority):
    seen = []

    def answer(path):
        seen.append(path)
        return 200, "text/plain", b""

    inside = HttpsSite(authority.certificate("inside.company.test"), answer=answer)
    proxy.hosts[f"rp.example.net:{inside.port}"] = inside.port
    settings = by_proxy(proxy, **{"outgoing.ca_bundle": str(authority.bundle)})
    try:
        failure = told(settings, f"https://rp.example.net:{inside.port}/logout")
    finally:
        inside.close()

    assert "Hostname mismatch" in failure
    assert seen == []


def test_networks_that_are_named_are_reached_directly(client_of_ours, proxy, authority):
    settings = by_proxy(
        proxy,
        **{
            "outgoing.ca_bundle": str(authority.bundle),
            "auth.backchannel_networks": "127.0.0.0/8",
        },
    )

    assert told(settings, f"https://127.0.0.1:{client_of_ours.port}/logout") is None
    assert "address" in told(settings, "https://8.8.8.8/logout")
    assert proxy.requests == []


def test_local_mode_reaches_loopback_without_the_proxy(proxy, client_of_ours, authority):
    ini = {"outgoing.proxy": proxy.url, "outgoing.ca_bundle": str(authority.bundle)}

    assert told(local(ini), f"https://127.0.0.1:{client_of_ours.port}/logout") is None
    assert proxy.requests == []


def test_a_proxy_that_refuses_is_said_without_its_password(authority, caplog):
    caplog.set_level(logging.DEBUG)
    made = ForwardProxy({}, credentials="user:the-password")
    try:
        for password in ("the-password", "a-wrong-one"):
            url = made.url.replace("//", f"//user:{password}@")
            settings = production((), {"OUTGOING_PROXY": url})
            failure = told(settings, "https://rp.example.net/logout")
            assert "the proxy did not pass the request on" in failure
            said = f"{failure} {settings!r} {caplog.text}"
            assert password not in said
    finally:
        made.close()
    assert len(made.requests) == 2


def test_a_proxy_takes_the_password_of_the_environment(client_of_ours, authority):
    port = client_of_ours.port
    made = ForwardProxy({f"{HOST}:{port}": port}, credentials="user:the-password")
    try:
        settings = production(
            {"outgoing.ca_bundle": str(authority.bundle)},
            {"OUTGOING_PROXY": made.url.replace("//", "//user:the-password@")},
        )
        assert told(settings, f"https://{HOST}:{port}/logout") is None
    finally:
        made.close()


# Settings that cannot be used


def test_a_proxy_that_is_no_address_is_refused(subtests):
    for address in (
        "proxy.example.com:3128",
        "socks5://proxy.example.com:1080",
        "http://proxy.example.com:3128/path",
        "http://proxy.example.com:3128?x=1",
        "http://",
        "http://pro xy:3128",
        "http://proxy.example.com:99999",
        "http://*.example.com:3128",
    ):
        with subtests.test(address=address):
            found, text = problems(production, {"outgoing.proxy": address})

            assert found == ["outgoing.proxy (OUTGOING_PROXY)"]
            assert "http://proxy.example.com:3128" in text or "must name a host" in text


def test_a_password_of_the_proxy_does_not_stand_in_the_ini_file():
    _, text = problems(production, {"outgoing.proxy": "http://user:the-password@p.example.com"})

    assert "OUTGOING_PROXY" in text
    assert "the-password" not in text


def test_a_bundle_without_certificates_is_refused(tmp_path):
    (tmp_path / "empty.pem").write_text("nothing")
    for file in ("empty.pem", "absent.pem", "."):
        found, text = problems(production, {"outgoing.ca_bundle": str(tmp_path / file)})

        assert found == ["outgoing.ca_bundle"]
        assert "PEM file" in text


def test_a_failure_is_one_of_the_http_client(proxy):
    made = client(OutgoingSettings(proxy=proxy.url), Timeouts(), 1024)

    with pytest.raises(SendError):
        made.send(Request(Method.GET, "https://nobody.test/"))
