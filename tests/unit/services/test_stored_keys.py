"""Stored signing keys: what opens them, and storing them again without losing another's change."""

import pytest

from authservice import clock
from authservice.crypto import signing_keys
from authservice.crypto.server_secret import ServerSecret
from authservice.services.keys import stored_keys

OLD, NEW = b"o" * 32, b"n" * 32


@pytest.fixture
def stored(database):
    """A key that was stored under the old secret."""
    with database.transaction() as connection:
        key = signing_keys.generate("EdDSA", "kid")
        stored_keys.add(connection, key, ServerSecret(OLD), clock.now())
    return only(database)


def only(database):
    (found,) = stored_keys.every(database.reader)
    return found


def test_it_is_known_which_secret_opens_a_key(subtests, stored):
    for current, previous, expected in (
        (OLD, None, "current"),
        (OLD, NEW, "current"),
        (NEW, OLD, "previous"),
        (NEW, None, None),
    ):
        with subtests.test(current=current, previous=previous):
            secret = ServerSecret(current, previous)

            assert stored.stored_with(secret) == expected
            assert (stored.open(secret) is None) is (expected is None)


def test_a_key_is_stored_anew_under_the_current_secret(stored, database):
    with database.transaction() as connection:
        assert stored_keys.store_anew(connection, stored, ServerSecret(NEW, OLD))

    assert only(database).stored_with(ServerSecret(NEW)) == "current"
    assert only(database).public_jwk == stored.public_jwk


def test_what_another_stored_meanwhile_is_kept(stored, database):
    with database.transaction() as connection:
        stored_keys.store_anew(connection, stored, ServerSecret(NEW, OLD))
    kept = only(database)

    with database.transaction() as connection:
        assert not stored_keys.store_anew(connection, stored, ServerSecret(NEW, OLD))

    assert only(database) == kept


def test_what_cannot_be_opened_is_left_as_it_is(stored, database):
    with database.transaction() as connection:
        assert not stored_keys.store_anew(connection, stored, ServerSecret(NEW))

    assert only(database) == stored
