"""What happens before the first request: the database is checked, secret and keys are at hand.

A server that must not run says why in one line and does not serve. One whose database cannot be
reached does serve: it comes back by itself, and readiness says so meanwhile.
"""

import logging
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.exc import DatabaseError, OperationalError

from authservice.crypto.local_secret import local_secret
from authservice.crypto.server_secret import ServerSecret
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.postgresql import engines as postgresql
from authservice.database.revision import REVISION
from authservice.database.sqlite.file_system import network_file_system
from authservice.identity_provider import LOCAL_DEVELOPER, IdentityProvider
from authservice.models import account, user
from authservice.services.admission import pins
from authservice.services.admission.state import RulesInForce
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.upkeep import local_mark
from authservice.settings import (
    METRICS_MISSING,
    TRACING_MISSING,
    AuthSettings,
    load_traces_exporter,
)

if TYPE_CHECKING:
    from authservice.identity_provider.github_app.github_app import GitHubApp
    from authservice.identity_provider.rule_names import RuleNames
    from authservice.observability.metrics import ProcessMetrics
    from authservice.observability.tracing import ProcessTracing

_log = logging.getLogger(__name__)

# How long a start waits for what is wrong in the database; in a large one it is found meanwhile.
_EXAMINED_SECONDS = 1.0


def open_database(settings: AuthSettings, made: Callable[..., Database] = Database) -> Database:
    """Return the database of the settings; raises SystemExit where its driver is missing."""
    try:
        return made(
            settings.database_url,
            synchronous=settings.sqlite_synchronous,
            patience=postgresql.REPLY_SECONDS,
        )
    except ModuleNotFoundError as error:
        raise SystemExit(f"authservice: {error}") from None


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


def rule_names(settings: AuthSettings, database: Database) -> "RuleNames | None":
    """Return what asks for the numbers of names in rules; in local mode they need none."""
    if settings.local_mode:
        return None
    # Imported where it is used: local mode asks no provider.
    from authservice.identity_provider.rule_names import RuleNames  # noqa: PLC0415

    return RuleNames(settings, database)


def server_secret(settings: AuthSettings, database: Database) -> ServerSecret:
    """Return the secret of the settings; local mode makes its own once and keeps it."""
    if settings.auth_secret is not None:
        return ServerSecret(settings.auth_secret, settings.auth_secret_previous)
    return ServerSecret(local_secret(str(database.url.database)))


def signing_keys(settings: AuthSettings, database: Database, secret: ServerSecret) -> SigningKeys:
    """Return the signing keys, made now if there are none yet."""
    keys = SigningKeys(database, secret, rotation=settings.lifetimes.signing_key)
    try:
        keys.load()
    except OperationalError:
        _log.exception("the signing keys are loaded when the database can be reached")
    return keys


def metrics(
    settings: AuthSettings, database: Database, keys: SigningKeys, app: "GitHubApp | None"
) -> "ProcessMetrics | None":
    """Return what measures this process, or None; raises SystemExit where it cannot listen."""
    if settings.metrics_listen is None:
        return None
    try:
        from authservice.observability.metrics import ProcessMetrics  # noqa: PLC0415

        return ProcessMetrics(
            settings.metrics_listen,
            database,
            keys,
            dict if app is None else lambda: app.memberships.installations.hours.left,
        )
    except ModuleNotFoundError:
        raise SystemExit(f"authservice: {METRICS_MISSING}") from None
    except OSError as error:
        raise SystemExit(f"authservice: metrics.listen: {error}") from None


def tracing() -> "ProcessTracing | None":
    """Return what traces this process, or None; raises SystemExit for variables of no use."""
    named = load_traces_exporter(os.environ)
    if named is None:
        return None
    try:
        from authservice.observability.tracing import ProcessTracing  # noqa: PLC0415

        return ProcessTracing(named)
    except ModuleNotFoundError:
        raise SystemExit(f"authservice: {TRACING_MISSING}") from None
    except ValueError as error:
        raise SystemExit(f"authservice: {error}") from None


def github_app(
    settings: AuthSettings, database: Database, tell_clients: Callable[[], None]
) -> "GitHubApp | None":
    """Return the App that asks for members, if the settings have one.

    ``tell_clients`` is called when sessions have ended of which clients are to be told.
    """
    if settings.provider.app is None:
        return None
    # Imported where it is used: most services have none.
    from authservice.identity_provider.github_app.github_app import GitHubApp  # noqa: PLC0415

    return GitHubApp(settings, settings.provider.app, database, tell_clients)


def identity_provider(
    settings: AuthSettings, database: Database, app: "GitHubApp | None"
) -> IdentityProvider:
    """Return where people sign in.

    For their groups it asks the App, where there is one, and else the person.
    """
    callback_url = f"{settings.issuer}/callback/{settings.provider.id}"
    # Imported where it is used: local mode, which makes no outgoing calls, needs less memory
    # without the HTTP client.
    from authservice.identity_provider.code_hosting import CodeHosting  # noqa: PLC0415
    from authservice.identity_provider.named_groups import (  # noqa: PLC0415
        MembershipSource,
        NamedGroups,
    )
    from authservice.identity_provider.own_memberships import OwnMemberships  # noqa: PLC0415

    named = NamedGroups.of(settings)
    own = OwnMemberships(named, lambda: pins.of_settings(database.reader, settings))
    source: MembershipSource = own if app is None else app.memberships
    groups = source if named else None
    return CodeHosting(settings.provider, callback_url, settings.outgoing, groups=groups)
