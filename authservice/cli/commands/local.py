"""``authservice local``: serve local mode on a port and a database of its own, by one command.

Any number may run at once: none has a port, a database, a secret or a cookie of another.
"""

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import authservice
from authservice import clock
from authservice.cli import ini_file
from authservice.cli.arguments import Once, Switch, fail
from authservice.cli.database import closing, migrate_local
from authservice.cli.loopback import PORT, listening
from authservice.cli.temporary_folder import temporary_folder
from authservice.crypto.server_secret import ServerSecret, local_secret
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.sqlite import template
from authservice.logs import TextLines
from authservice.services.keys import key_rotation, stored_keys
from authservice.services.upkeep import local_mark

_TEMPORARY = ":temporary:"
_DEFAULT = "data/local.sqlite"
# As local.ini has them.
_SERVER = {
    "threads": "8",
    "send_bytes": "65536",
    "connection_limit": "1000",
    "asyncore_use_poll": "true",
    "max_request_header_size": "32768",
    "max_request_body_size": "65536",
    "clear_untrusted_proxy_headers": "false",
    "ident": "",
}
_HIGHEST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    help_text = f"where it listens; 0 for one that is free ({PORT})"
    parser.add_argument(
        "--port", action=Once, type=_port, default=PORT, metavar="N", help=help_text
    )
    parser.add_argument(
        "--database",
        action=Once,
        type=_file,
        default=_DEFAULT,
        metavar="FILE",
        help=f"SQLite file; {_TEMPORARY} for one that is removed at the end ({_DEFAULT})",
    )
    parser.add_argument(
        "--config", action=Once, metavar="INI", help="an ini file with further settings (none)"
    )
    parser.add_argument(
        "--print-json",
        action=Switch,
        help="print one line of JSON with url and control_token as soon as it can be asked",
    )


def run(options: argparse.Namespace) -> None:
    """Serve until SIGTERM or SIGINT."""
    # They wait until the server handles them. An exception of a handler could be lost before:
    # Python drops those that come while it tidies up, as at an import.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))
    _log_to_standard_error()
    ini = {} if options.config is None else ini_file.chosen(options).settings()
    if ini.get("auth.mode", "local") != "local":
        fail(f"{options.config} is not one of local mode: its auth.mode is {ini['auth.mode']}")
    try:
        sockets = listening(options.port)
    except OSError as error:
        fail(f"cannot listen on localhost:{options.port}: {error.strerror}; name another --port")
    url = f"http://localhost:{sockets[0].getsockname()[1]}"
    with _migrated(options.database) as database_file:
        # Before what the environment and the ini file say of another service.
        os.environ |= {"AUTH_URL": url, "AUTH_DATABASE_URL": f"sqlite:///{database_file}"}
        app = authservice.main({}, **{"auth.mode": "local", **ini})
        if options.print_json:
            answer = {"url": url, "control_token": app.registry.components.control_token}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
        # What serves is above the commands, which only this one needs.
        runner = authservice.imported("authservice.serving.waitress_runner")
        runner.serve(app, None, sockets=sockets, **_SERVER)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _HIGHEST_PORT):
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {_HIGHEST_PORT}")
    return int(text)


def _file(text: str) -> str:
    # The address of a database would become a file of that name.
    if not text or "://" in text:
        raise argparse.ArgumentTypeError(f"must be the path of an SQLite file, or {_TEMPORARY}")
    return text


@contextmanager
def _migrated(named: str) -> Iterator[Path]:
    """Give the file of a migrated database; a temporary one lasts as long as the block."""
    if named != _TEMPORARY:
        file = Path(named).absolute()
        _say(file)
        _migrate(file)
        yield file
        return
    # A secret that is exported for a service would be that of every temporary one.
    for name in ("AUTH_SECRET", "AUTH_SECRET_FILE", "AUTH_SECRET_PREVIOUS"):
        os.environ.pop(name, None)
    # It need not outlive its machine.
    os.environ["AUTH_SQLITE_SYNCHRONOUS"] = "NORMAL"
    with temporary_folder() as folder:
        file = folder / "local.sqlite"
        _say(file)
        template.copy(template.path_for(schema.migrations()), file, _make_template)
        _store_keys(file)
        yield file


def _say(file: Path) -> None:
    """Name the database, whose path is needed to register a client there."""
    sys.stderr.write(f"The database is {file}.\n")


def _make_template(file: Path) -> None:
    _migrate(file)
    database = Database(f"sqlite:///{file}")
    local_mark.put(database)
    database.dispose()


def _store_keys(file: Path) -> None:
    """Store the first signing keys, as the service would do in a transaction of its own.

    What brings that about takes longer to import than all else here, and can wait until the
    first answer has been given.
    """
    secret = ServerSecret(local_secret(str(file)))
    database = Database(f"sqlite:///{file}", synchronous="NORMAL")
    with database.writer.begin() as connection:
        for key in key_rotation.new_keys().values():
            stored_keys.add(connection, key, secret, clock.now())
    database.dispose()


def _migrate(file: Path) -> None:
    with closing(lambda: Database(f"sqlite:///{file}")) as database:
        try:
            migrate_local(database)
        except (
            schema.MigrationsMissingError,
            schema.NewerSchemaError,
            schema.NoRevisionError,
        ) as error:
            fail(str(error))


def _log_to_standard_error() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(TextLines("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # As the ini files have it: oauthlib would write tokens at DEBUG.
    logging.getLogger("oauthlib").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
