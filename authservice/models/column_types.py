"""How values are stored: dates as integer milliseconds, booleans as integers, arrays as JSON.

The same encoding holds on SQLite and on PostgreSQL, so that a row reads alike in both. Constraints
have names that follow from their tables: SQLite cannot alter one without a name.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, MetaData, Text
from sqlalchemy.types import TypeDecorator

from authservice.crypto.compact_json import compact

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

# The types give these themselves: SQLAlchemy would call each through a function of its own.
Conversion = Callable[[Any], Any]


class EpochMillis(TypeDecorator[datetime]):
    """An aware datetime, stored as 64-bit integer milliseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Conversion:
        """Return the function from a datetime to the stored value; ValueError for a naive one."""
        return _milliseconds

    def result_processor(self, dialect: Dialect, coltype: object) -> Conversion:
        """Return the function from the stored value to a datetime in UTC."""
        return _moment


class IntegerBoolean(TypeDecorator[bool]):
    """A truth value, stored as the integer 0 or 1 in every database."""

    impl = Integer
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Conversion:
        """Return what turns a truth value into 0 or 1."""
        return _integer

    def result_processor(self, dialect: Dialect, coltype: object) -> Conversion:
        """Return what turns 0 or 1 into a truth value."""
        return _truth


class JSONText(TypeDecorator[Any]):
    """An object or an array of texts, stored as compact JSON; arrays come back as tuples.

    An array in a tuple cannot be changed in place, which would be no update.
    """

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Conversion:
        """Return what turns content into JSON."""
        return _text

    def result_processor(self, dialect: Dialect, coltype: object) -> Conversion:
        """Return what turns JSON into content."""
        return _content


def _milliseconds(value: datetime | None) -> int | None:
    if value is None:
        return None
    if value.tzinfo is None:
        # A naive value would silently be taken as local time.
        message = "a stored date needs a time zone"
        raise ValueError(message)
    return (value - _EPOCH) // _MILLISECOND


def _moment(value: int | None) -> datetime | None:
    return None if value is None else _EPOCH + value * _MILLISECOND


def _integer(value: bool | None) -> int | None:  # noqa: FBT001  (what is converted)
    return None if value is None else int(value)


def _truth(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _text(value: Any) -> str | None:  # noqa: ANN401  (JSON)
    if value is None:
        return None
    return _array_text(value) if type(value) is tuple else compact(value)


def _content(value: str | None) -> Any:  # noqa: ANN401  (JSON)
    if value is None:
        return None
    return _array(value) if value.startswith("[") else json.loads(value)


@lru_cache(maxsize=1024)
def _array_text(texts: tuple[str, ...]) -> str:
    return compact(texts)


@lru_cache(maxsize=1024)
def _array(text: str) -> tuple[Any, ...]:
    # The same few lists of scopes and addresses come with every row.
    return tuple(json.loads(text))
