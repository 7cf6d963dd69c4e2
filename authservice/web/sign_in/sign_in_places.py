"""How many sign-ins may call the identity provider at a time, and which one is next."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)

# Longer than that, a page that loads itself again is as good, and holds no thread.
PATIENCE_SECONDS = 3.0
# How long the page waits that a person without a place sees.
RELOAD_SECONDS = 2


class TooManySignInsError(Exception):
    """All places and the queue are full, so the identity provider was not called."""


class SignInPlaces:
    """The places of a process at the identity provider, and a short queue for them.

    A slow provider must not occupy all threads: the queue has at most a quarter of them, and a
    quarter stays free when all places are taken too. One address may have all places as long as no
    other address waits. The next place goes to the address with the fewest. If the queue is too
    long, the last request of the address with the most leaves it. An address of IPv6 is a network,
    and its site counts before it: who has a whole site has no more than others.
    """

    def __init__(self, number: int, *, patience: float = PATIENCE_SECONDS) -> None:
        """Offer ``number`` places; a sign-in waits for one for ``patience`` seconds.

        Until ``fit`` says how many threads there are, they count as twice the places.
        """
        self._number = number
        self._longest_line = number // 2
        self._patience = patience
        self._lock = threading.Lock()
        self._taken = 0
        self._held: Counter[str] = Counter()
        self._line: list[_Waiting] = []

    def fit(self, threads: int) -> None:
        """Keep to the threads of the server; called once, before it serves.

        With fewer than four threads there is no queue.
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
    def place(self, *senders: str) -> Iterator[None]:
        """Give a place to an address, which may be followed by its site.

        Raises TooManySignInsError if there is none.
        """
        self._take(senders)
        try:
            yield
        finally:
            self._give_back(senders)

    def _take(self, senders: tuple[str, ...]) -> None:
        with self._lock:
            if self._taken < self._number:
                self._taken += 1
                self._held.update(senders)
                return
            mine = _Waiting(senders)
            self._line.append(mine)
            if len(self._line) > self._longest_line:
                self._send_away(max(reversed(self._line), key=self._share))
        mine.decided.wait(self._patience)
        with self._lock:
            if mine in self._line:
                self._line.remove(mine)
        if not mine.has_place:
            raise TooManySignInsError

    def _give_back(self, senders: tuple[str, ...]) -> None:
        with self._lock:
            self._taken -= 1
            # What is counted stays as small as the number of places.
            self._held -= Counter(senders)
            if self._line:
                following = min(self._line, key=lambda each: _share_of(self._held, each))
                self._line.remove(following)
                self._taken += 1
                self._held.update(following.senders)
                following.has_place = True
                following.decided.set()

    def _send_away(self, waiting: "_Waiting") -> None:
        self._line.remove(waiting)
        waiting.decided.set()

    def _share(self, waiting: "_Waiting") -> tuple[int, int]:
        in_line = Counter(sender for each in self._line for sender in each.senders)
        return _share_of(self._held + in_line, waiting)


class _Waiting:
    """A request in the queue."""

    def __init__(self, senders: tuple[str, ...]) -> None:
        self.senders = senders
        self.decided = threading.Event()
        self.has_place = False


def _share_of(counted: Counter[str], waiting: _Waiting) -> tuple[int, int]:
    """Return what is counted for the site of a request, and for its address."""
    return counted[waiting.senders[-1]], counted[waiting.senders[0]]
