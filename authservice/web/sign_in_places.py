"""Places for those who wait for the identity provider: a few in a process, by turns of address."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)

# Longer than that, a page that loads itself again is as good, and holds no thread.
PATIENCE_SECONDS = 3.0
# What the page waits that is shown to a person for whom there was no place.
RELOAD_SECONDS = 2


class TooManySignInsError(Exception):
    """Enough people wait for the identity provider already; it was not asked."""


class SignInPlaces:
    """The places of a process, and a short line before them.

    A provider that is slow must not have all the threads that answer everybody else: who stands in
    line takes at most a quarter of them, and a quarter is left when all places are taken too. One
    address may have all places as long as nobody else is there. The next place goes to the address
    with the fewest, and who makes the line too long is the last one of the address with the most.
    """

    def __init__(self, number: int, *, patience: float = PATIENCE_SECONDS) -> None:
        """Take how many places there are, and the seconds that somebody waits for one.

        Until ``fit`` says how many threads there are, they count as twice the places.
        """
        self._number = number
        self._longest_line = number // 2
        self._patience = patience
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._line: list[_Waiting] = []

    def fit(self, threads: int) -> None:
        """Keep to the threads of the server; called once, before it serves.

        With fewer than four threads nobody stands in line.
        """
        quarter = threads // 4
        number = min(self._number, max(1, threads - quarter - max(1, quarter)))
        if number < self._number:
            _log.warning(
                "provider.concurrent_sign_ins is %d, but a server with threads = %d leaves %d",
                self._number,
                threads,
                number,
            )
        self._number = number
        self._longest_line = quarter

    @contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Give a place to somebody at an address; raises TooManySignInsError if there is none."""
        self._take(address)
        try:
            yield
        finally:
            self._give_back(address)

    def _take(self, address: str) -> None:
        with self._lock:
            if self._held.total() < self._number:
                self._held[address] += 1
                return
            mine = _Waiting(address)
            self._line.append(mine)
            if len(self._line) > self._longest_line:
                self._send_away(max(reversed(self._line), key=self._share))
        mine.decided.wait(self._patience)
        with self._lock:
            if mine in self._line:
                self._line.remove(mine)
        if not mine.has_place:
            raise TooManySignInsError

    def _give_back(self, address: str) -> None:
        with self._lock:
            self._held[address] -= 1
            if not self._held[address]:
                # What is counted stays as small as the number of places.
                del self._held[address]
            if self._line:
                following = min(self._line, key=lambda each: self._held[each.address])
                self._line.remove(following)
                self._held[following.address] += 1
                following.has_place = True
                following.decided.set()

    def _send_away(self, waiting: "_Waiting") -> None:
        self._line.remove(waiting)
        waiting.decided.set()

    def _share(self, waiting: "_Waiting") -> int:
        in_line = sum(each.address == waiting.address for each in self._line)
        return self._held[waiting.address] + in_line


class _Waiting:
    """Somebody in line."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.decided = threading.Event()
        self.has_place = False
