"""A client with an address policy connects to checked addresses and nowhere else."""

import socket
from ipaddress import ip_address

import pytest

from authservice.httpclient import (
    AddressRefusedError,
    Method,
    Request,
    allow_networks,
    public_addresses_only,
)
from authservice.httpclient.address_policy import destination
from tests.httpclient.raw_server import answer, replies


@pytest.fixture
def outside(serve):
    return serve(replies(*[answer(body=b"outside")] * 5))


@pytest.fixture
def inside(serve):
    return serve(replies(answer(body=b"inside")), host="127.0.0.2")


@pytest.fixture
def guarded(make_client):
    return make_client(address_policy=allow_networks("127.0.0.1/32"))


def test_an_allowed_address_is_connected_to(guarded, outside):
    assert guarded.send(Request(Method.GET, outside.url)).body == b"outside"


@pytest.mark.attack("BROWSER-ssrf")
@pytest.mark.parametrize("host", ["127.0.0.2", "127.0.2", "2130706434", "0x7f000002"])
def test_a_refused_address_gets_no_connection_in_any_spelling(guarded, inside, host):
    with pytest.raises(AddressRefusedError, match=r"the address policy refuses 127\.0\.0\.2"):
        guarded.send(Request(Method.GET, f"http://{host}:{inside.port}/"))

    assert inside.connections == []


def test_one_refused_address_among_several_is_enough(guarded, outside, inside, names):
    names["mixed.test"] = ["127.0.0.1", "127.0.0.2"]

    with pytest.raises(AddressRefusedError):
        guarded.send(Request(Method.GET, f"http://mixed.test:{outside.port}/"))

    assert outside.connections == inside.connections == []


@pytest.mark.attack("BROWSER-ssrf")
def test_a_name_is_looked_up_once_and_the_checked_address_is_used(guarded, outside, monkeypatch):
    system = socket.getaddrinfo
    addresses = iter(["127.0.0.1", "127.0.0.2"])
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda _host, *args, **options: system(next(addresses), *args, **options),
    )

    response = guarded.send(Request(Method.GET, f"http://rebinding.test:{outside.port}/"))

    assert response.body == b"outside"
    assert next(addresses) == "127.0.0.2"


@pytest.mark.attack("BROWSER-ssrf")
def test_each_redirect_is_checked(guarded, serve, inside, names):
    names["inside.test"] = ["127.0.0.2"]
    start = serve(replies(answer("302 Found", Location=f"http://inside.test:{inside.port}/")))

    with pytest.raises(AddressRefusedError) as caught:
        guarded.send(Request(Method.GET, start.url))

    assert caught.value.url == f"http://inside.test:{inside.port}/"
    assert inside.connections == []


def test_a_new_connection_to_a_known_name_is_checked_again(guarded, serve, inside, names):
    server = serve(replies(answer(headers=("Connection: close",))))
    names["moving.test"] = ["127.0.0.1"]
    guarded.send(Request(Method.GET, f"http://moving.test:{server.port}/"))
    names["moving.test"] = ["127.0.0.2"]

    with pytest.raises(AddressRefusedError):
        guarded.send(Request(Method.GET, f"http://moving.test:{server.port}/"))


def test_tls_checks_the_name_and_not_the_address(serve, make_client, authority, names):
    names["secure.test"] = ["127.0.0.1"]
    server = serve(replies(answer(body=b"safe")), tls=authority.server_context("secure.test"))
    client = make_client(address_policy=allow_networks("127.0.0.0/8"), ca_bundle=authority.bundle)

    response = client.send(Request(Method.GET, f"https://secure.test:{server.port}/"))

    assert response.body == b"safe"


def test_a_policy_is_any_function_of_an_address(make_client, outside):
    seen = []
    client = make_client(address_policy=lambda address: seen.append(address) or True)

    client.send(Request(Method.GET, outside.url))

    assert seen == [ip_address("127.0.0.1")]


def test_a_policy_sees_the_address_that_packets_end_up_at(subtests):
    for address, end in (
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("2002:7f00:1::", "127.0.0.1"),
        ("64:ff9b::10.0.0.1", "10.0.0.1"),
        ("::127.0.0.1", "127.0.0.1"),
        ("::ffff:0:127.0.0.1", "127.0.0.1"),
        ("::ffff:127.0.0.1%eth0", "127.0.0.1"),
        ("::", "::"),
        ("::1", "::1"),
        ("64:ff9b:1::10.0.0.1", "64:ff9b:1::10.0.0.1"),
    ):
        with subtests.test(address=address, end=end):
            assert destination(address) == ip_address(end)


def test_public_addresses_are_public(subtests):
    for address in (
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.0.9",
        "192.0.1.1",
        "192.31.196.1",
        "192.52.193.1",
        "192.175.48.1",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2001:3::1",
        "2001:4:112::1",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2620:4f:8000::1",
        "2606:4700::5efe:808:808",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ):
        with subtests.test(address=address):
            assert public_addresses_only(destination(address))


@pytest.mark.attack("BROWSER-ssrf")
def test_other_addresses_are_not_public(subtests):
    for address in (
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "2002:a00:1::",
        "64:ff9b::169.254.169.254",
        "fd00::1",
        "fe80::1",
        "ff02::1",
        "ff0e::1",
        # The registry of IPv4, at both ends of each block.
        "0.255.255.255",
        "10.255.255.255",
        "100.127.255.255",
        "127.255.255.255",
        "169.254.0.0",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.8",
        "192.0.0.11",
        "192.0.0.170",
        "192.0.0.171",
        "192.0.0.255",
        "192.0.2.1",
        "192.88.99.1",
        "192.88.99.2",
        "192.168.255.255",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.255",
        "239.255.255.255",
        "240.0.0.0",
        # The registry of IPv6, and what is not allocated.
        "64:ff9b:1::",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "64:ff9b:1::8.8.8.8",
        "64:ff9b:2::1",
        "100::1",
        "100:0:0:1::1",
        "2001::1",
        "2001:1::4",
        "2001:2::1",
        "2001:10::1",
        "2001:40::1",
        "2001:1ff:ffff::1",
        "2001:db8::1",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "3fff::",
        "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fdff::1",
        "febf::1",
        "fe80::1%eth0",
        "fec0::1",
        "feff::1",
        # IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, ISATAP, Teredo.
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::ffff:169.254.169.254%eth0",
        "::127.0.0.1",
        "::10.0.0.1",
        "::169.254.169.254",
        "::ffff:0:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:c0a8:1::1",
        "2002:a9fe:a9fe::",
        "2606:4700::5efe:10.0.0.1",
        "2606:4700::200:5efe:127.0.0.1",
        "fd00::5efe:8.8.8.8",
        "fe80::5efe:8.8.8.8",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
        "2001:0:a00:1:8000:63bf:f7f7:f7f7",
        "2001:0:808:808:8000:63bf:f7f7:f7f7",
    ):
        with subtests.test(address=address):
            assert not public_addresses_only(destination(address))
            # Anyone who asks the policy directly need not know of the forms.
            assert not public_addresses_only(ip_address(address))


def test_addresses_that_hold_others_are_not_of_their_networks_by_chance():
    policy = allow_networks("10.0.0.0/8", "::1/128")

    assert policy(destination("::10.0.0.1"))
    assert policy(destination("::1"))
    assert not policy(destination("64:ff9b:1::10.0.0.1"))
    assert not policy(destination("::ffff:11.0.0.1"))


def test_networks_of_both_families_can_be_allowed():
    policy = allow_networks("10.0.0.0/8", "fd00::/8")

    assert policy(ip_address("10.9.8.7"))
    assert policy(ip_address("fd12::1"))
    assert not policy(ip_address("11.0.0.1"))
