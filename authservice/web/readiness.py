"""What may be wrong with a running service: a line for each condition, and how it is noticed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from authservice.database import schema
from authservice.database.revision import REVISION
from authservice.models import jwks
from authservice.services.keys.signing_keys import KeysNotReadyError
from authservice.web.request.auth_request import AuthRequest


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong; ``serves`` tells whether requests may be sent here all the same."""

    name: str
    meaning: str
    serves: bool


_DATABASE_FILE_LOST = Condition(
    "database_file_lost",
    "The database file is damaged, gone or another one. Stop the service, restore a backup with"
    " authservice restore, and start it again; or put the same file back. The log says more.",
    serves=False,
)
_DATABASE_UNAVAILABLE = Condition(
    "database_unavailable", "The database does not answer.", serves=False
)
_DATABASE_NOT_SERVED = Condition(
    "database_not_served",
    f"The database does not serve this version, made for revision {REVISION}. Start the version"
    " that has migrated it.",
    serves=False,
)
_KEYS_UNAVAILABLE = Condition(
    "keys_unavailable",
    "The signing keys have not been read yet, so nothing can be signed.",
    serves=False,
)
_KEYS_LOCKED = Condition(
    "keys_locked",
    "Signing keys were stored under another AUTH_SECRET, so others sign in their place.",
    serves=True,
)
_RATE_LIMITS_OFF = Condition(
    "rate_limits_off",
    "The storage of rate limits does not answer, so every request passes.",
    serves=True,
)
CONDITIONS = (
    _DATABASE_FILE_LOST,
    _DATABASE_UNAVAILABLE,
    _DATABASE_NOT_SERVED,
    _KEYS_UNAVAILABLE,
    _KEYS_LOCKED,
    _RATE_LIMITS_OFF,
)


def conditions(request: AuthRequest) -> list[Condition]:
    """Return what is wrong at the moment."""
    return [found for look in _LOOKS if (found := look(request)) is not None]


def _database_file(request: AuthRequest) -> Condition | None:
    file = request.database.file
    return None if file is None or file.look() is None else _DATABASE_FILE_LOST


def _database(request: AuthRequest) -> Condition | None:
    """Return what is wrong with its answers; one that is silent is waited for once."""
    try:
        if schema.is_migrated(request.db_readonly):
            request.db_readonly.execute(select(jwks.c.id).limit(1))
            return None
        revision = schema.revision(request.db_readonly)
    except SQLAlchemyError:
        return _DATABASE_UNAVAILABLE
    found = f"revision {revision}" if revision else "no tables"
    return replace(_DATABASE_NOT_SERVED, meaning=f"{_DATABASE_NOT_SERVED.meaning} Found: {found}.")


def _keys(request: AuthRequest) -> Condition | None:
    try:
        return None if request.signing_keys.document else _KEYS_UNAVAILABLE
    except (KeysNotReadyError, SQLAlchemyError):
        return _KEYS_UNAVAILABLE


def _locked_keys(request: AuthRequest) -> Condition | None:
    try:
        return _KEYS_LOCKED if request.signing_keys.locked else None
    except (KeysNotReadyError, SQLAlchemyError):
        return None


def _rate_limits(request: AuthRequest) -> Condition | None:
    limits = request.components.rate_limits
    return None if limits is None or limits.are_counted() else _RATE_LIMITS_OFF


_LOOKS: tuple[Callable[[AuthRequest], Condition | None], ...] = (
    # First, because the next ones query the database.
    _database_file,
    _database,
    _keys,
    _locked_keys,
    _rate_limits,
)
