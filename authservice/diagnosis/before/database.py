"""The database: it can be reached, is migrated, and belongs to this mode."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, func, make_url, select, text
from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.database.database import Database
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, skipped, warning
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.models import account, user
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.upkeep import local_mark
from authservice.settings import AuthSettings
from authservice.settings.hosts import is_loopback

IN_ORDER = "The database answers and is migrated."

UNREACHABLE = error(
    "database.unreachable",
    "The database does not answer.",
    "Correct host and port in the address, start the server, or allow connections to it.",
)
LOGIN = error(
    "database.login",
    "The database server does not let this user in.",
    "Correct user and password in AUTH_DATABASE_URL, or the server's pg_hba.conf.",
)
NO_DATABASE = error(
    "database.none",
    "The server has no database of this name.",
    "Make it: createdb -E UTF8 NAME; or correct the name in the address.",
)
RIGHTS = error(
    "database.rights",
    "The user in the address may not read the tables.",
    "Migrate as the service's database user, or give the tables to that user: ALTER TABLE … OWNER",
)
NOT_A_DATABASE = error(
    "database.not_a_database",
    "The file is not an SQLite database, or it is damaged.",
    "Name another file, or restore a backup.",
)
NOT_MIGRATED = error(
    "database.not_migrated",
    "The database lacks the tables of this version.",
    "Migrate before the deployment: authservice migrate --config INI",
)
NEWER = error(
    "database.newer",
    "A newer version has migrated the database, and this one does not work with its tables.",
    "Deploy that version, or a newer one.",
)
OF_LOCAL_MODE = error(
    "database.of_local_mode",
    "Local mode has served the database, and production does not start on it.",
    "Name another database for production.",
)
OF_PRODUCTION = error(
    "database.of_production",
    "The database has accounts of a real identity provider; local mode does not start on it.",
    "Name another database for local mode.",
)
OF_ANOTHER_PROVIDER = error(
    "database.of_another_provider",
    "The accounts in the database belong to another identity provider; the service does not start.",
    "Correct provider.id or provider.api_url. To forget them: authservice provider rebind",
)
LINKED_ACCOUNTS = warning(
    "database.linked_accounts",
    "A user has more than one account: earlier versions linked accounts by e-mail address.",
    "Find out whose they are: authservice users export ID. To separate them, delete the user:"
    " authservice users delete ID",
)
READ_ONLY = error(
    "database.read_only",
    "The database server is a read-only replica.",
    "Name the primary server in the address.",
)
ENCODING = error(
    "database.encoding",
    "The database does not store text as UTF-8, so it would refuse or damage people's names.",
    "Create it again: createdb -E UTF8 -T template0 NAME",
)
UNENCRYPTED = warning(
    "database.unencrypted",
    "The connection to the database server may be unencrypted, and does not verify the server.",
    "Add ?sslmode=verify-full&sslrootcert=FILE to the address, or sslmode=require at least.",
)

_CONNECT_SECONDS = "5"
_NAMED = 10
_SAFE_MODES = {"require", "verify-ca", "verify-full"}


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the service from working with its database."""
    try:
        with reading(deployment) as connection:
            if connection is None:
                yield NOT_MIGRATED.at("auth.database_url", found="there is no such file")
                return
            if not deployment.settings.database_url.startswith("sqlite"):
                unfit = list(_server(connection))
                yield from unfit
                if unfit:
                    return
            yield from _content(connection, deployment.settings)
    except ModuleNotFoundError:
        yield skipped("database", "The driver of the database is not installed.")
    except DBAPIError as failure:
        yield _refusal(failure)
    yield from _way(deployment)


@contextmanager
def reading(deployment: Deployment) -> Iterator[Connection | None]:
    """Give a connection that only reads, or None where an SQLite file would have to be made.

    Raises DBAPIError, and ModuleNotFoundError where the driver is missing.
    """
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() != "sqlite":
        # Without an encoding of the client, text of a database in SQL_ASCII comes as bytes. A
        # replica, which the service itself does not connect to, is to be told from no server.
        given = {"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf8"}
        given["target_session_attrs"] = "any"
        url = url.set(query=given | dict(url.query))
    database = Database(url.render_as_string(hide_password=False))
    try:
        yield None if schema.sqlite_file_is_missing(database) else database.reader
    finally:
        database.dispose()


def _content(connection: Connection, settings: AuthSettings) -> Iterator[Finding]:
    revision = schema.revision(connection)
    if not schema.is_migrated(connection):
        newer = revision is not None and schema.is_newer(revision)
        yield (NEWER if newer else NOT_MIGRATED).at(
            "auth.database_url",
            found=f"revision {revision}" if revision else "no tables",
            expected=f"revision {schema.REVISION}",
        )
        return
    if settings.local_mode:
        strangers = select(account.c.id).where(account.c.provider_id != LOCAL_DEVELOPER).limit(1)
        if connection.scalar(strangers) is not None:
            yield OF_PRODUCTION.at("auth.database_url")
    else:
        developer = select(user.c.id).where(user.c.id == LOCAL_DEVELOPER)
        if local_mark.is_there(connection) or connection.scalar(developer) is not None:
            yield OF_LOCAL_MODE.at("auth.database_url")
        pinned = provider_pin.pinned(connection)
        wanted = ProviderPin.of(settings.provider.id, settings.provider.api_url)
        if pinned not in {None, wanted}:
            yield OF_ANOTHER_PROVIDER.at(
                "provider.api_url", found=str(wanted), expected=str(pinned)
            )
    owners = select(account.c.user_id).group_by(account.c.user_id).having(func.count() > 1)
    linked = connection.scalars(owners.order_by(account.c.user_id).limit(_NAMED)).all()
    if linked:
        names = ", ".join(linked)
        yield LINKED_ACCOUNTS.at("auth.database_url", found=f"users {names}")


def _server(connection: Connection) -> Iterator[Finding]:
    if connection.scalar(text("SELECT pg_is_in_recovery()")):
        yield READ_ONLY.at("auth.database_url")
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        yield ENCODING.at("auth.database_url", found=str(encoding), expected="UTF8")


def _refusal(failure: DBAPIError) -> Finding:
    said = (str(failure.orig).strip().splitlines() or ["the driver gives no reason"])[0]
    if "readonly database" in said:
        return skipped("database", "The file of the database may not be written.")
    if "permission denied" in said:
        return RIGHTS.at("auth.database_url", found=said)
    if "not a database" in said or "malformed" in said:
        return NOT_A_DATABASE.at("auth.database_url", found=said)
    if "does not exist" in said and "database" in said:
        return NO_DATABASE.at("auth.database_url", found=said)
    if "authentication" in said or "pg_hba" in said or "role" in said or "password" in said:
        return LOGIN.at("auth.database_url", found=said)
    return UNREACHABLE.at("auth.database_url", found=said)


def _way(deployment: Deployment) -> Iterator[Finding]:
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() == "sqlite" or deployment.settings.local_mode:
        return
    host = str(url.query.get("host", url.host or ""))
    here = not host or host.startswith("/") or is_loopback(host) or host == "::1"
    if not here and url.query.get("sslmode") not in _SAFE_MODES:
        yield UNENCRYPTED.at("auth.database_url", found=f"host {host}", expected="sslmode")
