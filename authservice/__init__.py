"""A central authentication service and OAuth 2.1 / OpenID Connect provider."""

from typing import Any

from authservice.version import __version__

__all__ = ["__version__", "main"]


def main(_global_config: dict[str, str], **ini: str) -> Any:  # noqa: ANN401  (a WSGI application)
    """Return the WSGI application; raises SystemExit with the reason where it may not serve."""
    # Imported when it is wanted: the HTTP client and the commands need nothing of the web.
    from authservice.application import application  # noqa: PLC0415

    return application(ini)
