"""Which redirect URIs may be registered, and which requested one is a registered one."""

import pytest

from authservice.services.clients.redirect_uris import is_native, matches, problem_with

GOOD = [
    "https://app.example.com/callback",
    "https://app.example.com",
    "https://app.example.com:8443/cb?tenant=a%20b",
    "https://App.Example.com/CB",
    "https://192.0.2.1/cb",
    "https://[2001:db8::1]/cb",
    "https://xn--mller-kva.example.com/cb",
    "http://localhost/cb",
    "http://localhost:3000/cb",
    "http://app.localhost:3000/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:49152/cb",
    "http://[::1]:49152/cb",
    "com.example.app:/oauth2redirect",
    "com.example.app://callback",
    "com.example.app-2:/cb",
    "https://a.example/".ljust(2048, "x"),
]
BAD = [
    ("", "absolute URI"),
    ("callback", "absolute URI"),
    ("/callback", "absolute URI"),
    ("//app.example.com/cb", "absolute URI"),
    ("https:", "absolute URI"),
    ("https://app.example.com/a b", "absolute URI"),
    (" https://app.example.com/", "absolute URI"),
    ("https://app.example.com/\n", "absolute URI"),
    ("https://app.example.com/\x00", "absolute URI"),
    ("https://app.example.com/ä", "absolute URI"),
    ("https://müller.example.com/", "absolute URI"),
    ("https://app.example.com/%zz", "absolute URI"),
    ("https://app.example.com/%", "absolute URI"),
    ('https://app.example.com/"', "absolute URI"),
    ("https://app.example.com\\@evil.net", "absolute URI"),
    ("https://*.example.com/*|", "absolute URI"),
    ("https://app.example.com/cb#", "fragment"),
    ("https://app.example.com/cb#x", "fragment"),
    ("com.example.app:/cb#x", "fragment"),
    ("https://user@app.example.com/", "user information"),
    ("https://user:pw@app.example.com/", "user information"),
    ("https://app.example.com@evil.net/", "user information"),
    ("com.example.app://user@host/", "user information"),
    ("com.example.app://[/cb", "host that can be read"),
    ("com.example.app://7.01].:1.8", "host that can be read"),
    ("https://", "must name a host"),
    ("https:///cb", "must name a host"),
    ("https:/cb", "must name a host"),
    ("https:cb", "must name a host"),
    ("https://app_1.example.com/", "must name a host"),
    ("https://app..example.com/", "must name a host"),
    ("https://*.example.com/", "wildcard"),
    ("https://app.example.com/*", "wildcard"),
    ("https://app.example.com/cb?to=*", "wildcard"),
    ("com.example.app:/*", "wildcard"),
    ("https://app.example.com./", "must name a host"),
    ("https://127.1/", "must name a host"),
    ("https://2130706433/", "must name a host"),
    ("https://0x7f000001/", "must name a host"),
    ("https://127.0.0.0x1/", "must name a host"),
    ("https://app.example.com:/", "must name a host"),
    ("https://[::1/", "can be read"),
    ("https://[x]/", "can be read"),
    ("https://app.example.com:99999/", "can be read"),
    ("https://app.example.com:8a/", "can be read"),
    ("https://app.example.com:0/", "port 0"),
    ("http://app.example.com/cb", "must use https"),
    ("http://127.0.0.2/cb", "must use https"),
    ("http://192.168.1.2/cb", "must use https"),
    ("http://localhost.example.com/cb", "must use https"),
    ("HTTP://app.example.com/cb", "must use https"),
    ("javascript:alert(1)", "private-use scheme"),
    ("JavaScript:alert(1)", "private-use scheme"),
    ("data:text/html,x", "private-use scheme"),
    ("vbscript:x", "private-use scheme"),
    ("file:///etc/passwd", "private-use scheme"),
    ("myapp:/cb", "private-use scheme"),
    ("urn:ietf:wg:oauth:2.0:oob", "private-use scheme"),
    ("ws://localhost/cb", "private-use scheme"),
    ("https://a.example/".ljust(2049, "x"), "longer than 2048"),
]  # fmt: skip


@pytest.mark.requirement("RFC8252-7-1")
def test_a_uri_that_may_be_registered(subtests):
    for uri in GOOD:
        with subtests.test(uri=uri):
            assert problem_with(uri) is None


@pytest.mark.attack("FAILURES-6")
@pytest.mark.requirement("RFC6749-3.1.2-1", "RFC6749-3.1.2-2", "RFC8252-7.1-1", "RFC8252-8.4-3")
@pytest.mark.requirement("RFC9700-2.6-2", "OAUTH21-1.5-1")
def test_a_uri_that_may_not_be_registered_and_why(subtests):
    for uri, reason in BAD:
        with subtests.test(uri=uri, reason=reason):
            assert reason in problem_with(uri)


@pytest.mark.requirement("RFC8252-8.4-5")
def test_some_schemes_without_a_dot_are_for_public_clients(subtests):
    for scheme in ("cursor", "vscode", "vscode-insiders", "oc", "claude"):
        uri = f"{scheme}://oauth/callback"
        with subtests.test(uri=uri):
            assert problem_with(uri, public=True) is None
            assert "--public" in problem_with(uri)
            assert is_native(uri)
    for uri in ("Claude://x", "claudes:/x", "vscode-:/x", "code://x", "javascript:x", "data:x"):
        with subtests.test(uri=uri):
            assert "private-use scheme" in problem_with(uri, public=True)
    assert "user information" in problem_with("claude://user@host/", public=True)
    assert "fragment" in problem_with("claude://x#y", public=True)


@pytest.mark.requirement("RFC6749-3.1.2.3-2")
def test_a_uri_matches_itself(subtests):
    for uri in GOOD:
        with subtests.test(uri=uri):
            assert matches(uri, uri)


@pytest.mark.attack("RFC9700-4.1")
@pytest.mark.requirement("RFC6749-3.1.2.2-2", "RFC6749-3.1.2.3-2", "RFC8252-8.4-1", "RFC9700-2.1-1")
@pytest.mark.requirement("RFC9700-4.1.3-1", "OAUTH21-2.3.1-2")
def test_any_other_character_is_another_uri(subtests):
    for requested in (
        "https://app.example.com/callback/",
        "https://app.example.com/callback?x=1",
        "https://app.example.com/Callback",
        "https://APP.example.com/callback",
        "https://app.example.com:443/callback",
        "https://app.example.com:8443/callback",
        "http://app.example.com/callback",
        "https://app.example.com/%63allback",
        "https://app.example.com/x/../callback",
        "https://app.example.com//callback",
        "https://app.example.com/callback#",
        "https://app.example.com.evil.net/callback",
        "https://app.example.com@evil.net/callback",
        "https://app.example.com/callback ",
        "",
    ):
        with subtests.test(requested=requested):
            assert not matches("https://app.example.com/callback", requested)


@pytest.mark.requirement("RFC8252-7.3-1", "RFC8252-7.3-2", "RFC9700-2.1-1", "OAUTH21-2.3.1-2")
def test_only_the_port_of_a_loopback_address_may_differ(subtests):
    for registered, requested, same in (
        ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", True),
        ("http://127.0.0.1:80/cb", "http://127.0.0.1:1/cb", True),
        ("http://127.0.0.1:3000/cb", "http://127.0.0.1/cb", True),
        ("http://[::1]:3000/cb?x=1", "http://[::1]:9/cb?x=1", True),
        ("http://127.0.0.1", "http://127.0.0.1:9", True),
        ("http://127.0.0.1/cb", "http://127.0.0.2/cb", False),
        ("http://127.0.0.1/cb", "http://[::1]/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9/other", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9/cb?x", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1:9/cb", False),
        ("https://127.0.0.1/cb", "https://127.0.0.1:9/cb", False),
        ("http://localhost:3000/cb", "http://localhost:9/cb", False),
        ("http://127.0.0.1/cb", "http://localhost:9/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:9@evil.net/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.net/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:999999/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:x/cb", False),
        ("https://app.example.com/cb", "https://app.example.com:9/cb", False),
        ("com.example.app:/callback", "com.example.app:/callback/x", False),
    ):
        with subtests.test(registered=registered, requested=requested, same=same):
            assert matches(registered, requested) is same


@pytest.mark.requirement("RFC9700-2.1-1", "OAUTH21-2.3.1-2")
def test_a_public_client_on_localhost_may_take_any_port_if_it_named_none(subtests):
    for registered, requested, same in (
        ("http://localhost/cb", "http://localhost:49152/cb", True),
        ("http://localhost/cb?x=1", "http://localhost:9/cb?x=1", True),
        ("http://localhost", "http://localhost:9", True),
        ("http://localhost:3000/cb", "http://localhost:9/cb", False),
        ("http://localhost:3000/cb", "http://localhost/cb", False),
        ("http://localhost/cb", "http://localhost:9/other", False),
        ("http://localhost/cb", "http://localhost:9/cb?x", False),
        ("http://localhost/cb", "https://localhost:9/cb", False),
        ("https://localhost/cb", "https://localhost:9/cb", False),
        ("http://localhost/cb", "http://LOCALHOST:9/cb", False),
        ("http://localhost/cb", "http://127.0.0.1:9/cb", False),
        ("http://localhost/cb", "http://app.localhost:9/cb", False),
        ("http://app.localhost/cb", "http://app.localhost:9/cb", False),
        ("http://localhost/cb", "http://localhost:9@evil.net/cb", False),
        ("http://localhost/cb", "http://localhost:9.evil.net/cb", False),
        ("http://localhost/cb", "http://localhost:999999/cb", False),
        ("http://localhost/cb", "http://localhost:/cb", False),
        ("http://localhost/cb", "http://localhost:9:9/cb", False),
        ("http://localhost/cb", "x-http://localhost:9/cb", False),
    ):
        with subtests.test(registered=registered, requested=requested):
            assert matches(registered, requested, public=True) is same
            assert not matches(registered, requested)


@pytest.mark.attack("FAILURES-20")
def test_an_application_on_the_own_device_is_recognised(subtests):
    for uri, native in (
        ("com.example.app:/cb", True),
        ("http://127.0.0.1:9/cb", True),
        ("http://localhost/cb", True),
        ("http://[::1]:9/cb", True),
        ("https://app.example.com/cb", False),
        ("https://localhost:4444/cb", True),
        ("https://LOCALHOST/cb", True),
        ("https://app.localhost/cb", True),
        ("https://127.0.0.1/cb", True),
        ("https://127.0.0.2/cb", True),
        ("https://0.0.0.0/cb", True),
        ("https://[::1]:9/cb", True),
        ("https://[::]/cb", True),
        ("https://[::ffff:127.0.0.1]/cb", True),
        ("https://192.0.2.1/cb", False),
        ("https://localhost.example.com/cb", False),
        ("http://app.example.com/cb", False),
    ):
        with subtests.test(uri=uri, native=native):
            assert is_native(uri) is native
