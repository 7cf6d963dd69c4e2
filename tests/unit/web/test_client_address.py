"""The address that a request came from: what trusted proxies say, and no others."""

from ipaddress import ip_network

import pytest

from authservice.web.request.client_address import (
    UnreadableAddress,
    is_from_operator,
    sender_of,
)

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("127.0.0.1"), ip_network("fd00::/8"))


def _address(remote, forwarded=None, trusted=TRUSTED):
    environ = {"REMOTE_ADDR": remote}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    sender = sender_of(environ, trusted)
    return sender.text if isinstance(sender, UnreadableAddress) else sender and str(sender)


@pytest.mark.requirement("RFC9700-4.13-1")
def test_the_address_is_the_nearest_that_no_trusted_proxy_has(subtests):
    for remote, forwarded, expected in (
        ("203.0.113.7", None, "203.0.113.7"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.9", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1,10.0.0.9 , 127.0.0.1", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.8, 10.0.0.9", "10.0.0.8"),
        ("fd00::1", "2001:db8::7", "2001:db8::7"),
        ("::ffff:203.0.113.7", None, "203.0.113.7"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("", None, None),
        ("unix:", "198.51.100.1", None),
    ):
        with subtests.test(remote=remote, forwarded=forwarded, expected=expected):
            assert _address(remote, forwarded) == expected


@pytest.mark.requirement("RFC9700-4.13-1")
def test_without_trusted_proxies_only_the_connection_counts():
    assert _address("10.0.0.1", "198.51.100.1", ()) == "10.0.0.1"


def test_a_request_without_an_address_has_none():
    assert sender_of({}, TRUSTED) is None


@pytest.mark.attack("FAILURES-47")
@pytest.mark.requirement("RFC9700-4.13-1")
def test_an_address_may_have_a_port_and_brackets_and_quotes(subtests):
    for written, address in (
        ("203.0.113.7:51008", "203.0.113.7"),
        ("203.0.113.7:0", "203.0.113.7"),
        ("203.0.113.7:65535", "203.0.113.7"),
        ("[2001:db8::7]:443", "2001:db8::7"),
        ("[2001:db8::8]", "2001:db8::8"),
        ("[2001:DB8:0::8]:00443", "2001:db8::8"),
        # Without brackets the last group is one of the address.
        ("2001:db8::7:443", "2001:db8::7:443"),
        ("2001:db8::203.0.113.7", "2001:db8::cb00:7107"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("[fe80::1%eth0]:443", "fe80::1%eth0"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("[::ffff:203.0.113.7]:443", "203.0.113.7"),
        ("[203.0.113.7]:443", "203.0.113.7"),
    ):
        for entry in (written, f'"{written}"', f" \t{written}\t "):
            for forwarded in (entry, f"192.0.2.66, {entry}", f"192.0.2.66,{entry},10.0.0.9:4711"):
                with subtests.test(forwarded=forwarded):
                    assert _address("10.0.0.1", forwarded) == address
                    assert _address("203.0.113.1", forwarded) == "203.0.113.1"


@pytest.mark.attack("FAILURES-47")
@pytest.mark.requirement("RFC9700-4.13-1")
def test_what_is_no_address_is_the_sender_and_nothing_left_of_it_counts(subtests):
    for written in (
        "",
        "unknown",
        "_hidden",
        "junk",
        "203.0.113.7:",
        "203.0.113.7:65536",
        "203.0.113.7:100000",
        "203.0.113.7:http",
        "203.0.113.7:-1",
        "203.0.113.7:\xb2",
        "203.0.113.7 :443",
        "203.0.113.7:443:443",
        "203.0.113.256:443",
        "203.0.113.007",
        "203.0.113.7%eth0",
        "203.0.113.7;443",
        "[2001:db8::7",
        "2001:db8::7]",
        "[2001:db8::7]443",
        "[2001:db8::7]:65536",
        "[[2001:db8::7]]:443",
        "[ 2001:db8::7 ]",
        "[]:443",
        "[unknown]:443",
        "2001:db8:0:1:2:3:4:5:443",
        f"fe80::1%{'z' * 16}",
        "fe80::1%",
        "fe80::1%\x00",
        "\x85203.0.113.7",
        "203.0.113.7\xa0",
        '"203.0.113.7',
        '203.0.113.7"',
        '""203.0.113.7""',
        '"',
        '""',
        "'203.0.113.7'",
        "for=203.0.113.7",
        "1" * 30_000,
        ":" * 30_000,
    ):
        for forwarded in (
            written,
            f"192.0.2.66, {written}",
            f"192.0.2.66:1,\t{written} , 10.0.0.9:4711,[fd00::9]",
        ):
            with subtests.test(forwarded=forwarded[:99]):
                found = sender_of(
                    {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": forwarded}, TRUSTED
                )
                assert found == UnreadableAddress(written)


def test_a_session_keeps_the_address_that_a_trusted_proxy_names(make_app):
    from tests.helpers.browser import Browser  # noqa: PLC0415

    browser = Browser(make_app(auth__trusted_proxies="127.0.0.1"))
    browser.extra_environ["HTTP_X_FORWARDED_FOR"] = "1.2.3.4, 198.51.100.1"
    browser.sign_in()

    assert browser.get("/api/auth/list-sessions").json[0]["ipAddress"] == "198.51.100.1"


def _is_from_operator(remote, forwarded=None, **headers):
    environ = {"REMOTE_ADDR": remote} | headers
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    return is_from_operator(environ, TRUSTED)


def test_the_machine_itself_and_trusted_proxies_ask_for_their_operator(subtests):
    for remote, forwarded in (
        ("127.0.0.1", None),
        ("127.0.0.2", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("10.0.0.1", None),
        ("10.0.0.1", "10.0.0.2"),
        ("10.0.0.1", "127.0.0.1"),
        ("10.0.0.1", "[::1]:4711, 10.0.0.2:4711"),
        ("127.0.0.1", "127.0.0.1, 10.0.0.2"),
    ):
        with subtests.test(remote=remote, forwarded=forwarded):
            assert _is_from_operator(remote, forwarded)


@pytest.mark.attack("BROWSER-probing")
def test_nobody_else_does(subtests):
    for remote, forwarded in (
        ("203.0.113.7", None),
        ("203.0.113.7", "127.0.0.1"),
        ("192.168.0.1", None),
        ("10.0.0.1", "203.0.113.7"),
        ("10.0.0.1", "127.0.0.1, 203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2"),
        ("10.0.0.1", "203.0.113.7:4711"),
        ("10.0.0.1", "unknown"),
        ("10.0.0.1", ""),
        # A proxy on this machine that no setting names.
        ("127.0.0.2", "127.0.0.1"),
        ("127.0.0.2", "203.0.113.7"),
        ("::1", "203.0.113.7"),
        ("", None),
        ("@", None),
    ):
        with subtests.test(remote=remote, forwarded=forwarded):
            assert not _is_from_operator(remote, forwarded)


@pytest.mark.attack("BROWSER-probing")
@pytest.mark.parametrize("name", ["HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"])
def test_nor_those_for_whom_a_proxy_asks_in_another_way(name):
    assert not _is_from_operator("127.0.0.1", **{name: "203.0.113.7"})
