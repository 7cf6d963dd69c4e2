"""What a server does at regular intervals, in its own thread."""

import logging
import threading
from collections.abc import Callable

from authservice.database.database import Database

_log = logging.getLogger(__name__)


class Recurring:
    """Calls a function at intervals, in its own thread. A call that fails does not end it."""

    def __init__(
        self,
        name: str,
        act: Callable[[threading.Event], None],
        database: Database,
        *,
        first: float,
        interval: float,
    ) -> None:
        """Call ``act`` after ``first`` seconds, and then every ``interval`` seconds.

        ``act`` receives an event that is set when it should end early. It may read the database.
        """
        self._act = act
        self._database = database
        self._first = first
        self._interval = interval
        self._ended = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to wait for the first time."""
        self._thread.start()

    def wake(self) -> None:
        """Call at once, or once more where a call is under way."""
        self._woken.set()

    def stop(self) -> None:
        """Call no more, and wait for the end of a call that is under way."""
        self._ended.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        seconds = self._first
        while True:
            self._woken.wait(seconds)
            self._woken.clear()
            if self._ended.is_set():
                return
            seconds = self._interval
            try:
                self._act(self._ended)
            except Exception:  # noqa: BLE001  (whatever it is, the thread has to go on)
                # This thread would never start again.
                _log.exception("%s failed, and is tried again", self._thread.name)
            finally:
                # The thread needs none until the next time.
                self._database.hand_back_reader()
