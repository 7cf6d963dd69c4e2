"""Whose turn it is to be told of sign-outs: each client in its turn, and one attempt at a time."""

from collections.abc import Collection, Mapping
from itertools import count

# How many clients are told at the same time, and how many of them may have failed before.
AT_ONCE = 8
_FAILED_AT_ONCE = AT_ONCE // 2


class LogoutTurns:
    """Remembers which clients are being told, who was told when, and whose last attempt failed."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._under_way: set[str] = set()
        self._last: dict[str, int] = {}
        self._failed: set[str] = set()

    @property
    def last(self) -> Mapping[str, int]:
        """Return the number of each client's last turn: the longer ago, the lower."""
        return self._last

    @property
    def passed_over(self) -> Collection[str]:
        """Return the clients whose turn it is not now.

        A client that is silent keeps its place until its time is over. So clients that failed get
        no more than some of the places, and the others never wait for them alone.
        """
        if len(self._under_way & self._failed) < _FAILED_AT_ONCE:
            return self._under_way
        return self._under_way | self._failed

    @property
    def any_left(self) -> bool:
        """Tell whether one more client may be told now."""
        return len(self._under_way) < AT_ONCE

    def begin(self, client_id: str) -> None:
        """Note that a client is being told."""
        self._under_way.add(client_id)
        self._last[client_id] = next(self._numbers)

    def end(self, client_id: str, *, told: bool) -> None:
        """Note that an attempt is over, and how."""
        self._under_way.discard(client_id)
        if told:
            self._failed.discard(client_id)
        else:
            self._failed.add(client_id)
