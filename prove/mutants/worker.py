"""Runs the tests of mutants in a copy of the checkout: ``python -m prove.mutants.worker``.

It reads a line of JSON for each mutant and writes one that says whether the tests failed. The
libraries are loaded once; each mutant is tried in a fork, which has loaded nothing of the service.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from prove.mutants.subjects import ON_SQLITE

# None that brings a plugin of pytest: pytest wants to be first there.
_LIBRARIES = (
    *(
        "alembic.command",
        "cryptography.hazmat.primitives.ciphers.aead",
        "joserfc.jwt",
    ),
    *("jwcrypto.jws", "limits", "oauthlib.oauth2", "pyramid.config", "pyramid_jinja2", "requests"),
    *("sqlalchemy.orm", "webtest", "playwright.sync_api"),
)
# Seconds. A mutant that never ends has been noticed too.
_PATIENCE = 120


def main() -> None:
    """Answer until there is nothing more to read."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        file = Path(asked["path"])
        original = file.read_text("utf-8")
        file.write_text(asked["source"], "utf-8")
        try:
            failed = _fails(asked["tests"])
        finally:
            file.write_text(original, "utf-8")
        sys.stdout.write(f"{json.dumps(failed)}\n")
        sys.stdout.flush()


def _fails(tests: list[str]) -> bool:
    child = os.fork()
    if child == 0:
        signal.alarm(_PATIENCE)
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            with contextlib.suppress(BaseException):
                options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *ON_SQLITE]
                os._exit(int(pytest.main([*options, *tests])))
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return status != 0


if __name__ == "__main__":
    main()
