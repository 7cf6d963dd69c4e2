"""Where logout tokens may be sent: to which addresses, in which mode."""

from contextlib import closing

import pytest

from authservice.oauth.logout.delivery import LogoutDelivery
from tests.helpers.logout_receiver import LogoutReceiver
from tests.unit.settings.loading import local, production

NETWORKS = "auth.backchannel_networks"


@pytest.fixture
def receiver():
    with closing(LogoutReceiver()) as made:
        yield made


def test_local_mode_reaches_nothing_else(subtests):
    for address in ("10.0.0.1", "192.0.2.1", "169.254.169.254", "[2001:db8::1]", "8.8.8.8"):
        with subtests.test(address=address):
            failure = LogoutDelivery(local()).deliver(f"https://{address}/logout", "a.b.c")

            assert "address" in failure
            assert "a.b.c" not in failure


def test_production_does_not_reach_loopback(subtests):
    for host in ("127.0.0.1", "localhost"):
        with subtests.test(host=host), closing(LogoutReceiver()) as receiver:
            uri = receiver.uri.replace("127.0.0.1", host)

            assert "address" in LogoutDelivery(production()).deliver(uri, "a.b.c")
            assert not receiver.has_more()


@pytest.mark.attack("BROWSER-ssrf")
def test_production_does_not_reach_private_addresses(subtests):
    for address in (
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[::1]",
        "[fd00::1]",
        "0.0.0.0",
    ):
        with subtests.test(address=address):
            failure = LogoutDelivery(production()).deliver(f"https://{address}/logout", "a.b.c")

            assert "address" in failure


def test_production_reaches_the_networks_that_are_named(receiver):
    settings = production({NETWORKS: "10.0.0.0/8, 127.0.0.1/32"})

    assert LogoutDelivery(settings).deliver(receiver.uri, "a.b.c") is None
    assert receiver.next().token == "a.b.c"


def test_naming_networks_leaves_out_all_others(subtests):
    delivery = LogoutDelivery(production({NETWORKS: "10.0.0.0/8, 127.0.0.1/32"}))

    for address in ("192.168.1.1", "127.0.0.2", "8.8.8.8"):
        with subtests.test(address=address):
            assert "address" in delivery.deliver(f"https://{address}/", "a.b.c")
