"""What the database has to be and to hold before the first request.

A server that must not run says why in one line and does not serve. One whose database cannot be
reached does serve: it comes back by itself, and readiness says so meanwhile.
"""

import logging
import os
import shlex
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError, OperationalError

from authservice.crypto.server_secret import ServerSecret
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.sqlite.file_system import network_file_system
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.models import account, user
from authservice.services.admission.state import RulesInForce
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.upkeep import local_mark
from authservice.settings import AuthSettings

_log = logging.getLogger(__name__)

# How long a start waits for what is wrong in the database; in a large one it is found meanwhile.
_EXAMINED_SECONDS = 1.0


def check_database(settings: AuthSettings, database: Database) -> None:
    """Raise SystemExit for a database that is not migrated, is damaged or belongs elsewhere."""
    if database.is_sqlite:
        _require_local_disk(str(database.url.database), settings)
    if schema.sqlite_file_is_missing(database):
        raise SystemExit(_not_migrated(settings, database))
    try:
        _check(database, settings)
    except OperationalError:
        _log.exception("the database cannot be reached yet")
    except DatabaseError as error:
        why = _damaged(settings, error.orig) if database.is_sqlite else _refused(error)
        raise SystemExit(why) from None
    if database.file is not None and (damage := database.file.examine_within(_EXAMINED_SECONDS)):
        raise SystemExit(_damaged(settings, damage))


def _check(database: Database, settings: AuthSettings) -> None:
    connection = database.reader
    revision = schema.revision(connection)
    newer = revision is not None and schema.is_newer(revision)
    if not schema.is_migrated(connection):
        raise SystemExit(_too_new(revision) if newer else _not_migrated(settings, database))
    if newer:
        _log.warning(
            "the database is at revision %s, of a newer version of the service, and serves this"
            " one, which is made for %s, as well",
            revision,
            REVISION,
        )
    if settings.local_mode:
        strangers = select(account.c.id).where(account.c.provider_id != LOCAL_DEVELOPER).limit(1)
        if connection.scalar(strangers) is not None:
            raise SystemExit(
                "authservice: local mode refuses this database: it holds accounts of a real"
                " identity provider; set AUTH_DATABASE_URL to another one"
            )
        return
    if connection.scalar(select(user.c.id).where(user.c.id == LOCAL_DEVELOPER)) is not None:
        raise SystemExit(
            "authservice: production refuses this database: it holds the account"
            f" {LOCAL_DEVELOPER} of local mode; set AUTH_DATABASE_URL to another one"
        )
    if local_mark.is_there(connection):
        raise SystemExit(
            "authservice: production refuses this database: local mode has served it;"
            " set AUTH_DATABASE_URL to another one"
        )


def _require_local_disk(file: str, settings: AuthSettings) -> None:
    file_system = network_file_system(file)
    if file_system is None:
        return
    problem = (
        f"the database lies on {file_system}, a network file system, where SQLite's locks do not"
        " hold and data can be lost"
    )
    if not settings.local_mode:
        raise SystemExit(f"authservice: {problem}; put it on a local disk, or use PostgreSQL")
    _log.warning("%s; put it on a local disk", problem)


def _not_migrated(settings: AuthSettings, database: Database) -> str:
    # The shell in which the command is run may have another one.
    named = os.environ.get("AUTH_DATABASE_URL", "").strip()
    return (
        f"authservice: the database {database.address} is not migrated; run"
        f"{', with that AUTH_DATABASE_URL' if named else ''}:"
        f" authservice migrate --config {_ini(settings)}"
    )


def _too_new(revision: str | None) -> str:
    return (
        f"authservice: the database is at revision {revision}, which does not serve this version of"
        f" the service, made for {REVISION}; start a newer one"
    )


def _damaged(settings: AuthSettings, fault: object) -> str:
    command = f"authservice restore FILE --config {_ini(settings)}"
    return f"authservice: the database is damaged ({fault}); restore a backup: {command}"


def _ini(settings: AuthSettings) -> str:
    """Return the ini file as a command in this folder is told of it."""
    if settings.ini_file is None:
        return "local.ini" if settings.local_mode else "production.ini"
    file, here = Path(settings.ini_file), Path.cwd()
    return shlex.quote(str(file.relative_to(here) if file.is_relative_to(here) else file))


def _refused(error: DatabaseError) -> str:
    reason = str(error.orig).partition("\n")[0]
    return f"authservice: the database refuses what is needed: {reason}"


def pin_provider(settings: AuthSettings, database: Database) -> None:
    """Let the database be that of the identity provider, or raise SystemExit if it is another's.

    A database that cannot be reached yet is tried again by each sign-in.
    """
    if settings.local_mode:
        return
    wanted = ProviderPin.of(settings.provider.id, settings.provider.api_url)
    try:
        pinned = provider_pin.pinned(database.reader)
        if pinned is None:
            with database.transaction() as connection:
                pinned = provider_pin.pin(connection, wanted)
    except OperationalError:
        _log.exception("the identity provider is pinned when the database can be reached")
        return
    except DatabaseError as error:
        raise SystemExit(_refused(error)) from None
    if pinned != wanted:
        raise SystemExit(
            f"authservice: the accounts in the database are those of {pinned}, and the settings"
            f" say {wanted}; correct provider.id or provider.api_url, or forget the accounts:"
            f" authservice provider rebind --config {_ini(settings)}"
        )


def rules_in_force(settings: AuthSettings, database: Database) -> RulesInForce:
    """Return the rules of admission, in force from now on; raises SystemExit where they cannot be.

    In a database that cannot be reached yet the first sign-in puts them in force.
    """
    rules = RulesInForce(settings)
    try:
        rules.apply(database)
    except OperationalError:
        _log.exception("the rules of admission are stored when the database can be reached")
    except DatabaseError as error:
        raise SystemExit(_refused(error)) from None
    return rules


def signing_keys(settings: AuthSettings, database: Database, secret: ServerSecret) -> SigningKeys:
    """Return the signing keys, made now if there are none yet."""
    keys = SigningKeys(database, secret, rotation=settings.lifetimes.signing_key)
    try:
        keys.load()
    except OperationalError:
        _log.exception("the signing keys are loaded when the database can be reached")
    return keys
