"""Key pairs of clients: made by the tests, or by the programs of docs/machines.md."""

import json
import sys

from tests.documentation.markdown import saved_as
from tests.e2e.recipes import give_node_packages
from tests.helpers import client_assertion
from tests.helpers.node import node
from tests.helpers.processes import finished

KEY_SET = "jwks.json"


def key_pair(alg, *, named=True):
    """Return a private key for an algorithm, and the set to register; without a name, no kid.

    With a name it is one of two of its kind, as while keys are changed.
    """
    members = [{"kid": kid} for kid in ("new", "old")] if named else [{}]
    made = [client_assertion.new_key(alg, **each) for each in members]
    private = made[0].export_private(as_dict=True) | {"alg": alg}
    return private, client_assertion.key_set(*made)


def documented_key_pair(program, folder, name="key.json"):
    """Make a key pair in a folder with a program of the page; return the private half."""
    file = folder / program
    if not file.exists():
        file.write_text(saved_as(program), encoding="utf-8")
        if file.suffix == ".mjs":
            give_node_packages(folder)
    runs = sys.executable if file.suffix == ".py" else node()
    finished([runs, file, name], cwd=folder, check=True)
    return private_half(folder / name)


def private_half(file):
    """Return the key in a file, which its owner alone may read."""
    assert file.stat().st_mode & 0o077 == 0
    return json.loads(file.read_text(encoding="utf-8"))
