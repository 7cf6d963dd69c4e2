"""What may be wrong with a running service: a line for each condition, and how it is noticed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from authservice.database import schema
from authservice.database.revision import REVISION
from authservice.models import jwks
from authservice.services.keys.signing_keys import KeysNotReadyError
from authservice.web.request import AuthRequest


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong; ``serves`` tells whether requests may be sent here all the same."""

    name: str
    meaning: str
    holds: Callable[[AuthRequest], bool | str]
    """A text says what was found."""
    serves: bool


def _database_unavailable(request: AuthRequest) -> bool:
    try:
        request.db_readonly.execute(select(jwks.c.id).limit(1))
    except SQLAlchemyError:
        return True
    return False


def _database_not_served(request: AuthRequest) -> bool | str:
    try:
        if schema.is_migrated(request.db_readonly):
            return False
        revision = schema.revision(request.db_readonly)
    except SQLAlchemyError:
        return False
    return f"revision {revision}" if revision else "no tables"


def _database_file_lost(request: AuthRequest) -> bool:
    file = request.database.file
    return file is not None and file.look() is not None


def _keys_unavailable(request: AuthRequest) -> bool:
    try:
        return not request.signing_keys.document
    except (KeysNotReadyError, SQLAlchemyError):
        return True


def _keys_locked(request: AuthRequest) -> bool:
    try:
        return bool(request.signing_keys.locked)
    except (KeysNotReadyError, SQLAlchemyError):
        return False


def _rate_limits_off(request: AuthRequest) -> bool:
    limits = request.components.rate_limits
    return limits is not None and not limits.are_counted()


CONDITIONS = (
    # First, because the next checks query the database.
    Condition(
        "database_file_lost",
        "The database file is damaged, gone or another one. Stop the service, restore a backup with"
        " authservice restore, and start it again; or put the same file back. The log says more.",
        _database_file_lost,
        serves=False,
    ),
    Condition(
        "database_unavailable",
        "The database does not answer.",
        _database_unavailable,
        serves=False,
    ),
    Condition(
        "database_not_served",
        f"The database does not serve this version, made for revision {REVISION}. Start the version"
        " that has migrated it.",
        _database_not_served,
        serves=False,
    ),
    Condition(
        "keys_unavailable",
        "The signing keys have not been read yet, so nothing can be signed.",
        _keys_unavailable,
        serves=False,
    ),
    Condition(
        "keys_locked",
        "Signing keys were stored under another AUTH_SECRET, so others sign in their place.",
        _keys_locked,
        serves=True,
    ),
    Condition(
        "rate_limits_off",
        "The storage of rate limits does not answer, so every request passes.",
        _rate_limits_off,
        serves=True,
    ),
)


def conditions(request: AuthRequest) -> list[Condition]:
    """Return what is wrong at the moment."""
    return [
        replace(condition, meaning=f"{condition.meaning} Found: {found}.")
        if isinstance(found, str)
        else condition
        for condition in CONDITIONS
        if (found := condition.holds(request))
    ]
