"""A central authentication service and OAuth 2.1 / OpenID Connect provider."""

import gc
from functools import cache
from importlib import import_module
from typing import Any

from authservice.settings.version import __version__

__all__ = ["__version__", "imported", "main"]


def main(global_config: dict[str, str], **ini: str) -> Any:  # noqa: ANN401  (a WSGI application)
    """Return the WSGI application; raises SystemExit with the reason where it may not serve."""
    # Imported when it is wanted: the HTTP client and the commands need nothing of the web.
    return imported("authservice.application").application(ini, global_config.get("__file__"))


@cache
def imported(name: str) -> Any:  # noqa: ANN401  (a module)
    """Return a module that imports most of a program, with garbage collection off meanwhile.

    What is imported stays. To look through it again and again would take a fifth of a start.
    """
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()
