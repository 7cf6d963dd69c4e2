"""The settings of a GitHub App: its id, the key that it signs with, the secret of its webhook."""

import re
from dataclasses import dataclass, field

from authservice.settings.sources import Source

_APP_ID = "provider.app_id"
_PRIVATE_KEY = "PROVIDER_APP_PRIVATE_KEY"
_WEBHOOK_SECRET = "PROVIDER_WEBHOOK_SECRET"
# Its number, or its client id such as Iv23liABCDEF0123456789.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LEAST_BITS = 2048
_LEAST_SECRET = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubAppSettings:
    """The App with which the service asks for members, without a person."""

    id: str
    private_key: bytes = field(repr=False)
    """An RSA key in PEM."""
    webhook_secret: bytes | None = field(repr=False)
    """What the provider signs events with; without it none is taken."""


def github_app(source: Source, *, local_mode: bool) -> GitHubAppSettings | None:
    """Return the App, or None; everything that is wrong with it is noted."""
    app_id = source.text(_APP_ID)
    private_key = source.secret(_PRIVATE_KEY)
    webhook_secret = source.secret(_WEBHOOK_SECRET)
    # None is a secret that is given and cannot be read, which is a problem of its own.
    given = private_key != "" or webhook_secret != ""
    if not app_id:
        if given:
            source.refuse(
                source.name(_APP_ID), "is missing; the App's page at the provider shows its App ID"
            )
        return None
    if local_mode:
        source.refuse(source.name(_APP_ID), "local mode asks no provider; remove it")
    if not _ID.fullmatch(app_id):
        source.refuse(source.name(_APP_ID), "must be the App ID or the client id of a GitHub App")
    return GitHubAppSettings(
        id=app_id,
        private_key=_private_key(source, private_key),
        webhook_secret=_webhook_secret(source, webhook_secret),
    )


def _private_key(source: Source, text: str | None) -> bytes:
    if text == "":
        source.refuse(
            _PRIVATE_KEY,
            "is missing; generate a private key on the App's page at the provider, and set"
            f" {_PRIVATE_KEY}_FILE to its file",
        )
    if not text:
        return b""
    # A file of variables has one line for each.
    pem = text.replace("\\n", "\n").encode()
    if not _is_rsa(pem):
        source.refuse(
            _PRIVATE_KEY,
            f"must be an RSA key of {_LEAST_BITS} bits or more in PEM, without a password, as the"
            " provider gives it",
        )
    return pem


def _is_rsa(pem: bytes) -> bool:
    # Imported when there is one: most services have no App.
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    return isinstance(key, RSAPrivateKey) and key.key_size >= _LEAST_BITS


def _webhook_secret(source: Source, text: str | None) -> bytes | None:
    if not text:
        return None
    if len(text) < _LEAST_SECRET:
        source.refuse(
            _WEBHOOK_SECRET,
            f"must have {_LEAST_SECRET} characters or more; make one with: openssl rand -hex 32",
        )
    return text.encode()
