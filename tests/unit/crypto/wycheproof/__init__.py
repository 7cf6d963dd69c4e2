"""Vectors of Project Wycheproof for our algorithms; NOTICE says where they come from."""

import json
from pathlib import Path

NAMES = (
    "json_web_signature",
    "json_web_key",
    "rsa_signature_2048_sha256",
    "ecdsa_secp256r1_sha256_p1363",
    "ed25519",
)


def path(name):
    return Path(__file__).parent / f"{name}.json"


def vectors(name):
    """Return pairs of a public key and one of its tests."""
    groups = json.loads(path(name).read_text("utf-8"))
    return [(group["key"], each) for group in groups for each in group["tests"]]
