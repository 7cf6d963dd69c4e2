"""Hundreds of thousands of requests to the application in this very process, without a server."""

import logging
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from prove.fuzz.requests import made
from prove.fuzz.rules import LogRules, broken_by
from prove.fuzz.service import service
from prove.outcome import Extent, Outcome

_REQUESTS: dict[Extent, int] = {"brief": 2_000, "quick": 200_000, "long": 5_000_000}
_PROCESSES = 2
# So many requests share what one person holds, which the requests themselves use up.
_TOGETHER = 500
# Of one process. More of them say nothing new.
_ENOUGH = 20


class _Found(NamedTuple):
    statuses: Counter[int]
    lines: int
    losses: list[str]


def fuzz(extent: Extent) -> Outcome:
    """Send requests made of the grammar, and hold each answer and each line against the rules."""
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    share = _REQUESTS[extent] // _PROCESSES
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        found = list(pool.map(_run, range(seed, seed + _PROCESSES), [share] * _PROCESSES))
    statuses = sum((each.statuses for each in found), Counter[int]())
    figures: list[tuple[str, int | float | str]] = [
        ("requests", statuses.total()),
        *((f"answered {status // 100}xx", number) for status, number in _by_class(statuses)),
        ("lines of the log", sum(each.lines for each in found)),
    ]
    return Outcome("fuzz", figures, [loss for each in found for loss in each.losses])


def _by_class(statuses: Counter[int]) -> list[tuple[int, int]]:
    classes = Counter[int]()
    for status, number in statuses.items():
        classes[status // 100 * 100] += number
    return sorted(classes.items())


def _run(seed: int, number: int) -> _Found:
    chance = random.Random(seed)
    log = LogRules()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.INFO)
    statuses = Counter[int]()
    losses: list[str] = []
    with service() as asked:
        for turn in range(number):
            if turn % _TOGETHER == 0:
                log.held = held = asked.held(chance)
            request = made(chance, held.good)
            try:
                answer = asked.answer(request)
            except Exception as error:  # noqa: BLE001  (whatever it is, it is a finding)
                losses.append(f"{type(error).__name__}: {error}, upon {request}")
            else:
                statuses[answer.status] += 1
                broken = [*broken_by(answer, asked.untold), *log.broken]
                losses += [f"{rule}, upon {request}" for rule in broken]
            log.broken.clear()
            if len(losses) >= _ENOUGH:
                break
    return _Found(statuses, log.lines, losses)
