"""JWTs: accepted only with the expected kind, key and algorithm."""

import base64
import hashlib
import hmac
import json

import pytest
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from authservice.crypto import jwt, signing_keys
from authservice.crypto.algorithms import ALGORITHMS

CLAIMS = {"sub": "user", "n": [1, 2]}


@pytest.fixture(scope="module")
def keys():
    return {alg: signing_keys.generate(alg, f"kid-{alg}") for alg in ALGORITHMS}


@pytest.fixture(scope="module")
def public(keys):
    return signing_keys.verification_keys(map(signing_keys.public_jwk, keys.values()))


def _encode(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _forged(header, key=None, alg=None, payload=None):
    """Return a JWT with any header, signed with any key."""
    raw = json.dumps(CLAIMS) if payload is None else payload
    if key is None:
        return f"{_encode(header)}.{_encode(raw.encode())}."
    token = JWS(raw)
    token.allowed_algs = [alg or header["alg"]]
    token.add_signature(key, alg=alg, protected=json.dumps(header))
    return token.serialize(compact=True)


@pytest.mark.parametrize("alg", ALGORITHMS)
def test_a_jwt_comes_back_as_it_was_signed(keys, public, alg):
    token = jwt.sign(CLAIMS, keys[alg], typ="JWT")

    header = json.loads(base64.urlsafe_b64decode(token.split(".")[0] + "=="))
    assert header == {"alg": alg, "kid": f"kid-{alg}", "typ": "JWT"}
    assert jwt.verify(token, public, typ="JWT") == CLAIMS
    assert jwt.verify(token, public, typ="jwt") == CLAIMS


@pytest.mark.attack("TOKENS-kind")
@pytest.mark.requirement("RFC9068-5-1", "OIDC-CORE-16.11-1", "OIDC-BCLOGOUT-4.1-1")
@pytest.mark.parametrize("alg", ALGORITHMS)
def test_a_jwt_of_another_kind_is_refused(keys, public, alg):
    kinds = ("JWT", "at+jwt", "session+jwt", "logout+jwt")
    for made in kinds:
        token = jwt.sign(CLAIMS, keys[alg], typ=made)
        for wanted in kinds:
            assert (jwt.verify(token, public, typ=wanted) is not None) is (made == wanted)


def test_a_kind_that_is_missing_or_no_text_is_refused(subtests, keys, public):
    for typ in (None, 1, ["JWT"], {}, "application/JWT"):
        with subtests.test(typ=typ):
            header = {"alg": "ES256", "kid": "kid-ES256", "typ": typ}
            if typ is None:
                del header["typ"]

            assert jwt.verify(_forged(header, keys["ES256"].jwk), public, typ="JWT") is None


@pytest.mark.attack("TOKENS-alg-none")
@pytest.mark.requirement("RFC9068-2.1-3")
def test_an_unsigned_jwt_is_refused(subtests, public):
    for alg in ("none", "None", "NONE", "nOnE", ""):
        with subtests.test(alg=alg):
            token = _forged({"alg": alg, "kid": "kid-RS256", "typ": "JWT"})

            assert jwt.verify(token, public, typ="JWT") is None
            assert jwt.verify(token[:-1], public, typ="JWT") is None
            assert jwt.verify(f"{token}AAAA", public, typ="JWT") is None


@pytest.mark.attack("TOKENS-hs256")
def test_a_signature_with_the_public_key_as_a_shared_secret_is_refused(keys, public):
    header = {"alg": "HS256", "kid": "kid-RS256", "typ": "JWT"}
    signed = f"{_encode(header)}.{_encode(CLAIMS)}"
    published = signing_keys.public_jwk(keys["RS256"])
    for shared in (keys["RS256"].jwk.export_to_pem(), json.dumps(published).encode()):
        code = hmac.digest(shared, signed.encode(), hashlib.sha256)

        assert jwt.verify(f"{signed}.{_encode(code)}", public, typ="JWT") is None


@pytest.mark.attack("TOKENS-embedded-jwk")
@pytest.mark.parametrize("kid", ["kid-RS256", "attacker", None])
def test_a_key_inside_the_token_has_no_effect(public, kid):
    own = JWK.generate(kty="RSA", size=2048)
    header = {"alg": "RS256", "typ": "JWT", "jwk": own.export_public(as_dict=True)}
    header |= {"jku": "https://evil.example/jwks", "x5u": "https://evil.example/x"}
    if kid:
        header["kid"] = kid

    assert jwt.verify(_forged(header, own), public, typ="JWT") is None


@pytest.mark.attack("TOKENS-kid")
def test_a_key_id_that_is_not_ours_is_refused(subtests, keys, public):
    for kid in (
        "",
        "unknown",
        "../kid-RS256",
        "kid-RS256\x00",
        "KID-RS256",
        1,
        None,
        ["kid-RS256"],
        {},
    ):
        with subtests.test(kid=kid):
            token = _forged({"alg": "RS256", "kid": kid, "typ": "JWT"}, keys["RS256"].jwk)

            assert jwt.verify(token, public, typ="JWT") is None


@pytest.mark.attack("TOKENS-kid")
@pytest.mark.requirement("OIDC-CORE-10.1-2")
def test_the_key_id_decides_the_algorithm(keys, public):
    for alg in ALGORITHMS:
        for named in ALGORITHMS:
            token = _forged({"alg": alg, "kid": f"kid-{named}", "typ": "JWT"}, keys[alg].jwk)
            assert (jwt.verify(token, public, typ="JWT") is not None) is (alg == named)


@pytest.mark.parametrize("alg", ["RS384", "RS512", "PS256"])
def test_another_algorithm_of_the_same_key_is_refused(keys, public, alg):
    members = keys["RS256"].jwk.export_private(as_dict=True)
    del members["alg"]
    header = {"alg": alg, "kid": "kid-RS256", "typ": "JWT"}

    assert jwt.verify(_forged(header, JWK(**members), alg), public, typ="JWT") is None


@pytest.mark.requirement("OIDC-CORE-16.3-1")
def test_a_foreign_signature_is_refused(public):
    other = signing_keys.generate("ES256", "kid-ES256")

    assert jwt.verify(jwt.sign(CLAIMS, other, typ="JWT"), public, typ="JWT") is None


def test_a_payload_that_is_no_object_is_refused(subtests, keys, public):
    for payload in ("[]", '"text"', "1", "null", "{", "not json"):
        with subtests.test(payload=payload):
            header = {"alg": "ES256", "kid": "kid-ES256", "typ": "JWT"}

            assert (
                jwt.verify(_forged(header, keys["ES256"].jwk, None, payload), public, typ="JWT")
                is None
            )


def test_junk_is_no_jwt(subtests, public):
    for token in (
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "a.b.c.d.e",
        "{}",
        "ä.ä.ä",
        "\x00",
        "e30.e30.e30",
        "[]",
    ):
        with subtests.test(token=token):
            assert jwt.verify(token, public, typ="JWT") is None


def test_a_jwt_in_json_form_is_refused(keys, public):
    token = JWS(json.dumps(CLAIMS))
    header = {"alg": "ES256", "kid": "kid-ES256", "typ": "JWT"}
    token.add_signature(keys["ES256"].jwk, protected=json.dumps(header))
    token.add_signature(keys["ES256"].jwk, protected=json.dumps(header))

    assert jwt.verify(token.serialize(), public, typ="JWT") is None


@pytest.mark.requirement("OIDC-CORE-3.1.3.6-1")
@pytest.mark.parametrize(
    ("alg", "name"), [("RS256", "sha256"), ("ES256", "sha256"), ("EdDSA", "sha512")]
)
def test_the_half_hash_is_that_of_the_algorithm(alg, name):
    hashed = hashlib.new(name, b"access token").digest()

    assert jwt.half_hash(alg, "access token") == _encode(hashed[: len(hashed) // 2])


def test_the_key_that_a_token_names_is_known_without_verifying_it(keys):
    assert jwt.key_id(jwt.sign({}, keys["ES256"], typ="JWT")) == keys["ES256"].kid
    assert jwt.key_id(jwt.sign({}, keys["ES256"], typ="JWT")[:-8] + "AAAAAAAA") == keys["ES256"].kid


def test_what_names_no_key_names_none(subtests):
    for token in ("", "junk", "a.b.c", "e30.e30.AAAA", "eyJraWQiOjF9.e30.AAAA"):
        with subtests.test(token=token):
            assert jwt.key_id(token) is None
