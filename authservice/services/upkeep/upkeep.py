"""The upkeep of the database while the service runs, without an operator.

Each process of the service sees to it. They need not know of one another: what one has done, the
others find done.
"""

import logging
import secrets
import threading

from authservice.database import transaction
from authservice.database.database import Database
from authservice.database.sqlite.write_ahead_log import WriteAheadLog
from authservice.services.upkeep.cleanup import CleanUp
from authservice.services.upkeep.recurring import Recurring

_log = logging.getLogger(__name__)

# By then the process has given its first answer, which must not wait for this.
_READY_TO_WRITE_AFTER = 1.0
_LOG_INTERVAL = 1.0
_FILE_INTERVAL = 1.0
_CLEANUP_INTERVAL = 3600.0
# Processes that were started together do not clean up together.
_FIRST_CLEANUP_WITHIN = 600


class Upkeep:
    """Deletes what has expired, each hour; keeps SQLite's log short, and watches its file.

    A second after the start it loads what the first writing transaction needs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ready_to_write = threading.Timer(_READY_TO_WRITE_AFTER, transaction.get_ready)
        self._ready_to_write.name = "ready-to-write"
        self._ready_to_write.daemon = True
        self._tasks = [
            Recurring(
                "clean-up",
                self._clean_up,
                database,
                first=secrets.randbelow(_FIRST_CLEANUP_WITHIN),
                interval=_CLEANUP_INTERVAL,
            )
        ]
        if database.file is not None:
            file = database.file
            self._tasks.append(
                Recurring(
                    "database file",
                    lambda _ended: file.look_again(),
                    database,
                    first=_FILE_INTERVAL,
                    interval=_FILE_INTERVAL,
                )
            )
            log = WriteAheadLog(str(database.url.database))
            self._tasks.append(
                Recurring(
                    "write-ahead log",
                    lambda _ended: log.keep_short(),
                    database,
                    first=_LOG_INTERVAL,
                    interval=_LOG_INTERVAL,
                )
            )

    def start(self) -> None:
        """Begin."""
        self._ready_to_write.start()
        for task in self._tasks:
            task.start()

    def stop(self) -> None:
        """End, after the transaction that is under way."""
        if self._database.file is not None:
            self._database.file.stop()
        self._ready_to_write.cancel()
        if self._ready_to_write.is_alive():
            self._ready_to_write.join()
        for task in self._tasks:
            task.stop()

    def _clean_up(self, ended: threading.Event) -> None:
        deleted = CleanUp(self._database, ended).run()
        if any(deleted.values()):
            _log.info("deleted what had expired: %s", deleted)
