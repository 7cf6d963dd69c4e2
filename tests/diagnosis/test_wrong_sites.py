"""What ``authservice verify`` finds of proxies and services, each spoiled for real."""

import http.client
import json
import socket
import ssl
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.diagnosis.deployed import URL, Service
from tests.diagnosis.https_site import HttpsSite
from tests.diagnosis.machine import HOST, troubles
from tests.helpers.ports import free_port
from tests.helpers.processes import LocalService
from tests.helpers.standin_fixture import IdentityProviderStandin

PASS = "        proxy_pass http://authservice;\n"
METADATA = "/.well-known/oauth-authorization-server/api/auth"


def location(path, body):
    """Return the change that puts a location of its own before the service's."""
    return ("    location / {", f"    location {path} {{ {body} }}\n    location / {{")


def within(directives):
    """Return the change that adds directives to the location of the service."""
    return (PASS, f"{PASS}        {directives}\n")


def test_a_proxy_that_is_set_up_wrongly(subtests, verification):
    for change, expected in (
        (
            location("/.well-known/", "root /var/www;"),
            [("metadata.missing", f"{URL}{METADATA}")],
        ),
        *(
            (location("/api/auth/jwks", answer), [("jwks.missing", f"{URL}/api/auth/jwks")])
            for answer in ("return 404;", "return 301 http://auth.example.com;")
        ),
        (
            location(METADATA, "return 301 http://auth.example.com;"),
            [("metadata.missing", f"{URL}{METADATA}")],
        ),
        (location("/static/", "root /var/www;"), ["pages.no_style"]),
        (within("proxy_hide_header Strict-Transport-Security;"), ["headers.no_hsts"]),
        (within("proxy_hide_header X-Content-Type-Options;"), ["headers.no_nosniff"]),
        (within("proxy_hide_header Content-Security-Policy;"), ["headers.no_policy"]),
        (
            within("proxy_hide_header Cache-Control; expires 10m;"),
            ["headers.stored"],
        ),
        (
            within('add_header Strict-Transport-Security "max-age=31536000";'),
            [("headers.doubled", "Strict-Transport-Security")],
        ),
        (
            within('add_header Access-Control-Allow-Origin "*";'),
            [("headers.doubled", "Access-Control-Allow-Origin")],
        ),
        (
            ("        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n", ""),
            ["senders.forged", "senders.unknown"],
        ),
        (("$proxy_add_x_forwarded_for", '""'), ["senders.unknown"]),
        (
            ("$proxy_add_x_forwarded_for", "$http_x_forwarded_for"),
            ["senders.forged", "senders.unknown"],
        ),
        (("server_tokens off;", ""), [("headers.telling", "Server")]),
        (within("proxy_hide_header Set-Cookie;"), ["cookies.missing"]),
        (within("proxy_cookie_flags ~ nosecure;"), ["cookies.not_secure"]),
        (within("proxy_cookie_flags ~ nohttponly;"), ["cookies.readable"]),
        (within("proxy_cookie_flags ~ samesite=none;"), ["cookies.same_site"]),
        (
            within("proxy_cookie_path / /auth/;"),
            ["cookies.path", "cookies.prefix"],
        ),
        (
            within("proxy_cookie_domain .observatory-lab.org .elsewhere.org;"),
            ["cookies.domain"],
        ),
        (
            within("if ($request_method = POST) { return 405; }"),
            ["callback.not_begun", "cookies.missing", "session_api.no_post"],
        ),
        (
            location(
                "/api/auth/get-session", 'auth_basic "staff"; auth_basic_user_file /dev/null;'
            ),
            ["headers.stored", "session_api.no_session"],
        ),
        (
            location(
                "/api/auth/get-session",
                """default_type application/json;
                add_header Cache-Control no-store; return 200 '{"session": {}, "user": {}}';""",
            ),
            ["session_api.somebody"],
        ),
        (
            within("proxy_intercept_errors on; error_page 404 /sign-in;"),
            ["session_api.errors_replaced"],
        ),
        (("large_client_header_buffers 4 32k;", ""), ["long_requests.address"]),
        (
            ("return 301 https://auth.example.com$request_uri;", "location / { " + PASS + " }"),
            ["plain_http.served"],
        ),
        (
            ("return 301 https://auth.example.com$request_uri;", "return 200 'It works!';"),
            ["plain_http.other_site"],
        ),
        (
            ("    location / {", "    return 301 https://www.observatory-lab.org; location / {"),
            ["health.redirects"],
        ),
        (
            ("    location / {", "    return 301 http://auth.example.com; location / {"),
            ["health.redirects"],
        ),
        (
            ("    location / {", "    return 200 'Welcome to nginx!'; location / {"),
            ["health.another_site"],
        ),
        (
            ("    location / {", "    location / { return 404; }\n    location /api/ {"),
            [
                "headers.no_hsts",
                "headers.no_nosniff",
                "headers.no_policy",
                "headers.stored",
                "cookies.missing",
                "metadata.missing",
                "pages.no_sign_in",
            ],
        ),
        (
            location(
                "/api/auth/.well-known/openid-configuration",
                f"""default_type application/json;
                return 200 '{{"issuer": "{URL}/api/auth", "jwks_uri": "http://10.0.0.5/jwks"}}';""",
            ),
            [("metadata.endpoint", "jwks_uri"), "metadata.different"],
        ),
        (
            location("/api/auth/jwks", """return 200 '{"keys": [{"kty": "RSA", "n": "?"}]}';"""),
            ["jwks.unusable"],
        ),
        (location("/api/auth/jwks", """return 200 '{"keys": []}';"""), ["jwks.no_rs256"]),
        (
            location(
                "/api/auth/jwks",
                """return 200 '{"keys": [{"kty": "oct", "kid": "1", "k": "eA"}]}';""",
            ),
            ["jwks.private"],
        ),
        (
            ("proxy_read_timeout 30s;", "return 444;"),
            ["reach.unreachable"],
        ),
        (
            location("/api/auth/get-session", "return 444;"),
            ["reach.broken"],
        ),
    ):
        with subtests.test(change=change):
            verification.behind(change).finds(*expected)


class _AsCGI(BaseHTTPRequestHandler):
    """Passes requests on to a service, and takes names of headers as CGI does."""

    def do_GET(self):
        headers = {name.replace("_", "-"): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection("127.0.0.1", self.server.service_port, timeout=20)
        with closing(connection):
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.read())

    def do_POST(self):
        self.do_GET()

    def log_message(self, *_arguments):
        """Say nothing."""


def test_a_proxy_for_which_an_underscore_is_a_hyphen(verification):
    with ThreadingHTTPServer(("127.0.0.1", 0), _AsCGI) as between:
        between.service_port = verification.service.port
        thread = Thread(target=between.serve_forever, args=[0.05])
        thread.start()
        try:
            passes_on = ("    location / {", "    underscores_in_headers on;\n    location / {")
            verification.behind(passes_on, service_port=between.server_port).finds(
                "senders.underscores"
            )
        finally:
            between.shutdown()
            thread.join()


def test_a_service_that_is_not_started(verification):
    verification.behind(service_port=free_port()).finds("health.no_service")


def test_local_mode_in_public(verification, tmp_path):
    local = LocalService(tmp_path)
    try:
        verification.behind(service_port=local.port).finds("health.local_mode")
    finally:
        local.stop()


def test_a_service_that_calls_itself_by_another_name(
    verification, tmp_path, migrated_template, identity_provider_process
):
    standin = IdentityProviderStandin(identity_provider_process)
    other = "https://login.observatory-lab.org"
    service = Service(
        tmp_path, migrated_template, standin, AUTH_URL=other, PROVIDER_CLIENT_ID="set-me"
    )
    try:
        verification.behind(service_port=service.port)
        found = verification.finds(
            ("metadata.issuer", "issuer"), "callback.client_id", "callback.different"
        )
    finally:
        service.stop()

    (issuer,) = [each for each in found if each["id"] == "metadata.issuer"]
    assert (issuer["found"], issuer["expected"]) == (f"{other}/api/auth", f"{URL}/api/auth")


def test_a_callback_address_that_the_provider_does_not_know(verification):
    registered = f"https://old.{HOST}/api/auth/callback/github"

    (found,) = verification.behind().finds("callback.different", flags=["--callback", registered])

    assert found["found"] == f"{URL}/api/auth/callback/github"


def test_a_provider_of_another_name(verification):
    registered = f"{URL}/api/auth/callback/gitlab"

    verification.behind().finds("callback.provider_unknown", flags=["--callback", registered])


def test_a_machine_that_has_asked_too_often(verification):
    verification.behind()
    _ask_often(verification)

    _, output = verification.run("--json")

    assert {each["id"] for each in troubles(output)} == {"reach.limited"}


def _ask_often(verification):
    """Use up what the service answers to this machine in ten seconds."""
    trust = ssl.create_default_context(cafile=str(verification.authority.bundle))
    # Where the name of the site leads is the test's business.
    connection = http.client.HTTPSConnection(URL.removeprefix("https://"), context=trust)
    status = None
    while status != 429:
        connection.request("GET", "/sign-in")
        response = connection.getresponse()
        response.read()
        status = response.status
    connection.close()


def test_a_host_that_nobody_has_named(verification, monkeypatch):
    def unknown(_host, *_arguments, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    verification.finds("reach.unresolved")


def test_a_port_that_is_closed(verification):
    verification.lead_to(free_port()).finds("reach.unreachable")


def test_a_host_that_is_silent(verification):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()

        verification.lead_to(silent.getsockname()[1]).finds("reach.too_slow")


def test_a_server_with_an_answer_without_end(subtests, verification):
    health = json.dumps({"status": "ok", "service": "authservice"}).encode()
    for first in (b"x" * 10_485_761, health):
        with subtests.test(first=first[:10]):
            site = HttpsSite(
                verification.authority.certificate(HOST),
                answer=lambda path, first=first: (
                    200,
                    "application/json",
                    first if path == "/api/health" else b"x" * 10_485_761,
                ),
            )
            with closing(site):
                _, output = verification.lead_to(site.port).run("--json")
            ids = [each["id"] for each in json.loads(output)["findings"]]
            assert "reach.too_long" in ids
            assert "reach.unreachable" not in ids


def test_a_server_whose_clock_is_wrong(verification):
    answer = json.dumps({"status": "ok", "service": "authservice"}).encode()
    site = HttpsSite(
        verification.authority.certificate(HOST),
        answer=lambda path: (200, "application/json", answer),
        date="Sat, 21 Nov 2020 10:00:00 GMT",
    )
    with closing(site):
        _, output = verification.lead_to(site.port).run("--json")

    assert "clock.different" in {each["id"] for each in json.loads(output)["findings"]}
