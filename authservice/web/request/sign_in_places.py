"""How many sign-ins may call the identity provider at a time, and which one is next."""

import logging
import threading
from collections import ChainMap, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_log = logging.getLogger(__name__)

# Longer than that, a page that loads itself again is as good, and holds no thread.
PATIENCE_SECONDS = 3.0
# How long the page waits that a person without a place sees.
RELOAD_SECONDS = 2
# How many addresses and sites are remembered with their last turn; any other counts as new.
_KNOWN = 1000


class TooManySignInsError(Exception):
    """All places and the queue are full, so the identity provider was not called."""


class SignInPlaces:
    """The places of a process at the identity provider, and a short queue for them.

    A slow provider must not occupy all threads: a quarter of them may wait in the queue, and
    another quarter stays free. One address may have all places while no other address waits. As
    soon as others wait, addresses take turns: the one that was served last comes last, and is
    dropped when the queue is full. For IPv6 an address is a network of 64 bits, and networks of one
    site take their turns together, so that a whole site gets no more than one address.
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
        self._turns = 0
        # The last turn of an address or a site.
        self._served: OrderedDict[str, int] = OrderedDict()
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
            self._give_back()

    def _take(self, senders: tuple[str, ...]) -> None:
        with self._lock:
            if self._taken < self._number:
                self._serve(senders)
                return
            mine = _Waiting(senders)
            self._line.append(mine)
            if len(self._line) > self._longest_line:
                *_, last = self._in_turn()
                self._line.remove(last)
                last.decided.set()
        mine.decided.wait(self._patience)
        with self._lock:
            if mine in self._line:
                self._line.remove(mine)
        if not mine.has_place:
            raise TooManySignInsError

    def _give_back(self) -> None:
        with self._lock:
            self._taken -= 1
            if self._line:
                following, *_ = self._in_turn()
                self._line.remove(following)
                self._serve(following.senders)
                following.has_place = True
                following.decided.set()

    def _serve(self, senders: tuple[str, ...]) -> None:
        self._taken += 1
        self._turns += 1
        for sender in senders:
            self._served[sender] = self._turns
            self._served.move_to_end(sender)
        while len(self._served) > _KNOWN:
            self._served.popitem(last=False)

    def _in_turn(self) -> "list[_Waiting]":
        """Return the queue in the order in which the next places go round."""
        served: ChainMap[str, int] = ChainMap({}, self._served)
        left, order = list(self._line), []
        while left:
            following = min(left, key=lambda each: each.last_served(served))
            left.remove(following)
            order.append(following)
            served.update(dict.fromkeys(following.senders, self._turns + len(order)))
        return order


class _Waiting:
    """A request in the queue."""

    def __init__(self, senders: tuple[str, ...]) -> None:
        self.senders = senders
        self.decided = threading.Event()
        self.has_place = False

    def last_served(self, served: Mapping[str, int]) -> tuple[int, int]:
        """Return the last turn of the request's site, and that of its address."""
        return served.get(self.senders[-1], 0), served.get(self.senders[0], 0)
