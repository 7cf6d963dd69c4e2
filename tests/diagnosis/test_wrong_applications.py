"""What ``authservice verify --forward`` finds of applications that are not really closed."""

import json
import socket

import pytest

from tests.behind_proxy.forward.closed_application import ClosedApplication
from tests.diagnosis.deployed import DASHBOARD
from tests.diagnosis.machine import HOST
from tests.helpers.ports import free_port

ADDRESS = f"https://{DASHBOARD}/reports/"
FORWARD = ["--forward", ADDRESS]
OPEN = "without_session.open", ADDRESS
ASK = "        auth_request /_forward/ask;\n"
PASS = "        proxy_pass http://127.0.0.1:3000;\n"
NO_UNDERSCORE = "underscores_in_headers off;"
SERVER = "    server_name dashboard.example.com;\n"
TO_HTTPS = "return 301 https://dashboard.example.com$request_uri;\n"
ORIGINAL_URL = "X-Original-URL $scheme://$host$request_uri"
QUESTION = "forward/auth-request$forward_conditions"


def past_the_service(*conditions):
    """Return the change that lets some requests through to the application."""
    past = f"error_page 418 = @past; location @past {{ {PASS} }}\n"
    past += "".join(f"if ({condition}) {{ return 418; }}\n" for condition in conditions)
    return (SERVER, f"{SERVER}{past}")


@pytest.fixture(scope="module")
def application():
    made = ClosedApplication()
    yield made
    made.close()


def test_a_proxy_that_is_set_up_wrongly(subtests, verification, application):
    for changes, expected in (
        ([(ASK, "")], OPEN),
        (
            [("    location / {", f"    location /reports/ {{ {PASS} }}\n    location / {{")],
            OPEN,
        ),
        # It has a sign-in of its own.
        *(
            ([(ASK, f"return 302 {sign_in}?callbackURL={ADDRESS};")], OPEN)
            for sign_in in (
                f"https://{DASHBOARD}/sign-in",
                f"https://{HOST}/login",
                f"https://[{HOST}/sign-in",
            )
        ),
        # Programs pass, or people who open a page.
        ([past_the_service("$http_sec_fetch_mode = ''")], OPEN),
        ([past_the_service("$http_sec_fetch_mode")], OPEN),
        (
            [(ORIGINAL_URL, "X-Original-URL $request_uri")],
            ("without_session.refused", ADDRESS),
        ),
        ([(QUESTION, f"{QUESTION}?team=acme")], ("without_session.refused", ADDRESS)),
        (
            [(ORIGINAL_URL, "X-Original-URL $scheme://$host/")],
            ("without_session.not_led_back", ADDRESS),
        ),
        (
            [("return 302 $forward_sign_in;", "return 401;")],
            ("without_session.not_led_back", ADDRESS),
        ),
        (
            [
                (SERVER, f"{SERVER} set $asked {ORIGINAL_URL.split()[1]};\n"),
                (SERVER, f"{SERVER} set $said $http_x_original_url;\n"),
                ("    location / {", "    if ($said) { set $asked $said; }\n    location / {"),
                (ORIGINAL_URL, "X-Original-URL $asked"),
            ],
            ("forged_headers.believed", f"X-Original-URL: https://{DASHBOARD}/forged"),
        ),
        (
            [
                (NO_UNDERSCORE, "underscores_in_headers on;"),
                past_the_service("$http_remote_user"),
            ],
            ("forged_headers.believed", "Remote_User: root"),
        ),
        ([past_the_service("$request_uri ~ '^//'")], ("odd_paths.open", "GET //reports/")),
        ([past_the_service("$request_uri ~* '%2f'")], ("odd_paths.open", "GET /%2f/reports/")),
        ([past_the_service("$request_uri ~ '/\\.\\.'")], ("odd_paths.open", "GET /x/../reports/")),
        ([past_the_service("$request_uri ~ '%72'")], ("odd_paths.open", "GET /%72eports/")),
        ([past_the_service("$request ~ 'GET https://'")], ("odd_paths.open", f"GET {ADDRESS}")),
        (
            [past_the_service("$request_method = OPTIONS")],
            ("other_methods.open", "OPTIONS /reports/authservice-verify"),
        ),
        (
            [past_the_service("$http_upgrade = websocket")],
            ("other_methods.open", "Upgrade: websocket /reports/authservice-verify"),
        ),
        (
            [(TO_HTTPS, f"location / {{ {PASS} }}\n")],
            ("unencrypted.open", ADDRESS.replace("https:", "http:")),
        ),
    ):
        with subtests.test(expected=expected):
            verification.before(application, *changes)
            verification.finds(expected, flags=FORWARD, url=None)


def test_every_way_to_ask_is_tried(verification, application):
    headers = ("x_original_url", "x_original_uri", "x_rewrite_url", "x_forwarded_uri")
    headers += ("x_forwarded_host", "x_forwarded_proto", "x_forwarded_method", "forwarded")
    headers += ("x_http_method_override", "x_forwarded_for", "x_real_ip", "remote_user")
    headers += ("x_forwarded_user", "authorization", "cookie")
    verification.before(
        application,
        # Then both ways to write a name have one variable.
        (NO_UNDERSCORE, "underscores_in_headers on;"),
        # The service refuses what is passed on to it.
        ("ignore_invalid_headers on;", "ignore_invalid_headers off;"),
        past_the_service(
            "$request_uri != /reports/",
            "$http_connection ~ X-",
            *(f"$http_{name}" for name in headers),
        ),
    )

    found = verification.finds(
        "forged_headers.believed", "odd_paths.open", "other_methods.open", flags=FORWARD, url=None
    )

    asked = [each["about"] for each in found]
    assert sorted(each.partition(":")[0] for each in asked if ": " in each) == [
        "Authorization",
        "Connection",
        "Cookie",
        "Forwarded",
        *(f"Remote{sign}User" for sign in "!#$%&'*+-.^_`|~"),
        "Upgrade",
        "Upgrade",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Method",
        "X-Forwarded-Proto",
        "X-Forwarded-Uri",
        "X-Forwarded-User",
        "X-HTTP-Method-Override",
        "X-Original-URI",
        "X-Original-URL",
        "X-Real-IP",
        "X-Rewrite-URL",
        "X_Forwarded_Host",
        "X_Forwarded_Method",
        "X_Forwarded_Uri",
        "X_Original_URL",
    ]
    assert [each for each in asked if ": " not in each] == [
        "GET //reports/",
        "GET /./reports/",
        "GET /%2e/reports/",
        "GET /%2f/reports/",
        "GET /x/../reports/",
        "GET /x/%2e%2e/reports/",
        "GET /x/..%2f/reports/",
        "GET /x%2f../reports/",
        "GET /;x/reports/",
        "GET /%72eports/",
        *(
            f"{method} /reports/authservice-verify"
            for method in ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND")
        ),
    ]


def test_a_service_that_is_away(verification, application):
    verification.before(application, service_port=free_port())

    verification.finds(("without_session.no_answer", ADDRESS), flags=FORWARD, url=None)


def test_another_service_than_the_one_that_is_named(verification, application):
    verification.before(application)

    expected = ["reach.unresolved", "without_session.other_service"]
    verification.finds(*expected, flags=FORWARD, url="https://login.invalid")


def test_an_application_that_nobody_can_reach(verification):
    _, output = verification.lead_to(free_port(), host=DASHBOARD).run("--json", *FORWARD, url=None)

    reach, *others = json.loads(output)["findings"]
    assert reach["id"] == "reach.unreachable"
    assert {each["severity"] for each in others} == {"skipped"}


def test_an_application_that_is_reached_and_silent(verification, application):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        verification.before(
            application,
            past_the_service("$request_method = OPTIONS"),
            (f"@past {{ {PASS}", f"@past {{ proxy_pass http://127.0.0.1:{port};"),
        )
        # Plain HTTP is silent too, as behind a firewall: that is in order.
        verification.lead_to(verification.proxy.https_port, port, host=DASHBOARD)

        late = ("reach.too_slow", f"{ADDRESS}authservice-verify")
        assert len(verification.finds(late, flags=FORWARD, url=None)) == 1


def test_an_application_whose_own_port_is_open(verification, application):
    verification.before(application)
    own = f"{DASHBOARD}:{application.port}"

    flags = [*FORWARD, "--upstream", own]
    verification.finds(("upstream.open", own), flags=flags, url=None)


def test_an_application_whose_own_port_is_closed(subtests, verification, application):
    verification.before(application)
    for own, severity in (
        (f"{DASHBOARD}:{free_port()}", "ok"),
        ("nowhere.invalid:3000", "skipped"),
    ):
        with subtests.test(own=own):
            found = verification.is_in_order(*FORWARD, "--upstream", own, url=None)
            assert found[-1]["severity"] == severity


def test_a_proxy_that_refuses_by_itself_is_in_order(subtests, verification, application):
    for change in (
        (SERVER, f"{SERVER} if ($request_uri ~ '%2f|/\\.\\.') {{ return 400; }}\n"),
        (SERVER, f"{SERVER} if ($request_uri ~ '^//') {{ return 444; }}\n"),
        (SERVER, f"{SERVER} location = /api/health {{ return 429; }}\n"),
        (TO_HTTPS, "return 301 https://www.observatory-lab.org/;\n"),
        *((TO_HTTPS, f"return {status};\n") for status in (404, 421, 426)),
    ):
        with subtests.test(change=change):
            verification.before(application, change).is_in_order(*FORWARD, url=None)
