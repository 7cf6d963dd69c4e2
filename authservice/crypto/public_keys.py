"""Public keys of others, in a JSON Web Key Set (RFC 7517, section 5).

There is one rule of which keys are good for a signature that this service accepts. A set that is
registered has to hold nothing else, and of one that is fetched no other key is kept.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from jwcrypto.common import JWException
from jwcrypto.jwk import JWK

from authservice.crypto import base64url, signatures

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA", "Ed25519")
"""Those that others may sign with; the last two are one (RFC 9864, section 2.2)."""

KeySet = Mapping[str, Any]
PublicKey: TypeAlias = JWK

_MOST_KEYS = 100
_LONGEST_KID = 256
# What else a modulus or an exponent might be would only make it slow to verify a signature.
_MOST_RSA_BITS = 8192
_MOST_EXPONENT_BITS = 32
# Of a coordinate, on both curves (RFC 7518, section 6.2.1.2; RFC 8037, section 2).
_OCTETS = 32

# The type and curve of a key, and what it may sign with.
_KINDS: dict[tuple[str, str | None], tuple[str, ...]] = {
    ("RSA", None): ("RS256", "PS256"),
    ("EC", "P-256"): ("ES256",),
    ("OKP", "Ed25519"): ("EdDSA",),
}
_NUMBERS = ("kty", "crv", "n", "e", "x", "y")
_PUBLIC = (*_NUMBERS, "kid", "alg")
_A_SET = 'it must be a JSON Web Key Set, {"keys": [...]} (RFC 7517, section 5)'
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def problems_with(content: object) -> Iterator[str]:
    """Yield what is wrong with a key set of which every key is to be good, a sentence a fault."""
    try:
        keys = _keys(content)
    except ValueError as error:
        yield str(error)
        return
    if not keys:
        yield "the set holds no key"
    good: list[dict[str, Any]] = []
    for number, members in enumerate(keys, 1):
        fault = _fault(members)
        if fault is None and any(_are_alike(members, other) for other in good):
            fault = "must have a kid of its own: another of its kind has the same"
        if fault is None:
            good.append(members)
        else:
            yield f"key {number} {fault}"


def usable(content: object) -> KeySet:
    """Return the good keys of a set, of each only what verifying needs; raises ValueError."""
    good = (members for members in _keys(content) if _fault(members) is None)
    return {"keys": [{name: key[name] for name in _PUBLIC if name in key} for key in good]}


def read(text: bytes) -> object:
    """Return the JSON of a file or an answer; raises ValueError."""
    try:
        return json.loads(text)
    except (RecursionError, ValueError):
        raise ValueError(f"{_A_SET}, and is no JSON") from None


def fitting(key_set: KeySet, alg: str, kid: str | None) -> PublicKey | None:
    """Return the key of a set that a header names, or the only one that its algorithm has.

    The set is one that ``usable`` returned.
    """
    alg = _name(alg)
    found = [
        key
        for key in key_set["keys"]
        if alg in _algorithms(key) and (kid is None or key.get("kid") == kid)
    ]
    return PublicKey(**{**found[0], "alg": alg}) if len(found) == 1 else None


def _keys(content: object) -> list[Any]:
    match content:
        case {"keys": [*keys]}:
            pass
        case _:
            raise ValueError(_A_SET)
    if len(keys) > _MOST_KEYS:
        raise ValueError(f"the set must not hold more than {_MOST_KEYS} keys")
    return [_filled(each) if isinstance(each, dict) else each for each in keys]


def _filled(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members that say something: some programs write all that there are."""
    return {name: value for name, value in members.items() if value not in (None, "", [])}


def _fault(members: object) -> str | None:
    """Return why a key is not good, or None where it is."""
    return next(_faults(members), None) if isinstance(members, dict) else "must be a JSON object"


def _faults(members: dict[str, Any]) -> Iterator[str]:
    if members.keys() & _PRIVATE:
        yield "is private or shared: name the public half only, and tell nobody the other"
    curve = members.get("crv")
    usual = _KINDS.get((str(members.get("kty")), None if curve is None else str(curve)))
    if usual is None:
        yield "must be of type RSA, of type EC on P-256, or of type OKP on Ed25519"
        return
    if "alg" in members and _name(members["alg"]) not in usual:
        yield f"must be for {' or '.join(usual)}, if it names an alg"
    if members.get("use", "sig") != "sig":
        yield "must be for signatures (use: sig)"
    operations = members.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        yield "must be for verifying (key_ops: verify)"
    kid = members.get("kid", "-")
    if not (isinstance(kid, str) and 0 < len(kid) <= _LONGEST_KID):
        yield f"must have a kid of 1 to {_LONGEST_KID} characters, or none"
    try:
        yield from _faults_of_numbers(members)
    except (JWException, ArithmeticError, KeyError, TypeError, ValueError):
        yield f"has numbers that are no key of type {members['kty']}"


def _faults_of_numbers(members: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the numbers of a key; raises where they are none."""
    if members["kty"] == "RSA":
        bits = signatures.number(members, "n").bit_length()
        if not signatures.RSA_BITS <= bits <= _MOST_RSA_BITS:
            yield f"must have {signatures.RSA_BITS} to {_MOST_RSA_BITS} bits"
        if signatures.number(members, "e").bit_length() > _MOST_EXPONENT_BITS:
            yield f"must have an exponent of at most {_MOST_EXPONENT_BITS} bits"
    elif any(len(base64url.decode(members[name])) != _OCTETS for name in {"x", "y"} & {*members}):
        yield f"must have coordinates of {_OCTETS} octets"
    JWK(**{name: members[name] for name in _NUMBERS if name in members}).get_op_key("verify")


def _algorithms(key: Mapping[str, Any]) -> tuple[str, ...]:
    usual = _KINDS[key["kty"], key.get("crv")]
    return (_name(key["alg"]),) if "alg" in key else usual


def _name(alg: str) -> str:
    return "EdDSA" if alg == "Ed25519" else alg


def _are_alike(key: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether no header could tell two keys apart."""
    has_same_kid = key.get("kid") == other.get("kid")
    return has_same_kid and not {*_algorithms(key)}.isdisjoint(_algorithms(other))
