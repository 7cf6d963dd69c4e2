"""The one connection that writes, as each transaction has it: to itself, from begin to commit.

To SQLAlchemy it is a connection of the driver, so that whatever works with an engine works with
this one too. Beginning waits for a turn, and committing for the commit that others share.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, NoReturn

from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import NullPool

from authservice.database.sqlite.engines import reconnect_where_read_only
from authservice.database.sqlite.group_commit import GroupCommit
from authservice.database.sqlite.shared_transaction import SharedTransaction


class MemberConnection:
    """A driver's connection whose transactions are parts of shared ones."""

    def __init__(self, group: GroupCommit) -> None:
        self._group = group
        self._transaction: SharedTransaction | None = None
        self.cursor: Callable[[], Any] = _outside
        """Returns a cursor of the driver's, in a transaction; outside of one another one writes."""
        self.execute: Callable[..., Any] = _outside
        """Runs a statement, as the driver does, under the same condition."""

    def begin(self) -> None:
        """Wait for a turn; raises as ``GroupCommit.begin``."""
        self._transaction = self._group.begin()
        driver = self._transaction.driver
        self.cursor, self.execute = driver.cursor, driver.execute

    def commit(self) -> None:
        """Return when the part is committed; raises as ``Connection.commit``."""
        if (transaction := self._left()) is not None:
            self._group.commit(transaction)

    def rollback(self) -> None:
        """Give up the part; after its commit there is nothing to give up."""
        if (transaction := self._left()) is not None:
            self._group.roll_back(transaction)

    def close(self) -> None:
        """Give up the connection itself, in the midst of a part: something is wrong with it."""
        if (transaction := self._left()) is not None:
            self._group.lose(transaction)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (as the driver's)
        if self._transaction is None:
            raise AttributeError(name)
        return getattr(self._transaction.driver, name)

    def _left(self) -> SharedTransaction | None:
        """Return the transaction, which is this connection's no longer."""
        left, self._transaction = self._transaction, None
        self.cursor = self.execute = _outside
        return left


def _outside(*_arguments: object) -> NoReturn:
    raise sqlite3.ProgrammingError("no transaction has begun")


def sharing_engine(writer: Engine, group: GroupCommit) -> Engine:
    """Return an engine whose transactions share the writer's connection and their commits."""
    pool = NullPool(lambda: MemberConnection(group), dialect=writer.dialect)
    engine = Engine(pool, writer.dialect, writer.url, hide_parameters=True)
    event.listen(engine, "handle_error", reconnect_where_read_only)

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        member: Any = connection.connection.dbapi_connection
        member.begin()

    return engine
