"""Signatures, accepted in the one form that the standard of their algorithm gives them.

The libraries below take more: an ES256 value of any even length, a key with octets to spare, an
EdDSA key on another curve. One signature would have many texts, and only some readers would agree.
"""

from collections.abc import Callable, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from jwcrypto.common import JWException
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from authservice.crypto import base64url

RSA_BITS = 2048
"""The least size of an RSA key (RFC 7518, section 3.3)."""
# RFC 7518, sections 3.4 and 6.2.1.2: each number has as many octets as the curve.
_P256_OCTETS = 32
# The order n of P-256's base point (SEC 2, section 2.4.2); r and s are between 1 and n - 1.
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# RFC 8032, section 5.1: a point has 32 octets, and S is less than the order L.
_ED25519_OCTETS = 32
_ED25519_ORDER = 2**252 + 27742317777372353535851937790883648493


def check(alg: str, key: JWK, content: bytes, signature: bytes) -> None:
    """Raise ValueError unless this key signed the content with this algorithm, its own."""
    _require(key.get("alg") == alg, "the algorithm is not that of the key")
    _require(key.get("use", "sig") == "sig", "the key is for another use (RFC 7517, section 4.2)")
    operations = key.get("key_ops")
    _require(
        operations is None or "verify" in operations,
        "the key is not for verifying (RFC 7517, section 4.3)",
    )
    form = _FORMS.get(alg)
    if form is None:
        raise ValueError("the algorithm is none that this service knows")
    form(key, signature)
    try:
        JWA.signing_alg(alg).verify(key, content, signature)
    except (InvalidSignature, JWException) as error:
        raise ValueError("the signature is not one of this key") from error


def _rsa(key: Mapping[str, Any], signature: bytes) -> None:
    """RFC 7518, sections 3.3 and 3.5: as long as the modulus, and less than it.

    For both paddings RFC 8017 has that, in sections 8.1.2 and 8.2.2.
    """
    _require(key["kty"] == "RSA", "RS256 and PS256 need a key of type RSA")
    modulus = number(key, "n")
    number(key, "e")
    _require(modulus.bit_length() >= RSA_BITS, "an RSA key has 2048 bits or more")
    octets = (modulus.bit_length() + 7) // 8
    _require(len(signature) == octets, "an RSA value has as many octets as the modulus")
    _require(int.from_bytes(signature) < modulus, "an RSA value is less than the modulus")


def _es256(key: Mapping[str, Any], signature: bytes) -> None:
    """RFC 7518, section 3.4: 64 octets, of which r and s take one half each."""
    _require(key["kty"] == "EC" and key["crv"] == "P-256", "ES256 needs a key on P-256")
    for name in ("x", "y"):
        octets = base64url.decode(key[name])
        _require(len(octets) == _P256_OCTETS, "a coordinate on P-256 has 32 octets")
    _require(len(signature) == 2 * _P256_OCTETS, "an ES256 value has 64 octets")
    for half in (signature[:_P256_OCTETS], signature[_P256_OCTETS:]):
        _require(0 < int.from_bytes(half) < _P256_ORDER, "r and s are between 1 and n - 1")


def _eddsa(key: Mapping[str, Any], signature: bytes) -> None:
    """RFC 8037, section 3.1; RFC 8032, section 5.1.7: a point, and S below the order."""
    _require(key["kty"] == "OKP" and key["crv"] == "Ed25519", "EdDSA needs a key on Ed25519")
    _require(len(base64url.decode(key["x"])) == _ED25519_OCTETS, "a key on Ed25519 has 32 octets")
    _require(len(signature) == 2 * _ED25519_OCTETS, "an Ed25519 value has 64 octets")
    scalar = int.from_bytes(signature[_ED25519_OCTETS:], "little")
    _require(scalar < _ED25519_ORDER, "S is less than the order of the group")


_FORMS: dict[str, Callable[[Mapping[str, Any], bytes], None]] = {
    "RS256": _rsa,
    "PS256": _rsa,
    "ES256": _es256,
    "EdDSA": _eddsa,
}


def number(key: Mapping[str, Any], name: str) -> int:
    """Return a Base64urlUInt (RFC 7518, section 2); raises ValueError if it has octets to spare."""
    octets = base64url.decode(key[name])
    _require(octets[:1] not in {b"", b"\0"}, "a number of an RSA key begins with no zero octet")
    return int.from_bytes(octets)


def _require(holds: bool, rule: str) -> None:  # noqa: FBT001  (an assertion that stays)
    if not holds:
        raise ValueError(rule)
