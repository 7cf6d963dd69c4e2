"""What a request looks up at its first use and keeps.

Before Python 3.12 ``functools.cached_property`` locks for all objects together: while one request
waited for the database, every other one would wait for that request.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class kept(Generic[Value]):  # noqa: N801  (as property is written)
    """A property whose value stays; each request is looked after by one thread."""

    def __init__(self, find: Callable[[Any], Value]) -> None:
        """Take how the value is found."""
        self._find = find
        self._name = find.__name__
        self.__doc__ = find.__doc__

    def __get__(self, owner: Any, _class: type) -> Value:
        """Return the value; this is asked no more once it is there."""
        value = owner.__dict__[self._name] = self._find(owner)
        return value
