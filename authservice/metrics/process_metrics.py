"""What one process measures, and for how long."""

import os

from authservice.database.database import Database
from authservice.metrics.event_counts import EventCounts
from authservice.metrics.exposition import Exposition
from authservice.metrics.instruments import Instruments
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.upkeep.recurring import Recurring

# How often the age of the keys is looked up: they change every few weeks.
_INTERVAL = 60.0


class ProcessMetrics:
    """What one process measures, from ``start`` to ``stop``."""

    def __init__(self, address: tuple[str, int], database: Database, keys: SigningKeys) -> None:
        """Listen at the address; raises OSError when another program listens there.

        The workers of one server do not listen: they write into files that the server's main
        process adds up.
        """
        self.instruments = Instruments()
        self._events = EventCounts(self.instruments)
        self._keys = keys
        self._database = database
        self._key_ages = Recurring("key-ages", self._note_keys, first=0, interval=_INTERVAL)
        shared = "PROMETHEUS_MULTIPROC_DIR" in os.environ
        self._exposition = None if shared else Exposition(address, self.instruments.registry)

    def start(self) -> None:
        """Begin to measure."""
        self._database.observe_wait = self.instruments.database_wait.observe
        self._events.begin()
        self._key_ages.start()

    def stop(self) -> None:
        """Stop measuring, and close the listening socket."""
        self._key_ages.stop()
        self._events.end()
        self._database.observe_wait = None
        if self._exposition is not None:
            self._exposition.close()

    def _note_keys(self, _ended: object) -> None:
        for alg, made in self._keys.made.items():
            self.instruments.key_created.labels(alg).set(made.timestamp())
