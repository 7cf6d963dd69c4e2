"""Statements compiled once and run by the driver itself, for what nearly every request asks.

SQLAlchemy builds an execution context, a cursor result and a row object for each execution, which
together cost more than the database takes to answer. Here a statement is compiled at its first
use, the conversions of its columns' types are kept at hand, and rows are plain tuples, or objects
of a class whose fields are named as the columns are.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter, methodcaller
from typing import Any, Generic, TypeVar, get_type_hints

from sqlalchemy import Connection, Delete, Dialect, Insert, Select, Update
from sqlalchemy.exc import DBAPIError

Row = tuple[Any, ...]
R = TypeVar("R")

_FIRST, _ALL, _COUNT = methodcaller("fetchone"), methodcaller("fetchall"), attrgetter("rowcount")


class Prepared:
    """A statement whose parameters are bound by name; an INSERT names the columns it fills."""

    def __init__(self, statement: Select[Any] | Insert | Update | Delete, *columns: str) -> None:
        self._statement = statement
        self._columns = columns
        self._compiled: dict[str, _Compiled] = {}

    def first(self, connection: Connection, parameters: Mapping[str, Any]) -> Row | None:
        """Return the first row that the statement answers; raises as ``Connection.execute``."""
        compiled = self._for(connection.dialect)
        row = compiled.run(connection, parameters, _FIRST)
        return None if row is None else compiled.converted(row)

    def all(self, connection: Connection, parameters: Mapping[str, Any]) -> list[Row]:
        """Return every row that the statement answers; raises as ``Connection.execute``."""
        compiled = self._for(connection.dialect)
        return [compiled.converted(row) for row in compiled.run(connection, parameters, _ALL)]

    def rowcount(self, connection: Connection, parameters: Mapping[str, Any]) -> int:
        """Return how many rows the statement changed; raises as ``Connection.execute``."""
        count: int = self._for(connection.dialect).run(connection, parameters, _COUNT)
        return count

    def _for(self, dialect: Dialect) -> "_Compiled":
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = _Compiled(self._statement, self._columns, dialect)
            self._compiled[dialect.name] = compiled
        return compiled


class PreparedRows(Generic[R]):
    """A SELECT each row of which becomes an object of a data class.

    Its columns have the names of the fields, in their order; TypeError tells what differs. A last
    field that is an object of a data class itself has the columns that are left.
    """

    def __init__(self, statement: Select[Any], row: type[R]) -> None:
        names, self._made = _maker(row)
        columns = [column.name for column in statement.exported_columns]
        if names != columns:
            raise TypeError(f"{row.__name__} has the fields {names}, the SELECT has {columns}")
        self._prepared = Prepared(statement)

    def first(self, connection: Connection, parameters: Mapping[str, Any]) -> R | None:
        """Return the first row that the statement answers; raises as ``Connection.execute``."""
        row = self._prepared.first(connection, parameters)
        return None if row is None else self._made(row)

    def all(self, connection: Connection, parameters: Mapping[str, Any]) -> list[R]:
        """Return every row that the statement answers; raises as ``Connection.execute``."""
        return [self._made(row) for row in self._prepared.all(connection, parameters)]


def _maker(row: Callable[..., R]) -> tuple[list[str], Callable[[Sequence[Any]], R]]:
    """Return the names of a data class's columns, and what makes an object of their values."""
    *own, last = (field.name for field in fields(row))  # type: ignore[arg-type]  # a data class
    within: type[Any] = get_type_hints(row)[last]
    if not is_dataclass(within):
        return [*own, last], lambda values: row(*values)
    names, made = _maker(within)
    begin = len(own)
    return [*own, *names], lambda values: row(*values[:begin], made(values[begin:]))


class _Compiled:
    """A statement as one kind of database takes it."""

    def __init__(
        self,
        statement: Select[Any] | Insert | Update | Delete,
        columns: Sequence[str],
        dialect: Dialect,
    ) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=list(columns) or None)
        self.sql = str(compiled)
        self._constants = {
            name: bind.value for bind, name in compiled.bind_names.items() if not bind.required
        }
        converting = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect)
            for bind, name in compiled.bind_names.items()
        }
        self._by_position = compiled.positiontup is not None
        names = compiled.positiontup or converting
        self._binds = [(name, converting[name]) for name in names]
        results = [column.type for column in statement.exported_columns]
        self._conversions = [
            (position, convert)
            for position, type_ in enumerate(results)
            if (convert := type_.dialect_impl(dialect).result_processor(dialect, None)) is not None
        ]

    def run(
        self,
        connection: Connection,
        parameters: Mapping[str, Any],
        result: Callable[[Any], Any],
    ) -> Any:  # noqa: ANN401  (what the driver's cursor gives)
        """Execute the statement; return what ``result`` takes of the driver's cursor."""
        bound = self.bound(parameters)
        driver: Any = connection.connection.dbapi_connection
        try:
            return result(driver.execute(self.sql, bound))
        except connection.dialect.loaded_dbapi.Error as error:
            raise _raised(connection, self.sql, error) from error

    def bound(self, parameters: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as the driver takes them)
        """Return the parameters as the driver takes them: by position or by name."""
        given = {**self._constants, **parameters} if self._constants else parameters
        if self._by_position:
            return [
                given[name] if convert is None else convert(given[name])
                for name, convert in self._binds
            ]
        return {
            name: given[name] if convert is None else convert(given[name])
            for name, convert in self._binds
        }

    def converted(self, row: Row) -> Row:
        """Return a row with what the database stores turned into our values."""
        values = list(row)
        for position, convert in self._conversions:
            values[position] = convert(values[position])
        return tuple(values)


def run(connection: Connection, statement: str) -> None:
    """Run a statement that takes and answers nothing; raises as ``Connection.execute``."""
    driver: Any = connection.connection.dbapi_connection
    try:
        driver.execute(statement)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _raised(connection, statement, error) from error


def is_read_only(error: BaseException | None) -> bool:
    """Tell whether SQLite could not write to a file: one opened read-only stays so for good."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    # The lowest byte is the kind, the rest says more of it.
    return code & 0xFF == sqlite3.SQLITE_READONLY


def _raised(connection: Connection, sql: str, error: Any) -> Any:  # noqa: ANN401  (the driver's)
    """Return SQLAlchemy's error in place of the driver's, and discard a broken connection."""
    dialect = connection.dialect
    lost = is_read_only(error) or dialect.is_disconnect(
        error, connection.connection.dbapi_connection, None
    )
    if lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        sql,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=lost,
        dialect=dialect,
    )
