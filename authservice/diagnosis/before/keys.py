"""The signing keys: those that are stored can be opened with AUTH_SECRET."""

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Row, make_url, select
from sqlalchemy.exc import DBAPIError

from authservice import clock
from authservice.crypto.local_secret import local_secret
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.signing_keys import decrypt_private_key, encrypted_with
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, ok, skipped
from authservice.models import jwks

IN_ORDER = "Every algorithm has a key that AUTH_SECRET opens."

STORED_UNDER_PREVIOUS = (
    "Signing keys are stored under AUTH_SECRET_PREVIOUS, which has to stay. When every process has"
    " the new AUTH_SECRET, run: authservice keys reencrypt"
)
FREE_OF_PREVIOUS = (
    "No stored key needs AUTH_SECRET_PREVIOUS. It can be taken away when no cookie that was made"
    " with it is left: lifetimes.session after the last process has changed to the new AUTH_SECRET."
)

LOST = error(
    "keys.lost",
    "The signing keys were stored under another AUTH_SECRET. The service would make new keys,"
    " and all people would have to sign in again.",
    "Put the former value into AUTH_SECRET_PREVIOUS; without it, all this will happen.",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield whether stored keys would be lost."""
    secret = _secret(deployment)
    try:
        with reading(deployment) as connection:
            stored = [] if connection is None else connection.execute(select(jwks)).all()
    except (DBAPIError, ModuleNotFoundError):
        yield skipped("keys", "The stored keys cannot be read.")
        return
    if not stored or secret is None:
        yield ok("keys", "There are no keys yet; the first process that starts makes them.")
        return
    if deployment.settings.auth_secret_previous is not None:
        yield _previous(deployment, secret, stored)
    algs = {row.id: str(json.loads(row.public_key)["alg"]) for row in stored}
    opened = {
        algs[row.id] for row in stored if decrypt_private_key(row.id, row.private_key, secret)
    }
    if lost := sorted(set(algs.values()) - opened):
        yield LOST.at("AUTH_SECRET", found=f"no key opens for {', '.join(lost)}")


def _previous(deployment: Deployment, secret: ServerSecret, stored: Sequence[Row[Any]]) -> Finding:
    """Return whether AUTH_SECRET_PREVIOUS is still needed, and for how long yet."""
    now = clock.now()
    needed = [
        row.id
        for row in stored
        if (row.expires_at is None or row.expires_at > now)
        and encrypted_with(row.id, row.private_key, secret) == "previous"
    ]
    about = "AUTH_SECRET_PREVIOUS"
    if needed:
        return ok("keys", STORED_UNDER_PREVIOUS, about=about, found=f"{len(needed)} keys")
    days = deployment.settings.lifetimes.session / timedelta(days=1)
    return ok("keys", FREE_OF_PREVIOUS, about=about, found=f"lifetimes.session is {days:g} days")


def _secret(deployment: Deployment) -> ServerSecret | None:
    settings = deployment.settings
    if settings.auth_secret is not None:
        return ServerSecret(settings.auth_secret, settings.auth_secret_previous)
    file = str(make_url(settings.database_url).database)
    # Asking for the secret of local mode would make it.
    return ServerSecret(local_secret(file)) if Path(f"{file}.secret").exists() else None
