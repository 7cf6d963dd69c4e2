"""Trusted origins, and the addresses to which a person may be sent back."""

import pytest

from authservice.web.request.origins import Origins
from tests.unit.settings.loading import local, production


@pytest.fixture(scope="module")
def ours():
    return Origins(production({"auth.trusted_origins": "https://dev.example.com:8443"}))


@pytest.fixture(scope="module")
def here():
    return Origins(local())


TRUSTED = [
    "https://auth.example.com",
    "https://example.com",
    "https://app.example.com",
    "https://a.b.c.example.com",
    "https://xn--mller-kva.example.com",
    "https://dev.example.com:8443",
]
NOT_TRUSTED = [
    "",
    "null",
    "https://",
    "https://app.example.com/",
    "https://app.example.com:443",
    "https://app.example.com:8443",
    "https://dev.example.com:8444",
    "http://app.example.com",
    "http://auth.example.com",
    "HTTPS://app.example.com",
    "https://App.example.com",
    "https://app.example.com.",
    "https://.example.com",
    "https://notexample.com",
    "https://example.com.evil.net",
    "https://example.org",
    "https://com",
    "https://user@app.example.com",
    "https://app.example.com@evil.net",
    "https://evil.net#.example.com",
    "https://evil.net/.example.com",
    "https://evil.net?.example.com",
    "https://evil.net\\.example.com",
    "https://müller.example.com",
    "https://app.ex\u0430mple.com",
    "https://app.example.com\x00",
    "https://app.example.com\t",
    " https://app.example.com",
    "https://app.example.com https://evil.net",
    "https://a_b.example.com",
    "https://127.0.0.1",
    "http://localhost:3000",
    "file://",
    "chrome-extension://abc",
    "https://[::1",
]  # fmt: skip


def test_production_trusts_the_cookie_domain_over_https(subtests, ours):
    for origin in TRUSTED:
        with subtests.test(origin=origin):
            assert ours.trusts(origin)


@pytest.mark.attack("FAILURES-46")
def test_production_trusts_nobody_else(subtests, ours):
    for origin in NOT_TRUSTED:
        with subtests.test(origin=origin):
            assert not ours.trusts(origin)


def test_without_a_cookie_domain_only_named_origins_are_trusted():
    alone = Origins(production({"auth.cookie_domain": None}))

    assert alone.trusts("https://auth.example.com")
    assert not alone.trusts("https://app.example.com")
    assert not alone.trusts("https://example.com")


def test_local_mode_trusts_this_machine(subtests, here):
    for origin in (
        "http://localhost",
        "http://localhost:37960",
        "http://localhost:3000",
        "https://localhost:3000",
        "http://127.0.0.1:5173",
        "http://[::1]:5173",
        "http://app.localhost:3000",
        "https://a.b.localhost",
    ):
        with subtests.test(origin=origin):
            assert here.trusts(origin)


@pytest.mark.attack("FAILURES-20")
def test_local_mode_trusts_nobody_else(subtests, here):
    for origin in (
        "null",
        "http://127.0.0.2:3000",
        "http://localhost.:3000",
        "http://localhost.evil.net",
        "http://evil-localhost",
        "http://0.0.0.0:3000",
        "http://[::]:3000",
        "http://[::ffff:127.0.0.1]",
        "http://[0:0:0:0:0:0:0:1]",
        "http://2130706433",
        "http://127.1",
        "http://LOCALHOST:3000",
        "http://localhost:80",
        "http://localhost@evil.net",
        "http://.localhost",
        "https://app.example.com",
        "http://192.168.0.2",
    ):
        with subtests.test(origin=origin):
            assert not here.trusts(origin)


def test_production_sends_people_back_to_its_own_applications(subtests, ours):
    for url in (
        "/",
        "/dashboard",
        "/a/b?next=https://evil.net/x&y=//z#frag",
        "/a%20b%2f",
        "/a%2fb",
        "/a%5cb",
        "https://app.example.com",
        "https://app.example.com/",
        "https://app.example.com/cb?x=1#y",
        "https://app.example.com?x=@evil.net",
        "https://example.com/@user",
        "https://dev.example.com:8443/cb",
        "https://app.example.com:443/cb",
    ):
        with subtests.test(url=url):
            assert ours.return_address(url) == url


@pytest.mark.attack("FAILURES-46")
@pytest.mark.requirement("RFC9700-2.1-2")
def test_production_sends_nobody_elsewhere(subtests, ours):
    for url in (
        "",
        "dashboard",
        "?x",
        "#x",
        "//evil.net",
        "///evil.net",
        "/\\evil.net",
        "\\\\evil.net",
        "\\/evil.net",
        "/\t/evil.net",
        "/\n/evil.net",
        "/a\\b",
        "/a\x00",
        "/a\x7f",
        " /a",
        "/%2f/evil.net",
        "/%2Fevil.net",
        "/%5cevil.net",
        "/a\x80",
        "/a\ud800",
        " /ä",
        "https://app.example.com |x/",
        "https://app.example.com https://evil.net",
        "https://evil.net",
        "https://evil.net/app.example.com",
        "https://app.example.com.evil.net",
        "https://app.example.com@evil.net",
        "https://app.example.com:pw@evil.net",
        "https://evil.net@app.example.com",
        "https://user@app.example.com/",
        "https://app.example.com\\@evil.net",
        "https://app.example.com\\.evil.net",
        "https:app.example.com",
        "https:/app.example.com",
        "https:///app.example.com",
        "https://app.example.com:8443/",
        "https://app.example.com:x/",
        "https://app.example.com:99999/",
        "https://app.example.com./",
        "https://\u0430pp.example.com/",
        "https://app。example.com/",
        "http://app.example.com/",
        "http://auth.example.com/",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://app.example.com/",
        "https://[::1]/",
        "https://[::1/",
        "https://evil.net[app.example.com]/",
        "https://app.exa\tmple.com/",
        "https://app.example.com/\r\nSet-Cookie: x=1",
    ):
        with subtests.test(url=url):
            assert ours.return_address(url) is None
            assert ours.return_address(url, "https://shop.example.com") is None


def test_what_browsers_would_encode_is_encoded_and_nothing_else(subtests, ours):
    for url, encoded in (
        ("/straße?q=ü", "/stra%C3%9Fe?q=%C3%BC"),
        ("/a b|c", "/a%20b%7Cc"),
        ("/日本#語", "/%E6%97%A5%E6%9C%AC#%E8%AA%9E"),
        ("/😀/\u2028", "/%F0%9F%98%80/%E2%80%A8"),
        ("/\uff0fevil.net", "/%EF%BC%8Fevil.net"),
        ("/ /evil.net", "/%20/evil.net"),
        ("/%C3%A4ä%7c", "/%C3%A4%C3%A4%7c"),
        ("/\"<>^`{}'", "/\"<>^`{}'"),
        ("https://app.example.com/ü?ü=|#ü", "https://app.example.com/%C3%BC?%C3%BC=%7C#%C3%BC"),
    ):
        with subtests.test(url=url):
            assert ours.return_address(url) == encoded


def test_a_path_is_one_of_the_origin_that_sends_it(subtests, ours):
    shop = "https://shop.example.com"
    for sender, url, address in (
        (shop, "/dashboard", f"{shop}/dashboard"),
        (shop, "/ü", f"{shop}/%C3%BC"),
        (shop, "/", f"{shop}/"),
        (shop, "https://app.example.com/x", "https://app.example.com/x"),
        ("https://dev.example.com:8443", "/x", "https://dev.example.com:8443/x"),
        ("https://auth.example.com", "/account", "/account"),
        (None, "/account", "/account"),
        ("https://evil.example", "/account", None),
    ):
        with subtests.test(sender=sender, url=url):
            assert ours.return_address(url, sender) == address


def test_local_mode_sends_people_back_to_this_machine(subtests, here):
    for url, allowed in (
        ("/", True),
        ("http://localhost:3000/cb", True),
        ("https://app.localhost/cb", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000/x", True),
        ("http://localhost:3000@evil.net/", False),
        ("http://127.0.0.2:8000/", False),
        ("http://evil.net[::1]:8000/x", False),
        ("http://localhost./", False),
        ("https://app.example.com/", False),
    ):
        with subtests.test(url=url, allowed=allowed):
            assert (here.return_address(url) is not None) is allowed
