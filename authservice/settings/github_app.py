"""The settings of a GitHub App: its id, the key that it signs with, the secret of its webhook."""

import re
from dataclasses import dataclass, field

from authservice.settings.parsing import accepting
from authservice.settings.problems import RefusedError

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


app_id = accepting(
    # Its number, or its client id such as Iv23liABCDEF0123456789.
    re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}").fullmatch,
    "must be the App ID or the client id of a GitHub App",
)


def private_key(text: str) -> bytes:
    """Return the key in PEM; raises RefusedError."""
    # A file of variables has one line for each.
    pem = text.replace("\\n", "\n").encode()
    if not _is_rsa(pem):
        message = (
            f"must be an RSA key of {_LEAST_BITS} bits or more in PEM, without a password, as the"
            " provider gives it"
        )
        raise RefusedError(message)
    return pem


def webhook_secret(text: str) -> bytes:
    """Return the secret that events are signed with; raises RefusedError."""
    if len(text) < _LEAST_SECRET:
        message = (
            f"must have {_LEAST_SECRET} characters or more; make one with: openssl rand -hex 32"
        )
        raise RefusedError(message)
    return text.encode()


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
