"""How values are stored: dates as integer milliseconds, booleans as integers, arrays as JSON.

The same encoding holds on SQLite and on PostgreSQL, so that a row reads alike in both.
"""

import json
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator

from authservice.compact_json import compact

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class EpochMillis(TypeDecorator[datetime]):
    """An aware datetime, stored as 64-bit integer milliseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Return the milliseconds to store; a naive datetime is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            # A naive value would silently be taken as local time.
            message = "a stored date needs a time zone"
            raise ValueError(message)
        return (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Return the stored moment in UTC."""
        return None if value is None else _EPOCH + timedelta(milliseconds=value)


class IntegerBoolean(TypeDecorator[bool]):
    """A truth value, stored as the integer 0 or 1 in every database."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:  # noqa: FBT001  (SQLAlchemy's own signature)
        """Return 0 or 1."""
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> bool | None:
        """Return the truth value."""
        return None if value is None else bool(value)


class JSONText(TypeDecorator[Any]):
    """An object or an array of texts, stored as compact JSON; arrays come back as tuples."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401  (JSON)
        """Return the JSON text."""
        if value is None:
            return None
        return _array_text(value) if type(value) is tuple else compact(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401  (JSON)
        """Return what the text holds, an array as a tuple: changing it in place is no update."""
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
