"""A property of a request that is computed at its first use, and then cached.

Before Python 3.12 ``functools.cached_property`` locks for all objects together: while one request
waited for the database, every other one would wait for that request.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class cached(Generic[Value]):  # noqa: N801  (as property is written)
    """A property whose value stays; only one thread works on a request."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, owner: Any, _class: type) -> Value:
        """Return the value; Python calls this only until the value is stored."""
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
