"""Signing keys at rest: made once, kept, and replaced when the secret was changed."""

import json

import pytest
from sqlalchemy import select, update

from authservice.crypto.server_secret import ServerSecret
from authservice.models import jwks
from authservice.services.keys.signing_keys import KeysNotReadyError, SigningKeys
from tests.helpers.applications import ROTATION

OLD, NEW = b"o" * 32, b"n" * 32


def _rows(database):
    return database.reader.execute(select(jwks)).all()


def _loaded(database, secret):
    keys = SigningKeys(database, secret, rotation=ROTATION)
    keys.load()
    return keys


@pytest.mark.usefixtures("clients_of_all_algs")
def test_three_keys_are_made_and_published_rs256_first(database):
    keys = _loaded(database, ServerSecret(OLD))

    published = json.loads(keys.document)["keys"]
    assert [key["alg"] for key in published] == ["RS256", "ES256", "EdDSA"]
    assert {row.id for row in _rows(database)} == {key["kid"] for key in published}
    assert not {"d", "p", "q"}.intersection(*published)


def test_keys_that_could_not_be_loaded_at_the_start_are_loaded_when_needed(database):
    keys = SigningKeys(database, ServerSecret(OLD), rotation=ROTATION)

    token = keys.sign({"sub": "u"}, alg="ES256", typ="JWT")

    assert keys.verify(token, typ="JWT") == {"sub": "u"}
    assert keys.verify(token, typ="at+jwt") is None


def test_nothing_private_is_stored_in_clear(database):
    _loaded(database, ServerSecret(OLD))

    for row in _rows(database):
        assert "{" not in row.private_key
        assert not {"d", "p", "q"}.intersection(json.loads(row.public_key))


@pytest.mark.requirement("OIDC-CORE-10.1.1-1")
def test_under_a_new_secret_new_keys_sign_and_the_old_ones_still_verify(database):
    old = _loaded(database, ServerSecret(OLD))
    token = old.sign({"sub": "u"}, alg="RS256", typ="JWT")

    new = _loaded(database, ServerSecret(NEW))

    assert len(_rows(database)) == 6
    assert new.verify(token, typ="JWT") == {"sub": "u"}
    assert old.verify(new.sign({}, alg="RS256", typ="JWT"), typ="JWT") is None
    assert [key["alg"] for key in json.loads(new.document)["keys"]][:2] == ["RS256", "RS256"]


def test_a_single_key_that_cannot_be_opened_is_replaced_alone(database):
    _loaded(database, ServerSecret(OLD))
    kid = next(row.id for row in _rows(database) if '"ES256"' in row.public_key)
    with database.transaction() as connection:
        connection.execute(update(jwks).where(jwks.c.id == kid).values(private_key="spoiled"))

    keys = _loaded(database, ServerSecret(OLD))

    assert len(_rows(database)) == 4
    for alg in ("RS256", "ES256", "EdDSA"):
        assert keys.verify(keys.sign({}, alg=alg, typ="JWT"), typ="JWT") == {}


@pytest.mark.parametrize("algs", [["RS256"], ["RS256", "EdDSA"]])
def test_only_missing_kinds_are_added(database, algs):
    _loaded(database, ServerSecret(OLD))
    with database.transaction() as connection:
        for row in _rows(database):
            if json.loads(row.public_key)["alg"] not in algs:
                connection.execute(jwks.delete().where(jwks.c.id == row.id))
    kept = {row.id for row in _rows(database)}

    _loaded(database, ServerSecret(OLD))

    assert len(_rows(database)) == 3
    assert kept < {row.id for row in _rows(database)}


@pytest.mark.engines("sqlite")
def test_a_request_that_holds_the_write_lock_does_not_wait_for_ever_for_the_first_keys(database):
    keys = SigningKeys(database, ServerSecret(OLD), rotation=ROTATION)

    with database.transaction(), pytest.raises(KeysNotReadyError):
        keys.sign({}, alg="ES256", typ="JWT")

    keys.wait()
    assert keys.sign({}, alg="ES256", typ="JWT")
    assert len(_rows(database)) == 3
