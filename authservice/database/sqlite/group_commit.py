"""One commit for the transactions of threads that write at the same moment.

SQLite has one transaction at a time that writes, and each commit costs a wait for the disk and a
copy of every page that it changed. Of the threads that wait for their turn, the next one goes on
in the transaction of the one before, and the last one commits for all. Each returns when that is
done, so no caller is told of what a power cut could still take back.
"""

import threading
from collections.abc import Callable

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import TimeoutError  # noqa: A004  (what a full pool raises, too)

from authservice.database.sqlite.checkpoints import Checkpoints
from authservice.database.sqlite.engines import PATIENCE_SECONDS
from authservice.database.sqlite.shared_transaction import SharedTransaction


class GroupCommit:
    """The one connection of this process that writes, which its threads use by turns.

    To wait for a turn costs nothing, to wait for the file's lock is to ask again and again. And
    the page cache of a connection holds as long as no other one writes.

    The engine connects when the first thread writes. ``confirm`` is called after each commit, and
    raises where the commit counts for nothing: then no thread is told that it was made.
    """

    def __init__(
        self, engine: Engine, checkpoints: Checkpoints, confirm: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._confirm = confirm
        self._checkpoints = checkpoints
        self._connection: Connection | None = None
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._open: SharedTransaction | None = None
        """What the thread that has the turn writes in, and the next one may."""

    def begin(self) -> SharedTransaction:
        """Return a transaction in which no other thread writes until the caller's part has ended.

        Raises sqlalchemy.exc.TimeoutError when other threads write for too long, OperationalError
        when another process does.
        """
        self._take_turn()
        try:
            if self._open is not None:
                self._open.begin_part()
            else:
                self._open = SharedTransaction(self._connected())
        except BaseException:
            self._give_turn_back()
            raise
        return self._open

    def commit(self, transaction: SharedTransaction) -> None:
        """Return when the caller's part is committed; raises as ``Connection.commit``."""
        self._settle(transaction, transaction.keep_part)
        transaction.wait()
        self._checkpoints.note_transaction()

    def roll_back(self, transaction: SharedTransaction) -> None:
        """Give up the caller's part, and nothing of the parts before it."""
        if transaction.is_empty or transaction.is_lost:
            self._end(transaction, commit=False)
        else:
            self._settle(transaction, transaction.give_up_part)

    def lose(self, transaction: SharedTransaction) -> None:
        """Give up the connection, with the parts of all whose transaction this is."""
        transaction.lose()
        self._end(transaction, commit=False)

    def close(self) -> None:
        """Close the connection, while no thread writes."""
        if self._connection is not None:
            self._connection.close()

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = self._engine.connect()
        return self._connection

    def _take_turn(self) -> None:
        with self._counting:
            self._waiting += 1
        try:
            taken = self._turn.acquire(timeout=PATIENCE_SECONDS)
        finally:
            with self._counting:
                self._waiting -= 1
        if taken:
            return
        # The commit may have been left to this thread, in the moment in which it gave up.
        if self._turn.acquire(blocking=False):
            self._give_turn_back()
        raise TimeoutError("another thread writes for too long")

    def _settle(self, transaction: SharedTransaction, settle: Callable[[], None]) -> None:
        """Keep the caller's part or give it up, and pass its turn on; all is lost if it fails."""
        try:
            settle()
        except BaseException:
            self._end(transaction, commit=False)
            raise
        self._pass_on(transaction)

    def _pass_on(self, transaction: SharedTransaction) -> None:
        """Leave the commit to a thread that waits for its turn, if there is one."""
        with self._counting:
            is_left = self._waiting > 0 and transaction.is_open
            if is_left:
                self._turn.release()
        if not is_left:
            self._end(transaction, commit=True)

    def _give_turn_back(self) -> None:
        """Give back a turn in which nothing was begun, with the commit that was left to it."""
        if self._open is None:
            self._turn.release()
        else:
            self._end(self._open, commit=True)

    def _end(self, transaction: SharedTransaction, *, commit: bool) -> None:
        failed = True
        try:
            if commit:
                transaction.commit()
                self._confirm()
                failed = False
        finally:
            self._open = None
            try:
                transaction.end(failed=failed)
            finally:
                self._turn.release()
