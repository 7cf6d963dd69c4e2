"""Wycheproof's vectors over our verification: known forgeries and edge cases of each algorithm.

One that is called acceptable is a signature in a form that the standard only tolerates: refused.
"""

import pytest
from jwcrypto.common import JWException
from jwcrypto.jwk import JWK

from authservice.crypto import base64url, jwt, signatures
from tests.unit.crypto.wycheproof import NAMES, vectors


def _octets(number):
    """Return a number in hexadecimal as a Base64urlUInt."""
    return base64url.encode(bytes.fromhex(number).lstrip(b"\0"))


def _rsa(key, test):
    members = {"kty": "RSA", "n": _octets(key["modulus"]), "e": _octets(key["publicExponent"])}
    _check("RS256", members, test)


def _p256(key, test):
    point = bytes.fromhex(key["uncompressed"])[1:]
    halves = {"x": base64url.encode(point[:32]), "y": base64url.encode(point[32:])}
    _check("ES256", {"kty": "EC", "crv": "P-256"} | halves, test)


def _ed25519(key, test):
    point = base64url.encode(bytes.fromhex(key["pk"]))
    _check("EdDSA", {"kty": "OKP", "crv": "Ed25519", "x": point}, test)


def _check(alg, members, test):
    content, signature = bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"])
    signatures.check(alg, JWK(alg=alg, **members), content, signature)


def _token(key, test):
    jwt._signed_payload(jwt._parse(test["jws"], jwt._understood), JWK(**key))


# The key of a generator that made weak ones, known by its modulus. This service reads no keys but
# those that it made itself.
OF_A_WEAK_GENERATOR = ("json_web_key", 7)
CHECKS = dict(zip(NAMES, (_token, _token, _rsa, _p256, _ed25519), strict=True))


def _is_accepted(check, key, test):
    try:
        check(key, test)
    except (JWException, ValueError):
        return False
    return True


@pytest.mark.attack("TOKENS-signature-form")
def test_what_is_valid_is_accepted_and_nothing_else(subtests):
    for name in NAMES:
        with subtests.test(name=name):
            found = [
                each for each in vectors(name) if (name, each[1]["tcId"]) != OF_A_WEAK_GENERATOR
            ]

            wrong = [
                test["tcId"]
                for key, test in found
                if _is_accepted(CHECKS[name], key, test) != (test["result"] == "valid")
            ]

            assert wrong == []
            assert {test["result"] for _, test in found} >= {"valid", "invalid"}
