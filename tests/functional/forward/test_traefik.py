"""The file for Traefik, by what Traefik documents of its forwardAuth middleware.

Debian has no Traefik, so no test runs one.
"""

import re
from urllib.parse import urlsplit

import pytest
import yaml

from tests.functional.forward.asking import NAVIGATION, callback_of
from tests.helpers.processes import ROOT

TEXT = (ROOT / "docs" / "deployment" / "traefik-forward-auth.yaml").read_text(encoding="utf-8")
CONFIGURATION = yaml.safe_load(TEXT)["http"]
OPTIONS = CONFIGURATION["middlewares"]["signed-in"]["forwardAuth"]


@pytest.fixture
def signed_in(ada):
    return {"Cookie": ada.cookies}


def asked(stranger, visitor, *, address=OPTIONS["address"], proto="https"):
    """Ask as documented, for a visitor who sends certain headers."""
    parts = urlsplit(address)
    path = parts.path.removeprefix("/api/auth/forward/")
    named = OPTIONS["authRequestHeaders"]
    headers = {name: value for name, value in visitor.items() if name in named} | {
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Proto": proto,
        "X-Forwarded-Host": "app.example.com",
        "X-Forwarded-Uri": "/x?y=1",
    }
    return stranger.ask(path, headers, query=f"?{parts.query}" if parts.query else "")


def passed_on(visitor, answer):
    """Return what the application gets of a visitor's headers, and of the service's."""
    replaced = re.compile(OPTIONS["authResponseHeadersRegex"])
    kept = {name: value for name, value in visitor.items() if not replaced.search(name)}
    return kept | {name: value for name, value in answer.headers.items() if replaced.search(name)}


def test_who_is_signed_in_passes_and_others_are_led_or_told(signed_in, stranger):
    for proto in ("https", "wss"):
        assert asked(stranger, signed_in, proto=proto).status_int == 200
        assert asked(stranger, {}, proto=proto).status_int == 401
        for said in (NAVIGATION, {"Accept": "text/html"}):
            led = asked(stranger, said, proto=proto)
            assert led.status_int == 302
            assert callback_of(led.headers["Location"]) == "https://app.example.com/x?y=1"


def test_the_example_restricts_to_groups(signed_in, stranger, change):
    (address,) = re.findall(r"# address: (\S+)", TEXT)
    assert address.partition("?")[0] == OPTIONS["address"]

    change(groups=["acme"])
    assert asked(stranger, signed_in, address=address).status_int == 403

    change(groups=["acme", "acme/support"])
    answer = asked(stranger, signed_in, address=address)
    assert passed_on({}, answer)["Remote-Groups"] == "acme/support"


def test_what_stands_in_comments_lets_preflights_pass_without_a_body(stranger):
    shown = yaml.safe_load(re.sub(r"(?m)^    # (?=[a-z-]+:$|  )", "    ", TEXT))["http"]
    router, dashboard = (shown["routers"][name] for name in ("dashboard-preflights", "dashboard"))
    bounded, asks, *others = router["middlewares"]
    assert others == dashboard["middlewares"][1:]
    assert router == dashboard | {
        "rule": f"{dashboard['rule']} && Method(`OPTIONS`)",
        "middlewares": router["middlewares"],
    }
    assert shown["middlewares"][bounded] == {"buffering": {"maxRequestBodyBytes": 1}}
    options = shown["middlewares"][asks]["forwardAuth"]
    query = f"?{urlsplit(options['address']).query}"
    # Nothing of the visitor's headers is kept from the service.
    assert options == {
        "address": OPTIONS["address"] + query,
        "trustForwardHeader": False,
        "authResponseHeadersRegex": OPTIONS["authResponseHeadersRegex"],
    }
    preflight = {"Origin": "https://www.example.com", "Access-Control-Request-Method": "PUT"}
    for headers, status in ((preflight, 200), ({}, 401), (preflight | {"Cookie": "a=1"}, 401)):
        answer = stranger.forwarded(method="OPTIONS", query=query, headers=headers)
        assert answer.status_int == status


@pytest.mark.attack("BROWSER-forged-forward")
def test_the_application_learns_who_it_is_from_the_service_alone(signed_in, stranger):
    # Traefik writes names as Go does.
    forged = ("Remote-User", "Remote-Groups", "Remote-Role", "Remoteuser")
    forged += tuple(f"Remote{sign}user" for sign in "!#$%&'*+.^_`|~")
    visitor = dict.fromkeys((*forged, "Accept-Language"), "root")

    got = passed_on(visitor, asked(stranger, signed_in | visitor))

    named = {f"Remote-{name}" for name in ("User", "Name", "Email", "Username", "Groups")}
    assert set(got) == named | {"Accept-Language"}
    assert "root" not in [got[name] for name in named]
    # Otherwise Traefik would believe what the visitor says of the request.
    assert OPTIONS["trustForwardHeader"] is False


@pytest.mark.attack("BROWSER-forged-forward")
def test_every_way_to_the_application_asks_first_and_removes_cookies_and_other_protocols():
    middlewares = CONFIGURATION["middlewares"]
    for rule, upgrade in (
        ("Host(`dashboard.example.com`)", ""),
        (
            "Host(`dashboard.example.com`) && HeaderRegexp(`Upgrade`, `(?i)^websocket$`)",
            "websocket",
        ),
    ):
        (router,) = (each for each in CONFIGURATION["routers"].values() if each["rule"] == rule)
        first, *others = router["middlewares"]
        assert first == "signed-in"
        changes = [middlewares[name]["headers"]["customRequestHeaders"] for name in others]
        # What is empty is removed.
        assert {name: value for each in changes for name, value in each.items()} == {
            "Cookie": "",
            "Upgrade": upgrade,
        }
        assert router["service"] in CONFIGURATION["services"]
    assert len(CONFIGURATION["routers"]) == 2
