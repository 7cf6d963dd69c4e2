"""Hundreds of thousands of requests to the application in this very process, without a server."""

import logging
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from tools.prove.fuzz.requests import Request, requests
from tools.prove.fuzz.rules import LogRules, broken_by
from tools.prove.fuzz.service import Service, service
from tools.prove.outcome import Extent, Outcome

_REQUESTS: dict[Extent, int] = {"brief": 2_000, "quick": 200_000, "long": 5_000_000}
_PROCESSES = 2
# So many requests share what one person holds, which the requests themselves use up.
_TOGETHER = 500
# Hypothesis under another name than its own, so that it draws each request afresh. Under its own,
# most are the one before with a part changed, and four of ten have been sent already.
_BACKEND = "afresh"
# Of one process. More of them say nothing new.
_ENOUGH = 20


class _Found(NamedTuple):
    statuses: Counter[int]
    lines: int
    losses: list[str]


class _BrokenRuleError(Exception):
    """What a request breaks."""


def fuzz(extent: Extent) -> Outcome:
    """Send requests made of the grammar, and hold each answer and each line against the rules."""
    first = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {first}\n")
    share = _REQUESTS[extent] // _PROCESSES
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        found = list(pool.map(_run, range(first, first + _PROCESSES), [share] * _PROCESSES))
    statuses = sum((each.statuses for each in found), Counter[int]())
    figures: list[tuple[str, int | float | str]] = [
        ("requests", statuses.total()),
        *((f"answered {status // 100}xx", number) for status, number in _by_class(statuses)),
        ("lines of the log", sum(each.lines for each in found)),
    ]
    return Outcome("fuzz", figures, [loss for each in found for loss in each.losses])


def loss(
    good: Mapping[str, str], number: int, start: int, broken: Callable[[Request], list[str]]
) -> str | None:
    """Draw so many requests of good values, and return what one breaks, with the smallest such.

    When it breaks nothing the next time, for what a user holds was used up by it, it is returned
    as it was drawn.
    """
    drawn: list[str] = []
    AVAILABLE_PROVIDERS[_BACKEND] = HypothesisProvider

    @seed(start)
    @settings(
        max_examples=number,
        backend=_BACKEND,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(requests(good))
    def send(request: Request) -> None:
        rules = broken(request)
        if rules:
            drawn.append(f"{rules[0]}, upon {request}")
            raise _BrokenRuleError(drawn[-1])

    try:
        send()
    except _BrokenRuleError as smallest:
        return str(smallest)
    except Flaky:
        return drawn[0]
    return None


def _by_class(statuses: Counter[int]) -> list[tuple[int, int]]:
    classes = Counter[int]()
    for status, number in statuses.items():
        classes[status // 100 * 100] += number
    return sorted(classes.items())


def _run(start: int, number: int) -> _Found:
    chance = random.Random(start)
    log = LogRules()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.INFO)
    statuses = Counter[int]()
    losses: list[str] = []
    with service() as asked:

        def broken(request: Request) -> list[str]:
            return _broken(asked, log, statuses, request)

        while statuses.total() < number and len(losses) < _ENOUGH:
            log.held = held = asked.held(chance)
            found = loss(held.good, _TOGETHER, chance.getrandbits(64), broken)
            if found is not None:
                losses.append(found)
    return _Found(statuses, log.lines, losses)


def _broken(asked: Service, log: LogRules, statuses: Counter[int], request: Request) -> list[str]:
    """Return the rules that a request breaks."""
    try:
        answer = asked.answer(request)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a finding)
        found = [f"{type(error).__name__}: {error}"]
    else:
        statuses[answer.status] += 1
        found = list(broken_by(answer, asked.untold))
    found += log.broken
    log.broken.clear()
    return found
