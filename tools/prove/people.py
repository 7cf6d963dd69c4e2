"""People and clients who go about their business while something is broken, a thread each."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from tools.bench.people.population import Client
from tools.bench.service.deployment import Deployment
from tools.prove.caller import Caller
from tools.prove.ledger import Ledger
from tools.prove.walk import Walk

_PEOPLE = 6


@contextmanager
def busy(
    deployment: Deployment, client: Client, ledger: Ledger, chance: random.Random
) -> Iterator[list[Caller]]:
    """Give those who ask; at the end each finishes the step that it is at."""
    callers: list[Caller] = []
    threads: list[threading.Thread] = []
    stop = threading.Event()
    for _ in range(_PEOPLE):
        pair = tuple(Caller(deployment.ports, random.Random(chance.random())) for _ in range(2))
        callers += pair
        walk = Walk(deployment.host, client, (pair[0], pair[1]), ledger, chance.randrange(2**32))
        threads.append(threading.Thread(target=walk.go, args=[stop]))
    for thread in threads:
        thread.start()
    try:
        yield callers
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for caller in callers:
            caller.close()


def longest_silence(callers: list[Caller]) -> float:
    """Return the longest time, in seconds, in which no request was answered."""
    moments = sorted(moment for caller in callers for moment in caller.moments)
    return max(later - earlier for earlier, later in pairwise(moments))
