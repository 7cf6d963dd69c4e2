"""What a proxy says of a request: who may say it, which addresses count, and what is refused."""

import pytest

from tests.functional.forward.asking import APP, NAVIGATION, Proxy, callback_of
from tests.helpers.browser import Browser


@pytest.mark.attack("BROWSER-forged-forward")
def test_only_a_trusted_proxy_may_ask(subtests, ada, stranger):
    for remote, trusted in (
        ("10.0.0.1", True),
        ("127.0.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("10.0.0.2", False),
        ("203.0.113.7", False),
        ("::1", False),
        ("", False),
    ):
        with subtests.test(remote=remote):
            for person, allowed in ((ada, (200, 200)), (stranger, (401, 401))):
                answers = person.original(APP, remote=remote), person.forwarded(remote=remote)

                statuses = tuple(answer.status_int for answer in answers)
                assert statuses == (allowed if trusted else (403, 403))
                if not trusted:
                    for answer in answers:
                        assert answer.json["code"] == "PROXY_NOT_TRUSTED"
                        assert "auth.trusted_proxies" in answer.json["message"]
                        assert "Remote-User" not in answer.headers


def test_the_way_to_the_sign_in_leads_back_to_exactly_the_asked_address(subtests, stranger):
    for uri, written in (
        ("/", "/"),
        ("/a/b.html?x=1&y=a+b%20c#", None),
        ("/a%2Fb/%2e%2E/../c//d", None),
        ("//evil.example/x", None),
        ("/\\evil.example/x", "/%5Cevil.example/x"),
        ("/search?q=\\d+&r=https://evil.example/", "/search?q=%5Cd+&r=https://evil.example/"),
        ("/?q=\xc3\xa9\xff", "/?q=%C3%A9%FF"),
        ("/?q='\"<>^`{|}[]~!$&()*,;:@%zz", None),
        (f"/{'a' * 20_000}", None),
        # The query of the sign-in page would be longer than what is read.
        (f"/{'a' * 24_560}", "/"),
        (f"/?{'/' * 9_000}", "/"),
    ):
        with subtests.test(uri=uri[:60]):
            asked, expected = f"https://app.example.com{uri}", APP[:-1] + (written or uri)

            answer = stranger.original(asked)
            assert answer.status_int == 401
            assert callback_of(answer.headers["X-Auth-Sign-In"]) == expected
            led = stranger.forwarded(uri, headers=NAVIGATION)
            assert led.status_int == 302
            assert callback_of(led.headers["Location"]) == expected


def test_addresses_that_share_the_session_count(subtests, ada, stranger):
    for address, proto, host in (
        ("https://app.example.com/x", "https", "app.example.com"),
        ("https://APP.Example.COM/x", "https", "APP.Example.COM"),
        ("https://app.example.com:443/x", "https", "app.example.com:443"),
        ("https://a.b.c.example.com/x", "https", "a.b.c.example.com"),
        ("https://example.com/x", "https", "example.com"),
        ("https://auth.example.com/x", "https", "auth.example.com"),
        ("https://app.example.com/x", "wss", "app.example.com"),
    ):
        with subtests.test(address=address, proto=proto):
            assert ada.original(address).status_int == 200
            assert ada.forwarded("/x", proto=proto, host=host).status_int == 200
            led = stranger.forwarded("/x", proto=proto, host=host, headers=NAVIGATION)
            assert callback_of(led.headers["Location"]) == address


def test_in_local_mode_every_name_of_this_machine_counts(subtests, make_app):
    stranger = Browser(make_app(auth__trusted_proxies="127.0.0.1"))
    for address, status in (
        ("http://localhost:3000/", 401),
        ("http://app.localhost/", 401),
        ("http://127.0.0.1:3000/x", 401),
        ("https://app.example.com/", 403),
    ):
        with subtests.test(address=address):
            headers = {"X-Original-URL": address}
            path = "/api/auth/forward/auth-request"
            answer = stranger.get(path, headers=headers, expect_errors=True)
            assert answer.status_int == status


@pytest.mark.attack("BROWSER-forged-forward", "BROWSER-open-redirect")
def test_every_other_address_is_refused(subtests, ada, stranger):
    for address in (
        None,
        "",
        "/",
        "/x",
        "//app.example.com/x",
        "app.example.com/x",
        "https:/app.example.com/x",
        "https://evil.example/x",
        "https://app.example.com.evil.example/x",
        "https://evilexample.com/x",
        "https://app.example.com@evil.example/x",
        "https://evil.example\\@app.example.com/x",
        "https://app.example.com\\.evil.example/x",
        "https://user:secret@app.example.com/x",
        "https://app.example.com:8443/x",
        "https://app.example.com:x/",
        "https://app.example.com./x",
        "https://app_1.example.com/x",
        "https://app.example.com%2eevil.example/x",
        "https://[::1]/x",
        "https://127.0.0.1/x",
        "http://app.example.com/x",
        "ftp://app.example.com/x",
        "javascript:alert(1)",
        "https://app.example.com/x, https://app.example.com/y",
        "https://app.example.com/a b",
        "https://app.example.com/a\tb",
        "https://\xc3\xa4pp.example.com/x",
    ):
        with subtests.test(address=address):
            for person in (ada, stranger):
                answer = person.original(address)
                assert answer.status_int == 403
                assert answer.json["code"] in {"INVALID_ORIGINAL_URL", "INVALID_ADDRESS"}
                assert "Remote-User" not in answer.headers


@pytest.mark.attack("BROWSER-forged-forward")
def test_what_is_not_a_request_to_the_site_is_refused_by_the_name_of_the_header(subtests, ada):
    for header, value in (
        ("Method", None),
        ("Method", ""),
        ("Method", "get"),
        ("Method", "GET, GET"),
        ("Method", "GE T"),
        ("Proto", None),
        ("Proto", "ftp"),
        ("Proto", "https,https"),
        ("Proto", "https://"),
        ("Host", None),
        ("Host", ""),
        ("Host", "app.example.com, app.example.com"),
        ("Host", "app.example.com,app.example.com"),
        ("Host", "a" * 261),
        ("Host", "app.example.com/x"),
        ("Host", "app.example.com?"),
        ("Host", "app.example.com#"),
        ("Host", "app.example.com\\"),
        ("Host", "evil.example@app.example.com"),
        ("Host", "app.example.com x"),
        ("Uri", None),
        ("Uri", ""),
        ("Uri", "*"),
        ("Uri", "x"),
        ("Uri", ".evil.example/"),
        ("Uri", "@evil.example/"),
        ("Uri", ":8443/"),
        ("Uri", "https://app.example.com/"),
        ("Uri", "/a, /b"),
        ("Uri", "/a\tb"),
    ):
        with subtests.test(header=header, value=value):
            answer = ada.forwarded(**{header.lower(): value})

            assert answer.status_int == 403
            assert answer.json["code"] == "INVALID_FORWARDED_REQUEST"
            assert answer.json["message"].startswith(f"X-Forwarded-{header} must ")


def test_a_trusted_origin_that_the_session_never_reaches_is_refused(subtests, serve):
    for url, domain, origin, status in (
        ("https://auth.example.com", ".example.com", "https://app.example.com:8443", 401),
        ("https://auth.example.com", "", "https://app.example.com", 403),
        ("https://auth.in.example.com", ".in.example.com", "https://app.example.com", 403),
    ):
        with subtests.test(url=url, domain=domain, origin=origin):
            app = serve(auth__url=url, auth__cookie_domain=domain, auth__trusted_origins=origin)
            stranger = Proxy(app)

            answer = stranger.original(f"{origin}/")
            assert answer.status_int == status
            if status == 403:
                assert answer.json["code"] == "INVALID_ADDRESS"
            assert stranger.original(f"{url}/grafana").status_int == 401


@pytest.mark.attack("BROWSER-forged-forward")
def test_a_slip_in_the_query_closes_the_application(subtests, ada):
    for query in (
        "?groups=acme",
        "?group=acme&Group=acme",
        "?extend=0",
        "?extend=true",
        "?extend",
        "?preflights",
        "?preflights=1",
        "?preflights=pass&preflights=",
        "?callbackURL=/x",
        "?rd=https://app.example.com/",
    ):
        with subtests.test(query=query):
            for answer in (ada.original(APP, query=query), ada.forwarded(query=query)):
                assert (answer.status_int, answer.json["code"]) == (403, "INVALID_QUERY")
                assert "extend=1, preflights=pass" in answer.json["message"]
                assert "group=ACME/TEAM" in answer.json["message"]


def test_the_log_says_once_an_hour_what_is_refused(stranger, caplog, turnable_clock):
    def said():
        return [
            record.getMessage() for record in caplog.records if record.name == "authservice.logs"
        ]

    for _ in range(2):
        stranger.original("https://evil.example/")
        stranger.original(APP, remote="10.9.9.9")
    first = said()

    assert len(first) == 2
    assert first[0].startswith("forward authentication refuses 10.0.0.1: The address ")
    assert first[1].startswith("forward authentication refuses 10.9.9.9: Only a proxy ")
    turnable_clock.advance(minutes=59)
    stranger.original("https://evil.example/")
    assert said() == first
    turnable_clock.advance(minutes=1)
    stranger.original("https://evil.example/")
    assert said() == [*first, first[0]]
