"""An application that a proxy closes by the shipped file: who reaches it, and what it learns."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.behind_proxy.deployment import AUTH, DOMAIN
from tests.behind_proxy.forward.proxies import LOST, MEMBERS, OPEN, SCRIPTED
from tests.behind_proxy.walk import walk_in

NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
# All that a name may have beside letters, digits and hyphens.
SIGNS = "!#$%&'*+.^_`|~"
TOKEN, COMPANION = "__Secure-authservice.session_token", "__Host-authservice.session_host"


@pytest.fixture
def octocat(production):
    return walk_in(production)


def led_to(headers):
    """Return where the sign-in leads back to."""
    parts = urlsplit(headers["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{AUTH}/sign-in"
    return parse_qs(parts.query)["callbackURL"][0]


def test_who_is_not_signed_in_reaches_nothing_and_is_led_back_to_the_same_address(
    subtests, dashboard
):
    for target in (
        "/",
        "/a/b.html?x=1&y=%2F+z#",
        "/a/..%2fadmin",
        "/a/%2e%2e/admin",
        "//evil.example/",
        "/./a//b/",
        "/?q=\\d+",
        f"/?{'x' * 7900}",
    ):
        with subtests.test(target=target[:40]):
            for method, said in (
                ("GET", NAVIGATION),
                ("HEAD", NAVIGATION),
                # An old browser.
                ("GET", {"Accept": "text/html,*/*"}),
            ):
                status, headers, _ = dashboard.ask(target, said, method=method)
                assert status == 302
                written = target.replace("\\", "%5C")
                assert led_to(headers) == f"https://{OPEN}{written}"
    for target in dashboard.proxy.own_paths:
        assert dashboard.ask(target, NAVIGATION)[0] == 404
    assert dashboard.application.reached == []


def test_scripts_and_programs_are_told_401(subtests, dashboard):
    for method, headers in (
        ("GET", {}),
        ("GET", {"Accept": "application/json"}),
        ("GET", {"Sec-Fetch-Mode": "cors", "Accept": "text/html"}),
        ("POST", NAVIGATION),
        ("PUT", {"Accept": "text/html"}),
        ("OPTIONS", {}),
        ("PROPFIND", {}),
    ):
        with subtests.test(method=method, headers=headers):
            status, answered, _ = dashboard.ask("/", headers, method=method, body=b"x=1")
            assert status == 401
            assert answered["WWW-Authenticate"] == f'Session realm="{AUTH}"'
    assert dashboard.application.reached == []


@pytest.mark.attack("BROWSER-forged-forward")
def test_odd_requests_reach_nothing(subtests, dashboard):
    for target, host in (
        (f"https://{OPEN}/", OPEN),
        ("https://evil.example/", OPEN),
        ("/", OPEN.upper()),
        ("/", f"{OPEN}."),
        ("/", f"{OPEN}:443"),
        ("/", "evil.example"),
        ("/", f"{OPEN}, evil.example"),
        ("/\xff", OPEN),
        ("/a b", OPEN),
        ("*", OPEN),
        ("admin", OPEN),
        ("/..%2fadmin", OPEN),
        ("/a/../../admin", OPEN),
    ):
        with subtests.test(target=target, host=host):
            status, headers, body = dashboard.ask(target, NAVIGATION, host=host)
            # Caddy answers 200 without a word for hosts that it does not know.
            assert status in {302, 400, 403} or (status, body) == (200, b"")
            if status == 302:
                assert urlsplit(led_to(headers)).hostname == OPEN
    assert dashboard.application.reached == []


def test_who_is_signed_in_reaches_it_with_request_and_name_as_they_are(dashboard, octocat):
    cookies = {"Cookie": octocat.cookies}
    for target in (
        "/a%2Fb/%2e%2e/c?x=%20+1",
        "/a//d/./e",
        "/?q=\\",
        "/$host?x={http.request.host}{env.PATH}",
        # None of the conditions that the proxy asks with.
        "/?group=nobody&extend=1",
    ):
        assert dashboard.seen(target, cookies)["target"] == target

    posted = dashboard.seen("/form", cookies, method="POST", body=b"a=1" * 20_000)
    assert (posted["method"], posted["body"]) == ("POST", "a=1" * 20_000)
    session = octocat.caller.get(f"{AUTH}/api/auth/get-session", Cookie=octocat.cookies).json
    told = {
        name.removeprefix("remote-"): value
        for name, value in posted["headers"].items()
        if name.startswith("remote-")
    }
    assert told == {
        "user": [session["user"]["id"]],
        "name": [session["user"]["name"].replace(" ", "%20")],
        "email": [session["user"]["email"]],
        "username": ["octocat"],
    }


@pytest.mark.attack("BROWSER-forged-forward")
def test_no_visitor_chooses_who_they_are(subtests, dashboard, octocat):
    cookies = {"Cookie": octocat.cookies}
    honest = dashboard.seen("/", cookies)["headers"]
    for name in ("User", "Name", "Email", "Username", "Groups"):
        for lines in (
            [f"Remote-{name}: root"],
            [f"remote-{name.lower()}: root", f"REMOTE-{name.upper()}: root"],
            *([f"{start}{sign}{name}: root"] for sign in SIGNS for start in ("Remote", "REMOTE")),
            [f"Remote-{name}:"],
            [f"Remote-{name}: {'x' * 7000}"],
            [f"Remote-{name}: \xff\xe9"],
            [f"Connection: close, Remote-{name}"],
        ):
            with subtests.test(lines=[line[:30] for line in lines]):
                written = [line.encode("latin-1") for line in lines]
                headers = dashboard.seen("/", cookies, lines=written)["headers"]
                assert {n: v for n, v in headers.items() if n.startswith("remote")} == {
                    n: v for n, v in honest.items() if n.startswith("remote")
                }
                assert dashboard.ask("/", lines=written)[0] == 401
    for name in ("Remote-Role", "remote-user-id", "REMOTE", "RemoteUser"):
        with subtests.test(name=name):
            line = f"{name}: root".encode()
            if dashboard.proxy.refuses_other_identities:
                assert dashboard.ask("/", cookies, lines=[line])[0] == 403
            else:
                seen = dashboard.seen("/", cookies, lines=[line])["headers"]
                assert name.lower() not in seen


@pytest.mark.attack("BROWSER-forged-forward")
def test_no_name_with_another_sign_reaches_the_application(subtests, dashboard, octocat):
    for sign in SIGNS:
        with subtests.test(sign=sign):
            line = f"X{sign}Forwarded{sign}User: root".encode()
            seen = dashboard.seen("/", {"Cookie": octocat.cookies}, lines=[line])["headers"]
            assert [name for name in seen if sign in name] == []


@pytest.mark.attack("BROWSER-forged-forward")
def test_no_visitor_chooses_what_is_asked_for(subtests, dashboard):
    for line in (
        "X-Original-URL: https://evil.example/",
        "X-Forwarded-Uri: /public",
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Method: OPTIONS",
        "X-Original-Method: OPTIONS",
        "X_Original_URL: https://evil.example/",
        "X_Forwarded_Uri: /public",
        "X_Forwarded_Host: evil.example",
        "Connection: X-Original-URL, X-Forwarded-Uri, X-Forwarded-Host",
    ):
        with subtests.test(line=line):
            status, headers, _ = dashboard.ask("/x", NAVIGATION, lines=[line.encode()])
            assert (status, led_to(headers)) == (302, f"https://{OPEN}/x")


@pytest.mark.attack("BROWSER-cookie-theft")
def test_the_application_gets_no_cookie_of_the_session(subtests, dashboard, octocat):
    token, companion = (f"{name}={octocat.jar[name]}" for name in (TOKEN, COMPANION))
    for cookies, passed_on in (
        ([token], []),
        ([token, companion], []),
        (["a=1", token, "b=2"], ["a=1; b=2"]),
        ([companion, "a=1", token], ["a=1"]),
        (["a=1", companion, "b=2", token, "c=3"], ["a=1; b=2; c=3"]),
        (["a=1", token], ["a=1"]),
        ([token, "a=1"], ["a=1"]),
        ([f"x{TOKEN}=1", token], [f"x{TOKEN}=1"]),
    ):
        with subtests.test(cookies=[each[:40] for each in cookies]):
            seen = dashboard.seen("/", {"Cookie": "; ".join(cookies)})
            assert seen["headers"].get("cookie", []) == passed_on
            # No browser sends a line for each.
            lines = [f"Cookie: {each}".encode() for each in cookies]
            assert octocat.jar[TOKEN].encode() not in dashboard.ask("/", lines=lines)[2]
    for tossed in (
        [token, f"{TOKEN}=x.y", "a=1"],
        ["a=1", f"{TOKEN}=x.y", token],
        [f"{COMPANION}=x", token, companion, "a=1"],
    ):
        with subtests.test(tossed=[each[:40] for each in tossed]):
            seen = dashboard.seen("/", {"Cookie": "; ".join(tossed)})
            # nginx passes on none at all.
            assert seen["headers"].get("cookie", []) in (["a=1"], [])
    for odd in (f"a=1;{token}", f"a=1;\t{token};b=2", f'a="{token}'):
        with subtests.test(odd=odd[:20]):
            status, _, body = dashboard.ask("/", {"Cookie": odd})
            assert status == 401 or octocat.jar[TOKEN].encode() not in body


def test_a_sign_out_closes_it_at_the_next_request(dashboard, octocat):
    cookies = {"Cookie": octocat.cookies}
    assert dashboard.ask("/", cookies)[0] == 200

    octocat.caller.post_json(f"{AUTH}/api/auth/sign-out", {}, Cookie=octocat.cookies, Origin=AUTH)

    assert dashboard.ask("/", cookies)[0] == 401


def test_a_websocket_is_for_who_is_signed_in(dashboard, octocat):
    upgrade = {"Upgrade": "WebSocket", "Connection": "upgrade", "Sec-Fetch-Mode": "websocket"}
    assert dashboard.ask("/ws", upgrade)[0] == 401
    assert dashboard.application.reached == []

    written = upgrade | {"Host": OPEN, "Cookie": octocat.cookies}
    lines = "".join(f"{name}: {value}\r\n" for name, value in written.items())
    with dashboard.connected() as connection:
        connection.sendall(f"GET /ws HTTP/1.1\r\n{lines}\r\n".encode())
        with connection.makefile("rb") as answer:
            assert answer.readline() == b"HTTP/1.1 101 Switching Protocols\r\n"
            while answer.readline() != b"\r\n":
                pass
            connection.sendall(b"\x81\x85frame")
            assert answer.read(7) == b"\x81\x85frame"


# As Chromium sends it before a script's PUT to another origin.
PREFLIGHT = {
    "Accept": "*/*",
    "Access-Control-Request-Headers": "content-type",
    "Access-Control-Request-Method": "PUT",
    "Origin": "https://www.example.com",
    "Referer": "https://www.example.com/",
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "same-site",
}


def test_preflights_pass_where_the_line_for_them_is_no_comment(dashboard, octocat):
    assert dashboard.ask("/api", PREFLIGHT, method="OPTIONS")[0] == 401
    assert dashboard.application.reached == []

    seen = dashboard.seen("/api?x=1", PREFLIGHT, method="OPTIONS", host=SCRIPTED)

    assert (seen["method"], seen["target"], seen["body"]) == ("OPTIONS", "/api?x=1", "")
    assert seen["headers"]["origin"] == [PREFLIGHT["Origin"]]
    assert [name for name in seen["headers"].items() if name[0].startswith("remote")] == []
    cookies = {"Cookie": octocat.cookies, "Origin": PREFLIGHT["Origin"]}
    seen = dashboard.seen("/api", cookies, method="PUT", host=SCRIPTED, body=b"{}" * 9)
    assert seen["headers"]["remote-username"] == ["octocat"]
    assert dashboard.ask("/", NAVIGATION, host=SCRIPTED)[0] == 302


_PUT = """address => fetch(address, {
    method: 'PUT', body: '{}', credentials: 'include',
    headers: { 'Content-Type': 'application/json' },
}).then(answer => answer.json(), failed => failed.name)"""


def test_a_script_of_another_origin_reaches_it_as_the_person(dashboard, octocat, launch_chromium):
    rules = ", ".join(f"MAP {host} 127.0.0.1:{dashboard.proxy.port}" for host in (OPEN, SCRIPTED))
    browser = launch_chromium(
        f"--host-resolver-rules={rules}",
        # The page seems to come from elsewhere, and asks for what is on this machine.
        "--disable-features=LocalNetworkAccessChecks",
    )
    page = browser.new_context(ignore_https_errors=True).new_page()
    here = f"https://www.{DOMAIN}/"
    page.route(here, lambda route: route.fulfill(body="<title>A page</title>"))
    page.goto(here)
    # As long as requests are intercepted, none is preceded by a preflight.
    page.unroute(here)
    cookie = {"name": TOKEN, "value": octocat.jar[TOKEN], "domain": f".{DOMAIN}", "path": "/"}
    page.context.add_cookies([cookie | {"secure": True, "httpOnly": True, "sameSite": "Lax"}])

    assert page.evaluate(_PUT, f"https://{OPEN}/api") == "TypeError"
    assert dashboard.application.reached == []
    seen = page.evaluate(_PUT, f"https://{SCRIPTED}/api")

    assert (seen["method"], seen["body"]) == ("PUT", "{}")
    assert dict(seen["headers"])["Remote-Username"] == "octocat"
    assert dashboard.application.reached == ["/api", "/api"]


@pytest.mark.attack("BROWSER-forged-forward")
def test_with_them_nothing_else_passes(subtests, dashboard):
    for method, lines in (
        ("GET", []),
        ("PUT", []),
        ("GET", ["X-Forwarded-Method: OPTIONS", "X-Original-Method: OPTIONS"]),
        ("PUT", ["X_Forwarded_Method: OPTIONS", "X_Original_Method: OPTIONS"]),
        ("OPTIONS", ["Cookie: a=1"]),
        ("OPTIONS", ["Authorization: Basic cm9vdDpyb290"]),
        ("OPTIONS", ["X-HTTP-Method-Override: DELETE"]),
        ("OPTIONS", ["x-http-method: DELETE"]),
        ("OPTIONS", ["X-Method-Override: DELETE"]),
        ("OPTIONS", ["Content-Length: 3"]),
        ("OPTIONS", ["Content-Length: 3", "X-Forwarded-Content-Length: 0"]),
        ("OPTIONS", ["Content-Length: 3", "X-Original-Content-Length: 0"]),
        ("OPTIONS", ["Content-Length: 3", "Connection: X-Original-Content-Length"]),
    ):
        with subtests.test(method=method, lines=lines):
            body = b"x=1" if "Content-Length: 3" in lines else b""
            written = [line.encode() for line in lines]
            status, *_ = dashboard.raw("/", PREFLIGHT, method, SCRIPTED, written, body)
            assert status == 401
    assert dashboard.application.reached == []
    # Caddy does not say that a body comes in chunks, but passes none on.
    chunks = [b"Transfer-Encoding: chunked"]
    status, *_ = dashboard.raw(
        "/", PREFLIGHT, "OPTIONS", SCRIPTED, chunks, b"3\r\nx=1\r\n0\r\n\r\n"
    )
    assert status in {401, 413}


@pytest.mark.attack("BROWSER-forged-forward")
def test_no_other_protocol_leads_past_the_proxy(subtests, dashboard, octocat):
    for upgrades in (["h2c"], ["websocket, h2c"], ["h2c", "websocket"], ["TLS/1.0"], ["x"]):
        with subtests.test(upgrades=upgrades):
            headers = {"Connection": "Upgrade, HTTP2-Settings", "Cookie": octocat.cookies}
            lines = [f"Upgrade: {upgrade}".encode() for upgrade in upgrades]
            assert "upgrade" not in dashboard.seen("/", headers, lines=lines)["headers"]


def test_who_is_in_none_of_the_groups_sees_a_page_that_says_so(dashboard, octocat):
    assert dashboard.ask("/", NAVIGATION, host=MEMBERS)[0] == 302

    for method in ("GET", "POST"):
        headers = NAVIGATION | {"Cookie": octocat.cookies}
        status, answered, body = dashboard.ask("/x?y=1", headers, method=method, host=MEMBERS)
        assert status == 403
        assert answered["Content-Type"] == "text/html; charset=utf-8"
        page = body.decode()
        assert "The application is for certain people only." in page
        assert f'href="{AUTH}/static/authservice.css' in page
        assert f"callbackURL=https%3A%2F%2F{MEMBERS}%2Fx%3Fy%3D1" in page
    assert dashboard.application.reached == []


def test_who_is_in_one_of_the_groups_passes_and_the_application_learns_in_which(
    dashboard, octocat, production
):
    groups = '["acme", "acme/platform", "other"]'
    production.change('UPDATE "user" SET groups = :groups', groups=groups)
    for host, told in ((OPEN, "acme,acme/platform"), (MEMBERS, "acme/platform")):
        seen = dashboard.seen("/", {"Cookie": octocat.cookies}, host=host)
        assert seen["headers"]["remote-groups"] == [told]


def test_while_the_service_is_silent_it_is_closed(dashboard, octocat):
    for headers in (NAVIGATION, {"Cookie": octocat.cookies}):
        assert dashboard.ask("/", headers, host=LOST)[0] == dashboard.proxy.without_answer
    assert dashboard.application.reached == []
