"""PostgreSQL: how long a caller waits for it, and when a connection is of no use any more."""

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, text
from sqlalchemy import select as sql_select
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import NullPool, QueuePool

from authservice.database.revision import REVISION

if TYPE_CHECKING:
    from authservice.database.postgresql.replies import Server

# The URL overrides these values. A connection to a vanished machine is closed after some 15
# seconds, also while a command waits for a reply without a limit. Of several servers only the
# primary will do. By its name a migration tells which version a connection is of.
_CONNECT: dict[str, str] = {
    "application_name": f"authservice {REVISION}",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "5",
    "keepalives_count": "2",
    "tcp_user_timeout": "15000",
    "target_session_attrs": "read-write",
}
# How long a statement waits for another transaction before the request gets 503.
_LOCK_TIMEOUT = "lock_timeout = '5s'"
# And how long a transaction of a process that stopped half-way may keep others waiting.
_WAITING = f"SET {_LOCK_TIMEOUT}; SET idle_in_transaction_session_timeout = '15s'"
_DRIVER_MISSING = (
    "the driver for PostgreSQL is not installed; run: pip install 'authservice[postgresql]'"
)
_READ_ONLY = "SET default_transaction_read_only = on"

SECRET_PARAMETERS = (
    "password",
    "sslpassword",
    "oauth_client_secret",
    "scram_client_key",
    "scram_server_key",
)
"""The parameters of an address that are secret."""

REPLY_SECONDS = 8.0
"""How long a request waits for a reply: longer than a statement waits for a lock."""


def engines(url: URL, patience: float) -> tuple[Engine, Engine]:
    """Return an engine that only reads and one that writes; they connect when first used.

    A caller without a reply after ``patience`` seconds gets OperationalError. Raises
    ModuleNotFoundError, with what to install, where the driver is missing.
    """
    try:
        # Imported here: only who has this database has its driver.
        from authservice.database.postgresql.replies import Server  # noqa: PLC0415
    except ModuleNotFoundError:
        raise ModuleNotFoundError(_DRIVER_MISSING) from None

    server = Server(patience)
    return _engine(url, server, read_only=True), _engine(url, server, read_only=False)


def _engine(url: URL, server: "Server", *, read_only: bool) -> Engine:
    agreed = {name: value for name, value in _CONNECT.items() if name not in url.query}
    kinds: dict[str, Any] = (
        # Each thread holds the one that it reads with. Each statement sees the newest state.
        {"poolclass": NullPool, "isolation_level": "AUTOCOMMIT"}
        if read_only
        # A thread writes with one at a time: no thread waits for another's. What the services
        # count on is said here, whatever the server's default is.
        else {"poolclass": QueuePool, "pool_size": 0, "isolation_level": "READ COMMITTED"}
    )
    made = create_engine(
        url,
        # An error's text goes to the log; the values do not belong there.
        hide_parameters=True,
        connect_args=agreed,
        **kinds,
    )

    @event.listens_for(made, "do_connect")
    def do_connect(_dialect: object, _record: object, arguments: Any, options: Any) -> Any:  # noqa: ANN401
        return server.connect(*arguments, **options)

    @event.listens_for(made, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
        connection.execute(f"{_WAITING}; {_READ_ONLY}" if read_only else _WAITING)
        connection.commit()

    if not read_only:

        @event.listens_for(made, "checkout")
        def on_checkout(connection: Any, _record: object, _proxy: object) -> None:  # noqa: ANN401
            if connection.is_ended():
                raise DisconnectionError

    return made


_OTHERS = text(
    r"SELECT substring(application_name from ' (\d+)$'), host(client_addr), count(*)"
    " FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    r" AND regexp_replace(application_name, ' \d+$', '')"
    r" = regexp_replace(current_setting('application_name'), ' \d+$', '')"
    " GROUP BY 1, 2 ORDER BY 1, 2"
)


class Connected(NamedTuple):
    """Connections of one version of the service from one host, as far as the server tells."""

    revision: str | None
    host: str | None
    connections: int

    def __str__(self) -> str:
        """Return them as a person is told of them."""
        of = f" of revision {self.revision}" if self.revision else ""
        where = f" from {self.host}" if self.host else ""
        return f"{self.connections} connection{'s'[: self.connections != 1]}{of}{where}"


def others_connected(connection: Connection) -> list[Connected]:
    """Return which connections servers and commands have beside this one.

    Those that have another name, as behind a pooler, are not seen.
    """
    return [Connected(*row) for row in connection.execute(_OTHERS)]


def advisory_lock(connection: Connection, key: int) -> None:
    """Wait, however long, for the advisory lock of a key; it is held until the transaction ends."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
    connection.execute(sql_select(func.pg_advisory_xact_lock(key)))
    connection.exec_driver_sql(f"SET LOCAL {_LOCK_TIMEOUT}")
