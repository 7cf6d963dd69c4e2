"""Clients with keys, as commands register, show and change them."""

import json

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.crypto import base64url
from authservice.models import oauth_client
from tests.helpers.client_assertion import key_set, new_key

pytestmark = pytest.mark.usefixtures("found_by_commands")

NOTES = "https://notes.example.com"
URI = "https://backup.example.com/jwks"
MACHINE = ("oauth:register", "--machine", "--name", "Backup", "--resource", NOTES)
APPLICATION = ("oauth:register", "--name", "App", "--redirect-uri", "https://app.example.com/cb")


@pytest.fixture
def written(tmp_path):
    def written(content, name="keys.json"):
        file = tmp_path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return str(file)

    return written


@pytest.fixture
def row(database):
    columns = oauth_client.c
    statement = select(columns.client_secret, columns.previous_client_secret, columns.jwks)
    statement = statement.add_columns(columns.jwks_uri, columns.token_endpoint_auth_method)
    return lambda: tuple(database.reader.execute(statement).one())


@pytest.mark.parametrize("kind", [MACHINE, APPLICATION])
def test_a_client_with_keys_gets_no_secret(printed, written, row, kind):
    keys = key_set(new_key("RS256", kid="one"), new_key())
    noise = {"x5c": ["MIIB"], "use": "sig", "key_ops": ["verify"], "alg": "PS256"}
    # As some programs write what they have no value for.
    empty = {"kid": None, "alg": "", "use": None, "key_ops": [], "oth": [], "d": None}
    published = {"keys": [keys["keys"][0] | noise, keys["keys"][1] | empty], "issuer": "other"}

    output = printed(authservice, *kind, "--jwks", written(published))

    assert output.out.startswith("client_id: ")
    assert "secret" not in output.out + output.err
    first, second = keys["keys"]
    stored = {"keys": [first | {"alg": "PS256"}, second]}
    assert row() == (None, None, stored, None, "private_key_jwt")
    (shown,) = json.loads(printed(authservice, "clients", "list", "--json").out)
    assert (shown["jwks"], shown["token_endpoint_auth_method"]) == (stored, "private_key_jwt")
    lines = printed(authservice, "clients", "show", shown["client_id"]).out.splitlines()
    (line,) = [line for line in lines if line.startswith("jwks: ")]
    assert json.loads(line.removeprefix("jwks: ")) == stored


def test_its_keys_may_be_at_an_address(printed, row):
    shown = json.loads(printed(authservice, *MACHINE, "--jwks-uri", URI, "--json").out)

    assert shown["jwks_uri"] == URI
    assert "client_secret" not in shown
    assert row() == (None, None, None, URI, "private_key_jwt")


def of(key, **changes):
    return {"keys": [key_set(key)["keys"][0] | changes]}


def number(octets):
    return base64url.encode(b"\x01" + bytes(octets - 1))


def test_keys_that_cannot_prove_anything_are_refused(subtests, written, row, database):
    rsa, p256, ed25519 = (new_key(alg, kid="one") for alg in ("RS256", "ES256", "EdDSA"))
    a_set = 'it must be a JSON Web Key Set, {"keys": [...]}'
    for content, reason in (
        ("-----BEGIN PUBLIC KEY-----", a_set),
        ("[" * 100_000, "and is no JSON"),
        ("[]", a_set),
        (key_set(rsa)["keys"][0], a_set),
        ({"keys": {}}, a_set),
        ({"keys": []}, "jwks: the set holds no key"),
        ({"keys": key_set(rsa)["keys"] * 10_000}, "must not hold more than 100 keys"),
        ({"keys": ["x"]}, "key 1 must be a JSON object"),
        ({"keys": [rsa.export(as_dict=True)]}, "key 1 is private or shared"),
        ({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}, "key 1 is private or shared"),
        ({"keys": [{"kty": "EC", "crv": "P-384"}]}, "key 1 must be of type RSA, of type EC on"),
        ({"keys": [{"kty": ["RSA"]}]}, "key 1 must be of type RSA"),
        ({"keys": [{"kty": "RSA", "crv": {}}]}, "key 1 must be of type RSA"),
        (of(ed25519, crv="X25519"), "key 1 must be of type RSA"),
        (of(rsa, alg="RS512"), "key 1 must be for RS256 or PS256, if it names an alg"),
        (of(p256, alg="RS256"), "key 1 must be for ES256, if it names an alg"),
        (of(rsa, use="enc"), "key 1 must be for signatures (use: sig)"),
        (of(rsa, key_ops=["sign"]), "key 1 must be for verifying (key_ops: verify)"),
        (of(rsa, key_ops="verify"), "key 1 must be for verifying (key_ops: verify)"),
        (of(rsa, kid="x" * 257), "key 1 must have a kid of 1 to 256 characters, or none"),
        (of(rsa, kid=1), "key 1 must have a kid of 1 to 256 characters, or none"),
        (of(rsa, n=number(128)), "key 1 must have 2048 to 8192 bits"),
        (of(rsa, n=number(1100)), "key 1 must have 2048 to 8192 bits"),
        (of(rsa, e=number(8)), "key 1 must have an exponent of at most 32 bits"),
        (of(rsa, e="AA"), "key 1 has numbers that are no key of type RSA"),
        (of(rsa, n=1), "key 1 has numbers that are no key of type RSA"),
        (of(p256, x="A" * 43), "key 1 has numbers that are no key of type EC"),
        (of(p256, x="AAAA"), "key 1 must have coordinates of 32 octets"),
        (of(ed25519, x="AAAA"), "key 1 must have coordinates of 32 octets"),
        ({"keys": key_set(rsa, rsa)["keys"]}, "key 2 must have a kid of its own"),
        ({"keys": key_set(new_key(), new_key())["keys"]}, "key 2 must have a kid of its own"),
    ):
        with subtests.test(reason=reason), pytest.raises(SystemExit) as stop:
            authservice([*MACHINE, "--jwks", written(content)])
        assert reason in stop.value.code
        assert "\n" not in stop.value.code
    assert database.reader.execute(select(oauth_client)).all() == []


def test_other_mistakes_are_named(subtests, written, tmp_path):
    keys = written(key_set(new_key()))
    for command, flags, reason in (
        (MACHINE, ("--jwks", str(tmp_path / "none.json")), "none.json' cannot be read: No such"),
        (MACHINE, ("--jwks", str(tmp_path)), "cannot be read: Is a directory"),
        (MACHINE, ("--jwks-uri", "http://backup.example.com/jwks"), "must use https unless"),
        (MACHINE, ("--jwks-uri", "com.example.app:/jwks"), "must be an https address"),
        (MACHINE, ("--jwks-uri", "/jwks"), "must be an absolute URI"),
        (MACHINE, ("--jwks-uri", f"{URI}#one"), "must not have a fragment"),
        (MACHINE, ("--jwks-uri", "https://me:pw@backup.example.com/"), "user information"),
        (MACHINE, ("--jwks", keys, "--jwks-uri", URI), "jwks and jwks_uri exclude each other"),
        (APPLICATION, ("--public", "--jwks", keys), "a public client can keep no key"),
        (APPLICATION, ("--public", "--jwks-uri", URI), "a public client can keep no key"),
    ):
        with subtests.test(flags=flags), pytest.raises(SystemExit) as stop:
            authservice([*command, *flags])
        assert reason in stop.value.code


@pytest.mark.attack("TOKENS-key-confusion")
def test_keys_take_the_place_of_a_secret_and_of_others(printed, written, row, relying_party):
    update = ("clients", "update", relying_party.client_id)
    printed(authservice, "clients", "rotate-secret", update[2], "--overlap", "100")
    first, second = key_set(new_key()), key_set(new_key("ES256"))

    said = printed(authservice, *update, "--jwks", written(first)).err
    assert "The client's secret no longer works: it has keys now.\n" in said
    assert row() == (None, None, first, None, "private_key_jwt")

    said = printed(authservice, *update, "--jwks", written(second)).err
    assert "secret" not in said
    assert row() == (None, None, second, None, "private_key_jwt")

    printed(authservice, *update, "--jwks-uri", URI)
    assert row() == (None, None, None, URI, "private_key_jwt")

    printed(authservice, *update, "--name", "Other")
    assert row() == (None, None, None, URI, "private_key_jwt")

    with pytest.raises(
        SystemExit, match="the client has no secret: it proves itself with its keys"
    ):
        authservice(["clients", "rotate-secret", relying_party.client_id])
    for flags in (("--jwks", written(first), "--jwks-uri", URI), ("--jwks-uri", "")):
        with pytest.raises(SystemExit):
            authservice([*update, *flags])
    assert row() == (None, None, None, URI, "private_key_jwt")
