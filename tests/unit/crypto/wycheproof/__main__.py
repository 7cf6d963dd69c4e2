"""Take the vectors of our algorithms over from a copy of Wycheproof.

``go mod download -json github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a`` prints the
folder of such a copy as ``Dir``, checked against the sum of the module. Then, for that folder:
``python -m tests.unit.crypto.wycheproof DIR``.
"""

import json
import sys
from pathlib import Path

from tests.unit.crypto import wycheproof

_ALGORITHMS = {"RS256", "ES256", None}
# What decides whether a signature is good.
_OF_TEST = ("tcId", "result", "jws", "msg", "sig")
# A public key as JWK, and those in the forms of the other files.
_OF_KEY = {"kty", "crv", "kid", "alg", "use", "key_ops", "n", "e", "x", "y"}
_OF_KEY |= {"modulus", "publicExponent", "uncompressed", "pk"}


def _public_key(group):
    """Return the public key of a group, or None if it has none for our algorithms."""
    key = group.get("public") or group.get("publicKey")
    if key and "keys" in key:
        (key,) = key["keys"]
    return key if key and key.get("alg") in _ALGORITHMS else None


def _group(key, tests):
    return {
        "key": {name: key[name] for name in key if name in _OF_KEY},
        "tests": [{name: each[name] for name in _OF_TEST if name in each} for each in tests],
    }


def _written(groups):
    """Return JSON with a line for each vector."""
    lines = []
    for group in groups:
        tests = ",\n".join(json.dumps(each) for each in group["tests"])
        lines.append(f'{{"key": {json.dumps(group["key"])},\n"tests": [\n{tests}\n]}}')
    return "[{}]\n".format(",\n".join(lines))


def main():
    source = Path(sys.argv[1]) / "testvectors_v1"
    for name in wycheproof.NAMES:
        content = json.loads((source / f"{name}_test.json").read_text("utf-8"))
        groups = [
            _group(key, group["tests"])
            for group in content["testGroups"]
            if (key := _public_key(group)) is not None
        ]
        wycheproof.path(name).write_text(_written(groups), "utf-8")


if __name__ == "__main__":
    main()
