"""PostgreSQL: how long anybody waits for it, and when a connection is of no use any more."""

import select
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func
from sqlalchemy import select as sql_select
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import NullPool, QueuePool

# What the URL says wins. A server that has vanished, rather than stopped, is given up after some
# 15 seconds; of several servers only the one that takes writes will do.
_CONNECT: dict[str, str] = {
    "application_name": "authservice",
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


def engine(url: URL, *, read_only: bool) -> Engine:
    """Return an engine that connects when first used.

    Raises ModuleNotFoundError, with what to install, where the driver is missing.
    """
    try:
        # Imported here: only who has this database has its driver.
        from authservice.postgresql_errors import ReticentCursor  # noqa: PLC0415
    except ModuleNotFoundError:
        raise ModuleNotFoundError(_DRIVER_MISSING) from None

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
        # An error's text goes to the log; what was asked for does not belong there.
        hide_parameters=True,
        connect_args={**agreed, "cursor_factory": ReticentCursor},
        **kinds,
    )

    @event.listens_for(made, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
        connection.execute(f"{_WAITING}; {_READ_ONLY}" if read_only else _WAITING)
        connection.commit()

    if not read_only:

        @event.listens_for(made, "checkout")
        def on_checkout(connection: Any, _record: object, _proxy: object) -> None:  # noqa: ANN401
            if is_ended(connection):
                raise DisconnectionError

    return made


def take_turns(connection: Connection, turn: int) -> None:
    """Let nobody else have this turn before the transaction ends; waits as long as it takes."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
    connection.execute(sql_select(func.pg_advisory_xact_lock(turn)))
    connection.exec_driver_sql(f"SET LOCAL {_LOCK_TIMEOUT}")


def is_ended(connection: Any) -> bool:  # noqa: ANN401  (a DBAPI connection)
    """Tell whether the server has ended an idle connection, without asking it.

    It says nothing unasked, so whatever is there to be read is its farewell.
    """
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
