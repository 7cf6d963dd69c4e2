"""What a server does again and again beside answering requests."""

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)


class Recurring:
    """Calls a function at intervals, in a thread of its own, whatever becomes of a call."""

    def __init__(
        self, name: str, act: Callable[[threading.Event], None], *, first: float, interval: float
    ) -> None:
        """Take the function, and after how many seconds it is called first and each next time.

        It is given an event that is set when it should end early.
        """
        self._act = act
        self._first = first
        self._interval = interval
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to wait for the first time."""
        self._thread.start()

    def stop(self) -> None:
        """Call no more, and wait for the end of a call that is under way."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        seconds = self._first
        while not self._ended.wait(seconds):
            seconds = self._interval
            try:
                self._act(self._ended)
            except Exception:  # noqa: BLE001  (whatever it is, the thread has to go on)
                # Nobody would start this thread again.
                _log.exception("%s failed, and is tried again", self._thread.name)
