"""One fault: the service under load before it, in it and after it, and what came of that."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.driver.browser import Browser
from tools.bench.driver.http11 import get
from tools.bench.driver.wire import perform
from tools.bench.machine.accounting import memory_bytes
from tools.bench.people.population import Client
from tools.bench.service.checkouts import here
from tools.bench.service.deployment import REDIRECT_URI, Deployment
from tools.bench.service.variants import Variant
from tools.prove.audit import audit
from tools.prove.caller import Caller, UnansweredError
from tools.prove.fleet import Fleet, serving
from tools.prove.ledger import Ledger
from tools.prove.people import busy

# Longer than a statement may wait for the database, shorter than a proxy waits for us.
_LONGEST_ANSWER = 15.0  # seconds
_RECOVERY = 15.0
_CALM = 1.0
_BETWEEN_NEWCOMERS = 0.2
_MEMORY = 200 * 2**20  # bytes more than before


@dataclass(slots=True)
class Service:
    """The service that a fault happens to: one process, and what belongs to it."""

    deployment: Deployment
    fleet: Fleet
    client: Client
    ledger: Ledger = field(default_factory=Ledger)
    chance: random.Random = field(default_factory=random.Random)
    # Held while a newcomer is answered: a kill would cut them off, whatever the service does.
    newcomer: threading.Lock = field(default_factory=threading.Lock)

    @property
    def port(self) -> int:
        """Return where it listens."""
        return self.deployment.ports[0]

    @property
    def pid(self) -> int:
        """Return the process that serves."""
        return self.fleet.pid(self.port)

    def restart(self) -> None:
        """Kill the process and start it again, between two newcomers."""
        with self.newcomer:
            self.fleet.kill(self.port)
            self.fleet.restart(self.port)


Happening = Callable[[Service], AbstractContextManager[None]]
"""While it is open, the fault is there."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens, and what is to hold meanwhile."""

    name: str
    happens: Happening
    seconds: float
    # What the server is started through, as "prlimit --nofile=256".
    through: tuple[str, ...] = ()
    # Whether no client that behaves is to be refused.
    serves: bool = False
    # How long a newcomer may wait for an answer meanwhile.
    longest_wait: float = _LONGEST_ANSWER
    # What this machine lacks for it to happen.
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What was seen of one fault."""

    figures: str
    losses: list[str]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A fault that cannot be made to happen on this machine."""

    name: str
    why: str


@contextmanager
def service(
    folder: Path, database: EmptyDatabase, through: tuple[str, ...] = ()
) -> Iterator[Service]:
    """Give a service with a client that need not ask for consent; its log is outside the folder."""
    deployment = Deployment(Variant("faults", here(), processes=1), folder, database)
    client = Client(*deployment.register_client("--skip-consent"), REDIRECT_URI)
    log = folder.parent / f"{folder.name}.log"
    with serving(deployment, deployment.ports, log, through) as fleet:
        yield Service(deployment, fleet, client)


def suffer(subject: Service, fault: Fault) -> Found:
    """Let a fault happen to a service under load; return what was seen."""
    watch = _Newcomers(subject)
    ledger = subject.ledger
    with (
        busy(subject.deployment, subject.client, ledger, subject.chance) as callers,
        watch.watching(),
    ):
        time.sleep(_CALM)
        before = memory_bytes([subject.pid])
        refused = sum(caller.refusals for caller in callers)
        answered = sum(len(caller.moments) for caller in callers)
        with fault.happens(subject):
            deadline = time.monotonic() + fault.seconds
            while time.monotonic() < deadline:
                time.sleep(0.25)
                watch.weigh()
            refused = sum(caller.refusals for caller in callers) - refused
            answered = sum(len(caller.moments) for caller in callers) - answered
        recovery = _recovered(subject)
        time.sleep(_CALM)
    looked_at = audited(subject)
    grown = watch.most_memory - before
    if watch.longest > fault.longest_wait:
        ledger.lost(f"a newcomer waited {watch.longest:.1f} s for an answer")
    if fault.serves and refused:
        ledger.lost(f"{refused} requests of those who behave were refused")
    if recovery > _RECOVERY:
        ledger.lost(f"it took {recovery:.1f} s to recover")
    if grown > _MEMORY:
        ledger.lost(f"it took {grown / 2**20:.0f} MiB more memory")
    figures = (
        f"{fault.name}: {answered:,} answers, {refused:,} of them 503, newcomers waited"
        f" {watch.longest:.2f} s at most, as before after {recovery:.2f} s,"
        f" {before / 2**20:.0f} and at most {watch.most_memory / 2**20:.0f} MiB,"
        f" {looked_at:,} looked at"
    )
    return Found(figures, [f"{fault.name}: {loss}" for loss in ledger.losses])


def audited(subject: Service) -> int:
    """Return how many promises were looked at; those that are not kept go to the ledger."""
    with closing(Caller(subject.deployment.ports, subject.chance)) as caller:
        try:
            return audit(subject.deployment.host, subject.client, caller, subject.ledger)
        except UnansweredError:
            subject.ledger.lost("not everything could be looked at in the end")
            return 0


def _recovered(subject: Service) -> float:
    """Return the seconds until a sign-in succeeds."""
    began = time.monotonic()
    with closing(Caller(subject.deployment.ports, subject.chance)) as caller:
        while time.monotonic() - began < 2 * _RECOVERY:
            try:
                perform(Browser(subject.deployment.host).sign_in(), caller.send)
                break
            except UnansweredError:
                time.sleep(0.05)
    return time.monotonic() - began


class _Newcomers:
    """A newcomer asks for a page every now and then, on a connection of their own."""

    def __init__(self, subject: Service) -> None:
        self._subject = subject
        self.longest = 0.0
        self.most_memory = 0

    def weigh(self) -> None:
        self.most_memory = max(self.most_memory, memory_bytes([self._subject.pid]))

    @contextmanager
    def watching(self) -> Iterator[None]:
        stop = threading.Event()
        thread = threading.Thread(target=self._come, args=[stop])
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _come(self, stop: threading.Event) -> None:
        page = get(self._subject.deployment.host, "/sign-in")
        while not stop.wait(_BETWEEN_NEWCOMERS):
            began = time.monotonic()
            caller = Caller(self._subject.deployment.ports, self._subject.chance)
            with self._subject.newcomer, closing(caller):
                try:
                    answer = caller.send(page)
                    if answer.status != 200:
                        self._subject.ledger.lost(f"a newcomer got {answer.status}")
                except UnansweredError:
                    if not caller.refusals:
                        self._subject.ledger.lost("a newcomer was cut off")
            self.longest = max(self.longest, time.monotonic() - began)
