"""The database: its file, what it holds, and whether the service can work with it."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Connection, func, make_url, select, text
from sqlalchemy.exc import DBAPIError

from authservice import clock
from authservice.crypto.server_secret import ServerSecret, local_secret
from authservice.database import other_processes, schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.schema import MigrationsMissingError
from authservice.database.sqlite.file_system import network_file_system
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.models import account, user
from authservice.services.keys import key_schedule, stored_keys
from authservice.services.keys.stored_keys import StoredKey
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.upkeep import local_mark
from authservice.settings import AuthSettings
from authservice.settings.hosts import is_loopback

FILE_NO_FOLDER = error(
    "file.no_folder",
    "The folder of the database does not exist.",
    "Make it for the service's user: install -d -m 700 -o USER FOLDER",
)
FILE_OVER_A_NETWORK = error(
    "file.over_a_network",
    "The database is on a network file system, where SQLite's locks do not work.",
    "Put it on a local disk, or use PostgreSQL.",
)
FILE_NOT_WRITABLE = error(
    "file.not_writable",
    "This user may not write in the folder of the database; SQLite writes more files there.",
    "Give folder and files to the service's user, and run this command as that user.",
)
FILE_READABLE = warning(
    "file.readable",
    "Every user of this machine may read the database, with people's addresses in it.",
    "Close the folder: chmod 700 FOLDER",
)
FILE_NO_SPACE = error(
    "file.no_space",
    "The disk of the database is full, so the service cannot sign people in.",
    "Free space on it, or move the database.",
)
FILE_LITTLE_SPACE = warning(
    "file.little_space",
    "The disk of the database is nearly full.",
    "Free space on it before it is full, or move the database.",
)
FILE_ASKED_AS_ROOT = warning(
    "file.asked_as_root",
    "The check runs as root, who has every right, and the database belongs to another user.",
    "Run it as the service's user: runuser -u USER -- authservice check …",
)

_FULL = 32 * 1024 * 1024
_NEARLY_FULL = 512 * 1024 * 1024


@subject(
    "file",
    order=9,
    in_order="The database's folder is there, on a local disk, writable, private and has room.",
)
def file(deployment: Deployment) -> Iterator[Finding]:
    """Yield what is wrong with the folder and the file."""
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() != "sqlite":
        yield file.skipped("The database is not a file of this machine.")
        return
    path = Path(url.database or "")
    folder = path.absolute().parent
    if file_system := network_file_system(str(path)):
        yield FILE_OVER_A_NETWORK.at(str(folder), found=file_system)
        return
    if not folder.is_dir():
        yield FILE_NO_FOLDER.at("auth.database_url", found=str(folder))
        return
    yield from _rights(folder, path)
    free = shutil.disk_usage(folder).free
    if free < _NEARLY_FULL:
        kind = FILE_NO_SPACE if free < _FULL else FILE_LITTLE_SPACE
        yield kind.at(str(folder), found=f"{free // 1024**2} MiB free")


def _rights(folder: Path, database_file: Path) -> Iterator[Finding]:
    beside = [database_file, Path(f"{database_file}-wal"), Path(f"{database_file}-shm")]
    there = [path for path in (folder, *beside) if path.exists()]
    for path in there:
        wanted = os.W_OK | (os.X_OK if path == folder else os.R_OK)
        if not os.access(path, wanted, effective_ids=True):
            yield FILE_NOT_WRITABLE.at(str(path), found=stat.filemode(path.stat().st_mode))
            return
    owner = folder.stat().st_uid
    if os.geteuid() == 0 and owner != 0:
        yield FILE_ASKED_AS_ROOT.at(str(folder), found=f"belongs to user id {owner}")
    if len(there) > 1 and all(_open_to_others(path) for path in there[:2]):
        mode = stat.filemode(database_file.stat().st_mode)
        yield FILE_READABLE.at(str(database_file), found=mode)


def _open_to_others(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IXOTH if path.is_dir() else stat.S_IROTH))


DATABASE_UNREACHABLE = error(
    "database.unreachable",
    "The database does not answer.",
    "Correct host and port in the address, start the server, or allow connections to it.",
)
DATABASE_LOGIN = error(
    "database.login",
    "The database server does not let this user in.",
    "Correct user and password in AUTH_DATABASE_URL, or the server's pg_hba.conf.",
)
DATABASE_NONE = error(
    "database.none",
    "The server has no database of this name.",
    "Make it: createdb -E UTF8 NAME; or correct the name in the address.",
)
DATABASE_RIGHTS = error(
    "database.rights",
    "The user in the address may not read the tables.",
    "Migrate as the service's database user, or give the tables to that user: ALTER TABLE … OWNER",
)
DATABASE_NOT_A_DATABASE = error(
    "database.not_a_database",
    "The file is not an SQLite database, or it is damaged.",
    "Name another file, or restore a backup.",
)
DATABASE_NOT_MIGRATED = error(
    "database.not_migrated",
    "The database lacks the tables of this version.",
    "Migrate before the deployment: authservice migrate --config INI",
)
DATABASE_IN_USE_BY_OLDER = warning(
    "database.in_use_by_older",
    "A process has the database open whose version does not work with the tables of this one.",
    "Stop it before you migrate.",
)
DATABASE_NEWER = error(
    "database.newer",
    "A newer version has migrated the database, and this one does not work with its tables.",
    "Deploy that version, or a newer one.",
)
DATABASE_OF_LOCAL_MODE = error(
    "database.of_local_mode",
    "Local mode has served the database, and production does not start on it.",
    "Name another database for production.",
)
DATABASE_OF_PRODUCTION = error(
    "database.of_production",
    "The database has accounts of a real identity provider; local mode does not start on it.",
    "Name another database for local mode.",
)
DATABASE_OF_ANOTHER_PROVIDER = error(
    "database.of_another_provider",
    "The accounts in the database belong to another identity provider; the service does not start.",
    "Correct provider.id or provider.api_url. To forget them: authservice provider rebind",
)
DATABASE_LINKED_ACCOUNTS = warning(
    "database.linked_accounts",
    "A user has more than one account: earlier versions linked accounts by e-mail address.",
    "Find out whose they are: authservice users export ID. To separate them, delete the user:"
    " authservice users delete ID",
)
DATABASE_READ_ONLY = error(
    "database.read_only",
    "The database server is a read-only replica.",
    "Name the primary server in the address.",
)
DATABASE_ENCODING = error(
    "database.encoding",
    "The database does not store text as UTF-8, so it would refuse or damage people's names.",
    "Create it again: createdb -E UTF8 -T template0 NAME",
)
DATABASE_UNENCRYPTED = warning(
    "database.unencrypted",
    "The connection to the database server may be unencrypted, and does not verify the server.",
    "Add ?sslmode=verify-full&sslrootcert=FILE to the address, or sslmode=require at least.",
)

_CONNECT_SECONDS = "5"
_NAMED = 10
_SAFE_MODES = {"require", "verify-ca", "verify-full"}


@subject("database", order=10, in_order="The database answers and is migrated.")
def database(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the service from working with its database."""
    try:
        with reading(deployment) as connection:
            if connection is None:
                yield DATABASE_NOT_MIGRATED.at("auth.database_url", found="there is no such file")
                return
            if not deployment.settings.database_url.startswith("sqlite"):
                unfit = list(_postgresql(connection))
                yield from unfit
                if unfit:
                    return
            yield from _what_it_holds(connection, deployment.settings)
        yield from _in_use(deployment)
    except ModuleNotFoundError:
        yield database.skipped("The driver of the database is not installed.")
    except DBAPIError as failure:
        yield _refusal(failure)
    yield from _encryption(deployment)


@contextmanager
def reading(deployment: Deployment) -> Iterator[Connection | None]:
    """Give a connection that only reads, or None where an SQLite file would have to be made.

    Raises DBAPIError, and ModuleNotFoundError where the driver is missing.
    """
    with _opened(deployment) as examined:
        yield None if schema.sqlite_file_is_missing(examined) else examined.reader


@contextmanager
def _opened(deployment: Deployment) -> Iterator[Database]:
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() != "sqlite":
        # Without an encoding of the client, text of a database in SQL_ASCII comes as bytes. A
        # replica, which the service itself does not connect to, is to be told from no server.
        given = {"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf8"}
        given["target_session_attrs"] = "any"
        url = url.set(query=given | dict(url.query))
    examined = Database(url.render_as_string(hide_password=False))
    try:
        yield examined
    finally:
        examined.dispose()


def _what_it_holds(connection: Connection, settings: AuthSettings) -> Iterator[Finding]:
    revision = schema.revision(connection)
    if not schema.is_migrated(connection):
        newer = revision is not None and schema.is_newer(revision)
        yield (DATABASE_NEWER if newer else DATABASE_NOT_MIGRATED).at(
            "auth.database_url",
            found=f"revision {revision}" if revision else "no tables",
            expected=f"revision {REVISION}",
        )
        return
    if settings.local_mode:
        strangers = select(account.c.id).where(account.c.provider_id != LOCAL_DEVELOPER).limit(1)
        if connection.scalar(strangers) is not None:
            yield DATABASE_OF_PRODUCTION.at("auth.database_url")
    else:
        developer = select(user.c.id).where(user.c.id == LOCAL_DEVELOPER)
        if local_mark.is_there(connection) or connection.scalar(developer) is not None:
            yield DATABASE_OF_LOCAL_MODE.at("auth.database_url")
        pinned = provider_pin.pinned(connection)
        wanted = ProviderPin.of(settings.provider.id, settings.provider.api_url)
        if pinned not in {None, wanted}:
            yield DATABASE_OF_ANOTHER_PROVIDER.at(
                "provider.api_url", found=str(wanted), expected=str(pinned)
            )
    owners = select(account.c.user_id).group_by(account.c.user_id).having(func.count() > 1)
    linked = connection.scalars(owners.order_by(account.c.user_id).limit(_NAMED)).all()
    if linked:
        names = ", ".join(linked)
        yield DATABASE_LINKED_ACCOUNTS.at("auth.database_url", found=f"users {names}")


def _in_use(deployment: Deployment) -> Iterator[Finding]:
    """Yield which processes have to be stopped before the database is migrated."""
    # What it lacks otherwise is found by others.
    with suppress(MigrationsMissingError, PermissionError), _opened(deployment) as examined:
        if excluded := other_processes.excluded(examined, REVISION):
            yield DATABASE_IN_USE_BY_OLDER.at("auth.database_url", found=", ".join(excluded))


def _postgresql(connection: Connection) -> Iterator[Finding]:
    if connection.scalar(text("SELECT pg_is_in_recovery()")):
        yield DATABASE_READ_ONLY.at("auth.database_url")
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding != "UTF8":
        yield DATABASE_ENCODING.at("auth.database_url", found=str(encoding), expected="UTF8")


def _refusal(failure: DBAPIError) -> Finding:
    said = (str(failure.orig).strip().splitlines() or ["the driver gives no reason"])[0]
    if "readonly database" in said:
        return database.skipped("The file of the database may not be written.")
    if "permission denied" in said:
        return DATABASE_RIGHTS.at("auth.database_url", found=said)
    if "not a database" in said or "malformed" in said:
        return DATABASE_NOT_A_DATABASE.at("auth.database_url", found=said)
    if "does not exist" in said and "database" in said:
        return DATABASE_NONE.at("auth.database_url", found=said)
    if "authentication" in said or "pg_hba" in said or "role" in said or "password" in said:
        return DATABASE_LOGIN.at("auth.database_url", found=said)
    return DATABASE_UNREACHABLE.at("auth.database_url", found=said)


def _encryption(deployment: Deployment) -> Iterator[Finding]:
    url = make_url(deployment.settings.database_url)
    if url.get_backend_name() == "sqlite" or deployment.settings.local_mode:
        return
    host = str(url.query.get("host", url.host or ""))
    here = not host or host.startswith("/") or is_loopback(host) or host == "::1"
    if not here and url.query.get("sslmode") not in _SAFE_MODES:
        yield DATABASE_UNENCRYPTED.at("auth.database_url", found=f"host {host}", expected="sslmode")


STORED_UNDER_PREVIOUS = (
    "Signing keys are stored under AUTH_SECRET_PREVIOUS, which has to stay. When every process has"
    " the new AUTH_SECRET, run: authservice keys reencrypt"
)
FREE_OF_PREVIOUS = (
    "No stored key needs AUTH_SECRET_PREVIOUS. It can be taken away when no cookie that was made"
    " with it is left: lifetimes.session after the last process has changed to the new AUTH_SECRET."
)

KEYS_LOST = error(
    "keys.lost",
    "The signing keys were stored under another AUTH_SECRET. The service would make new keys,"
    " and all people would have to sign in again.",
    "Put the former value into AUTH_SECRET_PREVIOUS; without it, all this will happen.",
)


@subject("keys", order=13, in_order="Every algorithm has a key that AUTH_SECRET opens.")
def keys(deployment: Deployment) -> Iterator[Finding]:
    """Yield whether stored keys would be lost."""
    secret = _server_secret(deployment)
    try:
        with reading(deployment) as connection:
            stored = [] if connection is None else stored_keys.every(connection)
    except (DBAPIError, ModuleNotFoundError):
        yield keys.skipped("The stored keys cannot be read.")
        return
    if not stored or secret is None:
        yield keys.ok("There are no keys yet; the first process that starts makes them.")
        return
    if deployment.settings.auth_secret_previous is not None:
        yield _previous_secret(deployment, secret, stored)
    opened = {key.alg for key in stored if key.open(secret)}
    if lost := sorted({key.alg for key in stored} - opened):
        yield KEYS_LOST.at("AUTH_SECRET", found=f"no key opens for {', '.join(lost)}")


def _previous_secret(
    deployment: Deployment, secret: ServerSecret, stored: list[StoredKey]
) -> Finding:
    """Return whether AUTH_SECRET_PREVIOUS is still needed, and for how long yet."""
    now = clock.now()
    needed = [
        key
        for key in stored
        if not key_schedule.has_ended(key, now) and key.stored_with(secret) == "previous"
    ]
    about = "AUTH_SECRET_PREVIOUS"
    if needed:
        return keys.ok(STORED_UNDER_PREVIOUS, about=about, found=f"{len(needed)} keys")
    days = deployment.settings.lifetimes.session / timedelta(days=1)
    return keys.ok(FREE_OF_PREVIOUS, about=about, found=f"lifetimes.session is {days:g} days")


def _server_secret(deployment: Deployment) -> ServerSecret | None:
    settings = deployment.settings
    if settings.auth_secret is not None:
        return ServerSecret(settings.auth_secret, settings.auth_secret_previous)
    path = str(make_url(settings.database_url).database)
    # Asking for the secret of local mode would make it.
    return ServerSecret(local_secret(path)) if Path(f"{path}.secret").exists() else None
