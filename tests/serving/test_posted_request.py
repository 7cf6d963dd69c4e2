"""An authorization request that fits into no address, from its form to the client, by real HTTP."""

import json
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
import requests
from bs4 import BeautifulSoup

from tests.helpers.relying_party import AUTHORIZE, challenge_of
from tests.serving.servers import COMMANDS, Server

LONG = "s" * 30_000
REDIRECT_URI = "https://app.example.com/callback"
CHALLENGE = challenge_of("v" * 43)
PRESSED = {"/sign-in": ("choice", "sign-in"), "/consent": ("decision", "allow")}
# A proxy takes 8 KiB by default; nothing here comes near it.
SHORT = 2_000


@pytest.fixture(scope="module", params=COMMANDS)
def server(request, tmp_path_factory):
    started = Server(request.param, tmp_path_factory.mktemp("server"))
    yield started
    started.stop()


@pytest.fixture(scope="module")
def asked(server):
    registered = server.command(
        "authservice-register", "--name", "App", "--redirect-uri", REDIRECT_URI, "--json"
    )
    return {
        "response_type": "code",
        "client_id": json.loads(registered)["client_id"],
        "redirect_uri": REDIRECT_URI,
        "scope": "openid email",
        "state": LONG,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }


@pytest.fixture
def browser():
    with requests.Session() as session:
        session.trust_env = False
        yield session


def way(server, browser, form):
    """Return the pages on the way from a form to the client, and where it leads in the end."""
    answer = browser.post(f"{server.url}{AUTHORIZE}", form, allow_redirects=False)
    pages = []
    while True:
        sent = answer.request
        assert len(sent.url) + sum(map(len, sent.headers.values())) < SHORT
        location = answer.headers.get("Location", "")
        if location.startswith(REDIRECT_URI):
            return pages, location
        if answer.is_redirect:
            answer = browser.get(location, allow_redirects=False)
            continue
        page = urlsplit(sent.url).path
        pages.append(page)
        found = BeautifulSoup(answer.text, "html.parser").find("form")
        fields = {each["name"]: each.get("value", "") for each in found.find_all("input")}
        name, value = PRESSED[page]
        action = urljoin(sent.url, found["action"])
        answer = browser.post(action, fields | {name: value}, allow_redirects=False)


def test_it_arrives_and_no_header_grows_with_it(server, browser, asked):
    pages, location = way(server, browser, asked)

    assert pages == ["/sign-in", "/consent"]
    assert parse_qs(urlsplit(location).query)["state"] == [LONG]

    pages, location = way(server, browser, asked | {"prompt": "login"})

    assert pages == ["/sign-in"]
    assert "code" in parse_qs(urlsplit(location).query)
