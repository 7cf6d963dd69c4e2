"""A signature and what surrounds it have one form: whatever else stands for the same is refused.

Every forgery here is one that keeps the numbers of a good signature, or is signed by the key.
"""

import base64
import json

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from authservice.crypto import jwt, signatures, signing_keys
from authservice.crypto.algorithms import ALGORITHMS

CLAIMS = {"sub": "user"}
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ED25519_ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.fixture(scope="module")
def keys():
    return {alg: signing_keys.generate(alg, f"kid-{alg}") for alg in ALGORITHMS}


@pytest.fixture(scope="module")
def public(keys):
    return signing_keys.verification_keys(map(signing_keys.public_jwk, keys.values()))


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def octets_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_accepted(token, public):
    return jwt.verify(token, public, typ="JWT") is not None


def resigned(key, change):
    """Return a token of this key with the octets of its signature changed."""
    token = jwt.sign(CLAIMS, key, typ="JWT")
    assert is_accepted(token, {key.kid: key.jwk})
    content, _, signature = token.rpartition(".")
    return f"{content}.{encoded(change(octets_of(signature)))}"


def signed(key, header, payload=b'{"sub":"user"}'):
    """Return a token with a header as it is written here, signed by this key."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = f"{encoded(raw)}.{encoded(payload)}"
    signature = JWA.signing_alg(key.alg).sign(key.jwk, content.encode())
    return f"{content}.{encoded(signature)}"


def two(number):
    """Return r and s as octets, both the same number."""
    return number.to_bytes(32) * 2


LENGTHS = {
    "a zero octet before each half": lambda value: b"\0" + value[:32] + b"\0" + value[32:],
    "128 octets": lambda value: bytes(32) + value[:32] + bytes(32) + value[32:],
    "an octet behind": lambda value: value + b"\0",
    "an octet before": lambda value: b"\0" + value,
    "an octet less": lambda value: value[:-1],
    "nothing but the first half": lambda value: value[: len(value) // 2],
    "twice": lambda value: value * 2,
    "nothing": lambda _value: b"",
}


@pytest.mark.attack("TOKENS-signature-form")
def test_a_signature_of_another_length_is_refused(subtests, keys, public):
    for alg in ALGORITHMS:
        for case, change in LENGTHS.items():
            with subtests.test(case, alg=alg):
                assert not is_accepted(resigned(keys[alg], change), public)


RANGES = {
    "r and s are 0": lambda _value: two(0),
    "r and s are n": lambda _value: two(P256_ORDER),
    "r and s are n - 1": lambda _value: two(P256_ORDER - 1),
    "r and s are 1": lambda _value: two(1),
    "r is 0": lambda value: bytes(32) + value[32:],
    "s is 0": lambda value: value[:32] + bytes(32),
    "all bits": lambda _value: b"\xff" * 64,
}


@pytest.mark.attack("TOKENS-signature-form")
def test_an_es256_value_out_of_range_is_refused(subtests, keys, public):
    for case, change in RANGES.items():
        with subtests.test(case):
            assert not is_accepted(resigned(keys["ES256"], change), public)


@pytest.mark.attack("TOKENS-signature-form")
def test_an_es256_value_in_der_is_refused(keys, public):
    def der(value):
        numbers = [b"\0" + half if half[0] & 0x80 else half for half in (value[:32], value[32:])]
        content = b"".join(b"\x02" + bytes([len(number)]) + number for number in numbers)
        return b"\x30" + bytes([len(content)]) + content

    assert not is_accepted(resigned(keys["ES256"], der), public)


@pytest.mark.attack("TOKENS-signature-form")
def test_an_eddsa_value_beyond_the_order_is_refused(keys, public):
    def beyond(value):
        return value[:32] + (int.from_bytes(value[32:], "little") + ED25519_ORDER).to_bytes(
            32, "little"
        )

    assert not is_accepted(resigned(keys["EdDSA"], beyond), public)


@pytest.mark.attack("TOKENS-signature-form")
def test_an_rs256_value_beyond_the_modulus_is_refused(keys, public):
    modulus = int.from_bytes(octets_of(signing_keys.public_jwk(keys["RS256"])["n"]))

    def beyond(value):
        return (int.from_bytes(value) + modulus).to_bytes(257)

    assert not is_accepted(resigned(keys["RS256"], beyond), public)
    assert not is_accepted(resigned(keys["RS256"], lambda _value: b"\xff" * 256), public)


@pytest.mark.attack("TOKENS-signature-form")
@pytest.mark.parametrize("alg", ALGORITHMS)
def test_no_other_text_stands_for_the_same_token(keys, public, alg):
    # {"a":1} and the signatures leave bits over that no octet takes up.
    token = jwt.sign({"a": 1}, keys[alg], typ="JWT")
    assert is_accepted(token, public)

    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet.index(token[-1])
    others = [token[:-1] + alphabet[last | bit] for bit in (1, 2, 4, 8) if last | bit != last]
    others += [token + "=", token + "==", token + "\n", token + " ", f" {token}", token + "."]
    others += [token.replace(".", ".\n"), token.replace(".", "=."), token.replace(".", "..", 1)]
    for other in others:
        assert not is_accepted(other, public), other


HEADERS = {
    "crit is empty": {"crit": []},
    "crit is null": {"crit": None},
    "crit is no list": {"crit": "exp"},
    "crit names what is there": {"crit": ["exp"], "exp": 1},
    "crit names what is not there": {"crit": ["exp"]},
    "crit names a header of the standard": {"crit": ["alg"]},
    "crit names another header of the standard": {"crit": ["kid"]},
    "crit names one twice": {"crit": ["b64", "b64"], "b64": True},
    "b64 is true": {"crit": ["b64"], "b64": True},
    "b64 is false": {"crit": ["b64"], "b64": False},
    "b64 alone": {"b64": False},
    "cty": {"cty": "JWT"},
    "zip": {"zip": "DEF"},
    "jku": {"jku": "https://evil.example/jwks"},
    "x5c": {"x5c": []},
    "an unknown name": {"urn:example": 1},
    "ALG": {"ALG": "none"},
}


@pytest.mark.attack("TOKENS-critical")
def test_a_header_that_we_do_not_write_is_refused_though_our_key_signed_it(subtests, keys, public):
    for alg in ALGORITHMS:
        for case, change in HEADERS.items():
            with subtests.test(case, alg=alg):
                header = {"alg": alg, "kid": f"kid-{alg}", "typ": "JWT"}
                assert is_accepted(signed(keys[alg], header), public)

                assert not is_accepted(signed(keys[alg], header | change), public)


WRITINGS = {
    "alg twice": b'{"alg":"none","alg":"ES256","kid":"kid-ES256","typ":"JWT"}',
    "kid twice": b'{"alg":"ES256","kid":"a","kid":"kid-ES256","typ":"JWT"}',
    "typ twice": b'{"alg":"ES256","kid":"kid-ES256","typ":"at+jwt","\\u0074yp":"JWT"}',
    "a byte order mark": b'\xef\xbb\xbf{"alg":"ES256","kid":"kid-ES256","typ":"JWT"}',
    "UTF-16": '{"alg":"ES256","kid":"kid-ES256","typ":"JWT"}'.encode("utf-16"),
    "something behind": b'{"alg":"ES256","kid":"kid-ES256","typ":"JWT"} {}',
    "a list": b'["alg","kid","typ"]',
    "brackets without end": b"[" * 20_000,
    "objects without end": b'{"alg":' * 20_000,
    "no UTF-8": b'{"alg":"ES256","kid":"kid-ES256","typ":"JWT\xff"}',
}


@pytest.mark.attack("TOKENS-signature-form")
def test_a_header_that_two_readers_could_read_differently_is_refused(subtests, keys, public):
    for case, header in WRITINGS.items():
        with subtests.test(case):
            token = signed(keys["ES256"], header)

            assert not is_accepted(token, public)
            assert jwt.key_id(token) in {None, "kid-ES256"}


@pytest.mark.attack("TOKENS-signature-form")
def test_claims_that_two_readers_could_read_differently_are_refused(subtests, keys, public):
    for payload in (
        b'{"sub":"a","sub":"b"}',
        b'{"exp":NaN}',
        b'{"exp":Infinity}',
        b'{"exp":' + b"9" * 5000 + b"}",
        b"[" * 20_000,
        b'\xef\xbb\xbf{"sub":"a"}',
    ):
        with subtests.test(payload=payload):
            header = {"alg": "ES256", "kid": "kid-ES256", "typ": "JWT"}

            assert not is_accepted(signed(keys["ES256"], header, payload), public)


def is_accepted_under(key, members):
    """Tell whether a token of this key is accepted with its published half written like this."""
    token = jwt.sign(CLAIMS, key, typ="JWT")
    try:
        public = {key.kid: JWK(**members)}
    except Exception:  # noqa: BLE001  (the library refuses some by itself, each in its own way)
        return False
    return is_accepted(token, public)


@pytest.mark.attack("TOKENS-signature-form")
def test_a_key_with_octets_to_spare_verifies_nothing(subtests, keys):
    for alg, name in (
        ("RS256", "n"),
        ("RS256", "e"),
        ("ES256", "x"),
        ("ES256", "y"),
        ("EdDSA", "x"),
    ):
        with subtests.test(alg=alg, name=name):
            members = signing_keys.public_jwk(keys[alg])
            assert is_accepted_under(keys[alg], members)

            padded = encoded(b"\0" + octets_of(members[name]))
            assert not is_accepted_under(keys[alg], members | {name: padded})
            assert not is_accepted_under(keys[alg], members | {name: members[name] + "="})


@pytest.mark.attack("TOKENS-signature-form")
def test_a_key_for_another_use_verifies_nothing(subtests, keys):
    for alg in ALGORITHMS:
        for change in ({"use": "enc"}, {"key_ops": ["encrypt"]}, {"key_ops": ["sign"]}):
            with subtests.test(alg=alg, change=change):
                members = signing_keys.public_jwk(keys[alg])
                del members["use"]

                assert is_accepted_under(keys[alg], members | {"key_ops": ["verify"]})
                assert not is_accepted_under(keys[alg], members | change)


@pytest.mark.attack("TOKENS-signature-form")
@pytest.mark.parametrize(
    ("alg", "parameters"),
    [
        ("EdDSA", {"kty": "OKP", "crv": "Ed448"}),
        ("RS256", {"kty": "RSA", "size": 1024}),
        ("RS256", {"kty": "RSA", "size": 2047}),
    ],
)
def test_a_key_of_another_curve_or_size_verifies_nothing(alg, parameters):
    key = signing_keys.SigningKey(JWK.generate(kid="kid", alg=alg, use="sig", **parameters))

    assert not is_accepted(jwt.sign(CLAIMS, key, typ="JWT"), {"kid": key.jwk})


@pytest.mark.attack("TOKENS-signature-form")
@pytest.mark.requirement("RFC7523-3-8")
def test_a_ps256_signature_has_the_padding_of_its_standard(subtests):
    """RFC 7518, section 3.5: the hash for the mask and the length of the salt are given."""
    key = rsa.generate_private_key(65537, 2048)
    public = JWK.from_pyca(key.public_key()).export(as_dict=True) | {"alg": "PS256"}
    sha256, sha1 = hashes.SHA256(), hashes.SHA1()
    for case, hashed, mask, salt, change, accepted in (
        ("as it should be", sha256, sha256, 32, None, True),
        ("a short salt", sha256, sha256, 20, None, False),
        ("a long salt", sha256, sha256, 64, None, False),
        ("no salt", sha256, sha256, 0, None, False),
        ("another mask", sha256, sha1, 32, None, False),
        ("another hash", sha1, sha256, 32, None, False),
        *((case, sha256, sha256, 32, change, False) for case, change in LENGTHS.items()),
    ):
        with subtests.test(case):
            padded = padding.PSS(padding.MGF1(mask), salt)
            signature = key.sign(b"content", padded, hashed)
            signature = change(signature) if change else signature

            try:
                signatures.check("PS256", JWK(**public), b"content", signature)
            except ValueError:
                assert not accepted
            else:
                assert accepted
