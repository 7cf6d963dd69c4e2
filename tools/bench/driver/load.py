"""The load driver: keep-alive connections and one loop over epoll, too quick to be the limit.

An operation is a generator: it yields requests, is sent their answers, and raises WrongAnswerError
when one is not as it should be. Latency counts from the moment at which the operation was meant to
begin, also when no connection was free then: what waits in the driver waits for the server.
"""

import gc
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

from tools.bench.driver.http11 import Answer, WrongAnswerError, parse

CONNECTIONS = 16

_RECEIVE = 65536
_TOO_MANY_ERRORS = 20
_PATIENCE = 30.0  # seconds without any answer after which the server counts as stuck

Operation = Generator[bytes, Answer, None]
Work = Callable[[], Operation]
"""Begins operations of one kind."""
Lasting = Callable[[], bool]


@dataclass(slots=True)
class Outcome:
    """What one stretch of load came to. Durations are seconds."""

    seconds: float = 0.0
    driver_seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    """What each operation took that was completed."""
    errors: list[str] = field(default_factory=list)

    @property
    def operations(self) -> int:
        """Return how many operations were completed."""
        return len(self.latencies)

    @property
    def per_second(self) -> float:
        """Return the throughput."""
        return self.operations / self.seconds

    @property
    def driver_share(self) -> float:
        """Return which part of one CPU the driver itself used."""
        return self.driver_seconds / self.seconds


def lasting(seconds: float) -> Lasting:
    """Return the answer to "is it still going on", for a stretch that begins now."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


class _Connection:
    """A connection with at most one request under way."""

    __slots__ = ("_port", "_received", "intended", "operation", "socket")

    def __init__(self, port: int) -> None:
        self._port = port
        self.connect()

    def connect(self) -> None:
        self._received = b""
        self.socket = socket.create_connection(("127.0.0.1", self._port), timeout=_PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(0)

    def begin(self, work: Work, intended: float) -> None:
        self.operation = work()
        self.intended = intended
        self.socket.sendall(next(self.operation))

    def go_on(self, outcome: Outcome) -> bool:
        """Take what has arrived, and note what is complete; True when the operation is."""
        received = self.socket.recv(_RECEIVE)
        if not received:
            raise ConnectionError("the server closed the connection")
        if self._received:
            received = self._received + received
        answer = parse(received)
        if answer is None:
            self._received = received
            return False
        self._received = b""
        now = time.perf_counter()
        try:
            request = self.operation.send(answer)
        except StopIteration:
            outcome.latencies.append(now - self.intended)
            return True
        self.socket.sendall(request)
        return False


class Load:
    """Connections to the processes of a service on this machine: so many to each one's port."""

    def __init__(self, ports: Sequence[int], connections: int = CONNECTIONS) -> None:
        """Connect. A process with fewer would find less to do at a time, and wake for each."""
        self._connections = [_Connection(port) for _ in range(connections) for port in ports]
        self._epoll = select.epoll()
        self._by_number: dict[int, _Connection] = {}
        for connection in self._connections:
            self._watch(connection)

    def close(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.socket.close()
        self._epoll.close()

    def closed_loop(self, works: Sequence[Work], going_on: Lasting) -> Outcome:
        """Keep every connection busy: saturation. Each begins again when its operation is complete.

        There is one kind of work for all, or one for each port.
        The stretch begins and ends without a request under way, so that what the server used
        meanwhile belongs to exactly the operations counted.
        """
        with _measured() as outcome:
            own = dict(zip(self._connections, cycle(works), strict=False))
            for connection, work in own.items():
                connection.begin(work, time.perf_counter())
            busy = len(self._connections)
            while busy:
                for connection in self._completed(outcome, _PATIENCE):
                    if going_on() and len(outcome.errors) < _TOO_MANY_ERRORS:
                        connection.begin(own[connection], time.perf_counter())
                    else:
                        busy -= 1
        return outcome

    def constant_rate(self, work: Work, rate: float, going_on: Lasting) -> Outcome:
        """Begin operations at a constant rate, however late answers are."""
        with _measured() as outcome:
            free = deque(self._connections)
            waiting: deque[float] = deque()
            due = time.perf_counter()
            arriving = True
            while arriving or waiting or len(free) < len(self._connections):
                while arriving and due <= time.perf_counter():
                    waiting.append(due)
                    due += 1 / rate
                    arriving = going_on() and len(outcome.errors) < _TOO_MANY_ERRORS
                while waiting and free:
                    free.popleft().begin(work, waiting.popleft())
                pause = max(due - time.perf_counter(), 0.0) if arriving else _PATIENCE
                free.extend(self._completed(outcome, pause, arriving=arriving))
        return outcome

    def _completed(
        self, outcome: Outcome, pause: float, *, arriving: bool = False
    ) -> Iterator[_Connection]:
        """Yield the connections that are free again, after waiting for a while at most."""
        # epoll waits in whole milliseconds, which would be part of every latency; select does not.
        ready, _, _ = select.select([self._epoll], [], [], pause)
        if not ready:
            if not arriving:
                raise WrongAnswerError(f"no answer within {pause:.0f} seconds")
            return
        for number, _ in self._epoll.poll(0):
            connection = self._by_number[number]
            try:
                if not connection.go_on(outcome):
                    continue
            except WrongAnswerError as error:
                outcome.errors.append(str(error))
            except OSError as error:
                outcome.errors.append(str(error))
                self._replace(connection)
            yield connection

    def _replace(self, connection: _Connection) -> None:
        del self._by_number[connection.socket.fileno()]
        connection.socket.close()
        connection.connect()
        self._watch(connection)

    def _watch(self, connection: _Connection) -> None:
        self._epoll.register(connection.socket, select.EPOLLIN)
        self._by_number[connection.socket.fileno()] = connection


@contextmanager
def connected(ports: Sequence[int]) -> Iterator[Load]:
    """Give the driver, connected to the ports until the end of the block."""
    load = Load(ports)
    try:
        yield load
    finally:
        load.close()


@contextmanager
def _measured() -> Iterator[Outcome]:
    """Give an outcome, and note in it how long the block took, and what it used itself."""
    outcome = Outcome()
    gc.collect()
    gc.disable()  # a collection would be a pause of every connection at once
    began, used = time.perf_counter(), time.process_time()
    try:
        yield outcome
    finally:
        outcome.seconds = time.perf_counter() - began
        outcome.driver_seconds = time.process_time() - used
        gc.enable()
