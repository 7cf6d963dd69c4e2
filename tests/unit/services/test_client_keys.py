"""The keys at a client's address: what it may answer, how long they count, when it is asked."""

import json
from contextlib import closing

import pytest
from sqlalchemy import select

from authservice.models import fetched_keys
from authservice.services.clients import client_keys
from authservice.services.clients.client_keys import ClientKeys
from authservice.services.clients.clients import Client
from tests.helpers.client_assertion import key_set, new_key
from tests.helpers.key_server import KeyServer
from tests.unit.settings.loading import local, production

ALG = "EdDSA"
GOOD = new_key(kid="good")
OTHER = new_key(kid="other")
(PUBLIC,) = key_set(GOOD)["keys"]
PRIVATE = GOOD.export_private(as_dict=True)

NO_SET = 'it must be a JSON Web Key Set, {"keys": [...]} (RFC 7517, section 5)'
NO_JSON = f"{NO_SET}, and is no JSON"
TOO_MANY = "the set must not hold more than 100 keys"
TOO_LARGE = "the body is larger than 262144 bytes"
REDIRECTED = "redirected more than 0 times"
ELSEWHERE = "https://elsewhere.example.com/keys"
OF_NO_USE = {
    "a secret": {"kty": "oct", "k": "c2VjcmV0", "kid": "good"},
    "on another curve": {**new_key("ES256").export_public(as_dict=True), "crv": "P-384"},
    "for encryption": {**PUBLIC, "use": "enc"},
    "for another algorithm": {**PUBLIC, "alg": "ES256"},
    "on a curve that is a list": {"kty": "RSA", "crv": []},
    "on a curve that is an object": {**PUBLIC, "crv": {}},
    "private": PRIVATE,
    "no object": "good",
    "a list": [PUBLIC],
}


def answer(content=None, *, status=200, body=None, **headers):
    """Return what the server is to answer."""
    body = json.dumps(content).encode() if body is None else body
    return {"status": status, "body": body, "headers": headers}


def keys(*all_keys):
    return answer({"keys": all_keys})


# What an address answers, and the reason in the log.
WRONG = {
    "ten thousand keys": (keys(*[PUBLIC] * 10_000), TOO_LARGE),
    "ten thousand small ones": (keys(*[{}] * 10_000), TOO_MANY),
    "a key too many": (keys(*[PUBLIC] * 101), TOO_MANY),
    "ten megabytes": (answer(body=b" " * 10_000_000), TOO_LARGE),
    "a byte too many": (
        answer(body=json.dumps({"keys": [PUBLIC]}).encode().ljust(262145)),
        TOO_LARGE,
    ),
    "nothing": (answer(body=b""), NO_JSON),
    "HTML": (answer(body=b"<html></html>"), NO_JSON),
    "half of it": (answer(body=b'{"keys": ['), NO_JSON),
    "no UTF-8": (answer(body=b'{"keys": ["\xff"]}'), NO_JSON),
    "deep JSON": (answer(body=b"[" * 100_000 + b"]" * 100_000), NO_JSON),
    "deep keys": (
        answer(body=b'{"keys": ' + b"[" * 99_999 + b"]" * 99_999 + b"}"),
        NO_JSON,
    ),
    "a number": (answer(1), NO_SET),
    "null": (answer(), NO_SET),
    "a list of keys": (answer([PUBLIC]), NO_SET),
    "a key by itself": (answer(PUBLIC), NO_SET),
    "no keys member": (answer({"kids": [PUBLIC]}), NO_SET),
    "keys as an object": (answer({"keys": {"good": PUBLIC}}), NO_SET),
    "keys as a text": (answer({"keys": "good"}), NO_SET),
    "keys as null": (answer({"keys": None}), NO_SET),
    "a redirect elsewhere": (
        keys(PUBLIC) | {"status": 301, "headers": {"Location": ELSEWHERE}},
        REDIRECTED,
    ),
    "a redirect to itself": (
        keys(PUBLIC) | {"status": 301, "headers": {"Location": "/keys"}},
        REDIRECTED,
    ),
    "another redirect": (
        keys(PUBLIC) | {"status": 307, "headers": {"Location": "/keys"}},
        REDIRECTED,
    ),
    "a redirect to nowhere": (keys(PUBLIC) | {"status": 301}, "it answered 301"),
    "created": (keys(PUBLIC) | {"status": 201}, "it answered 201"),
    "not found": (keys(PUBLIC) | {"status": 404}, "it answered 404"),
    "a failure": (keys(PUBLIC) | {"status": 500}, "it answered 500"),
}


def client_at(address):
    """Return a client whose keys are at an address."""
    empty = dict.fromkeys(Client.__slots__)
    return Client(**empty | {"client_id": "c", "redirect_uris": (), "jwks_uri": address})


def failure(address, reason):
    return f"the keys of clients at {address} cannot be used: {reason}"


@pytest.fixture
def client(key_server):
    key_server.publish(key_set(GOOD))
    return client_at(key_server.uri)


@pytest.fixture
def found(database, client):
    """Return the kid of the key that is found for one, or None."""
    at = ClientKeys(local(), database)

    def found(kid="good"):
        key = at.find(client, ALG, kid)
        return None if key is None else key.get("kid")

    return found


@pytest.mark.attack("TOKENS-key-address")
def test_nothing_else_than_a_set_of_good_keys_is_taken(subtests, database, key_server, caplog):
    at = ClientKeys(local(), database)
    for number, (what, (wrong, reason)) in enumerate(WRONG.items(), 1):
        with subtests.test(what=what):
            vars(key_server).update(wrong)
            # What stands in the query may be a secret.
            client = client_at(f"{key_server.uri}?secret={number}")
            caplog.clear()

            for _ in range(3):
                assert at.find(client, ALG, "good") is None

            assert key_server.asked == number
            assert caplog.messages == [failure(key_server.uri, reason)]
            assert _stored(database, client) == (None, None)


def test_a_key_that_is_good_for_nothing_is_left_out(subtests, database, key_server, caplog):
    at = ClientKeys(local(), database)
    for number, (what, bad) in enumerate(OF_NO_USE.items(), 1):
        with subtests.test(what=what):
            client = client_at(f"{key_server.uri}?secret={number}")
            key_server.publish({"keys": [bad]})
            caplog.clear()

            for _ in range(3):
                assert at.find(client, ALG, "good") is None

            reason = "none is good for a signature here"
            assert caplog.messages == [failure(key_server.uri, reason)]
            assert _stored(database, client)[0] == {"keys": []}
        with subtests.test(what=what, beside="good ones"):
            client = client_at(f"{key_server.uri}?beside={number}")
            key_server.publish({"keys": [bad, *key_set(OTHER)["keys"]]})
            caplog.clear()

            assert at.find(client, ALG, "good") is None
            assert at.find(client, ALG, "other").thumbprint() == OTHER.thumbprint()

            assert caplog.messages == []
            assert _stored(database, client)[0] == key_set(OTHER)


def _stored(database, client):
    row = fetched_keys.c
    columns = row.jwks, row.fetched_at
    statement = select(*columns).where(row.id == client.jwks_uri)
    return database.reader.execute(statement).one()


@pytest.mark.attack("BROWSER-ssrf", "TOKENS-key-address")
def test_production_does_not_ask_in_its_own_network(subtests, database, key_server, caplog):
    key_server.publish(key_set(GOOD))
    at = ClientKeys(production(), database)
    for address in (
        key_server.uri,
        "https://127.0.0.1/keys",
        "https://10.0.0.1/keys",
        "https://192.168.1.1/keys",
        "https://169.254.169.254/keys",
        "https://[::1]/keys",
        "https://[fd00::1]/keys",
    ):
        with subtests.test(address=address):
            host = address.partition("://")[2].partition("/")[0]
            host = host.strip("[]") if "[" in host else host.partition(":")[0]
            caplog.clear()

            for _ in range(3):
                assert at.find(client_at(f"{address}?secret"), ALG, "good") is None

            assert caplog.messages == [failure(address, f"the address policy refuses {host}")]
    assert key_server.asked == 0


def test_production_asks_in_the_networks_that_are_named(database, key_server):
    key_server.publish(key_set(GOOD))
    at = ClientKeys(production({"auth.backchannel_networks": "127.0.0.1/32"}), database)

    assert at.find(client_at(key_server.uri), ALG, "good").thumbprint() == GOOD.thumbprint()


def test_an_address_where_nobody_listens_gives_no_key(database, caplog):
    with closing(KeyServer()) as gone:
        address = gone.uri
    at = ClientKeys(local(), database)

    for _ in range(3):
        assert at.find(client_at(f"{address}?secret"), ALG, "good") is None

    assert caplog.messages == [failure(address, "cannot connect: Connection refused")]


@pytest.fixture
def impatient(monkeypatch):
    """An address has no time to be slow."""
    monkeypatch.setitem(client_keys._SECONDS, "read", 0.05)


@pytest.mark.usefixtures("impatient")
def test_an_address_that_is_slow_gives_no_key(found, key_server, caplog):
    key_server.hold()

    for _ in range(3):
        assert found() is None

    assert key_server.asked == 1
    assert caplog.messages == [failure(key_server.uri, "timed out waiting for the host")]


def test_keys_count_for_five_minutes_and_are_fetched_again(found, key_server, turnable_clock):
    assert found() == "good"
    turnable_clock.advance(minutes=4, seconds=59)
    assert found() == "good"
    assert key_server.asked == 1

    turnable_clock.advance(seconds=1)

    assert found() == found() == "good"
    assert key_server.asked == 2


def test_a_key_that_is_gone_is_refused_once_the_address_was_asked_again(
    found, key_server, turnable_clock
):
    assert found() == "good"
    key_server.publish(key_set(OTHER))
    turnable_clock.advance(minutes=4, seconds=59)
    assert found() == "good"

    turnable_clock.advance(seconds=1)

    assert found() is None
    assert found("other") == "other"
    assert key_server.asked == 2


def test_a_key_that_is_gone_is_refused_when_a_new_one_has_been_looked_for(
    found, key_server, turnable_clock
):
    assert found() == "good"
    key_server.publish(key_set(OTHER))
    turnable_clock.advance(seconds=61)

    assert found("other") == "other"
    assert found() is None


def test_an_address_without_a_key_any_more_has_none(found, key_server, turnable_clock, caplog):
    assert found() == "good"
    key_server.publish({"keys": []})
    turnable_clock.advance(minutes=5)

    assert found() is None
    assert caplog.messages == [failure(key_server.uri, "none is good for a signature here")]


def test_an_unknown_kid_is_looked_for_once_a_minute(found, key_server, turnable_clock):
    assert found() == "good"
    key_server.publish(key_set(GOOD, OTHER))
    for _ in range(3):
        assert found("other") is None
    turnable_clock.advance(seconds=59)
    assert found("other") is None
    assert key_server.asked == 1

    turnable_clock.advance(seconds=2)

    assert found("other") == "other"
    for name in ("x", "y", "z"):
        assert found(name) is None
    assert key_server.asked == 2


def test_an_address_that_failed_is_asked_once_a_minute(found, key_server, turnable_clock, caplog):
    key_server.status = 500
    for number in range(1, 4):
        for _ in range(3):
            assert found() is None
        assert key_server.asked == len(caplog.records) == number
        turnable_clock.advance(seconds=61)

    key_server.status = 200

    assert found() == "good"


def test_keys_of_before_count_while_the_address_fails_for_an_hour(
    found, key_server, turnable_clock, caplog
):
    assert found() == "good"
    key_server.status = 500
    for number in range(1, 12):
        turnable_clock.advance(minutes=5)
        for _ in range(3):
            assert found() == "good"
        assert key_server.asked == 1 + number
        assert caplog.messages == [failure(key_server.uri, "it answered 500")] * number
    turnable_clock.advance(minutes=4, seconds=59)
    assert found() == "good"

    turnable_clock.advance(seconds=1)
    assert found() is None
    turnable_clock.advance(seconds=61)
    assert found() is None

    key_server.status = 200
    turnable_clock.advance(seconds=61)
    assert found() == "good"


@pytest.mark.usefixtures("impatient")
def test_keys_of_before_count_for_the_one_that_asks_while_the_address_hangs(
    found, key_server, turnable_clock, caplog
):
    assert found() == "good"
    turnable_clock.advance(minutes=5)
    key_server.hold()

    assert found() == "good"

    assert caplog.messages == [failure(key_server.uri, "timed out waiting for the host")]


def test_keys_of_a_time_to_come_are_fetched_again(found, key_server, turnable_clock):
    assert found() == "good"
    turnable_clock.advance(hours=-2)

    assert found() == "good"
    assert key_server.asked == 2


def test_keys_stay_when_the_service_starts_again(database, found, client, key_server):
    assert found() == "good"
    key_server.hold()

    assert ClientKeys(local(), database).find(client, ALG, "good").get("kid") == "good"

    assert key_server.asked == 1


def test_a_client_that_is_registered_with_its_keys_is_asked_for_nothing(database, key_server):
    empty = dict.fromkeys(Client.__slots__)
    own = Client(**empty | {"client_id": "c", "redirect_uris": (), "jwks": key_set(GOOD)})
    at = ClientKeys(local(), database)

    assert at.find(own, ALG, "good").thumbprint() == GOOD.thumbprint()
    assert at.find(own, ALG, "other") is None
    assert at.find(client_at(None), ALG, "good") is None
    assert key_server.asked == 0
