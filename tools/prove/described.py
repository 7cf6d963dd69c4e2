"""Schemathesis: requests made of our own description, and answers that have to be as it says."""

import logging
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, Case, GenerationMode, checks
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as conformance

from tools.prove.fuzz.service import Service, service
from tools.prove.outcome import Extent, Outcome

Operation = APIOperation[Any, Any, Any, Any]
AnyCase = Case[Any]

_REQUESTS: dict[Extent, int] = {"brief": 400, "quick": 20_000, "long": 500_000}
_CHECKS: list[schemathesis.CheckFunction] = [
    checks.not_a_server_error,
    conformance.status_code_conformance,
    conformance.response_headers_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
]
# One request in so many has what no description mentions.
_ODD = 20
_ODD_CREDENTIALS = ("", "Bearer", "Bearer ", "Bearer a b", "Basic", "Basic !")
_ODD_QUERIES: tuple[str | bytes, ...] = ("\x00", b"\xff", "x" * 25_000)
_PROCESSES = 2
# So many requests share what one person holds, which the requests themselves use up.
_TOGETHER = 100


def fuzz(extent: Extent) -> Outcome:
    """Send requests that fit the description, and others that do not."""
    share = _REQUESTS[extent] // _PROCESSES
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        found = list(pool.map(_run, [share] * _PROCESSES))
    sent = sum((each.sent for each in found), Counter[str]())
    figures: list[tuple[str, int | float | str]] = [
        ("requests", sent.total()),
        ("operations", len(sent)),
    ]
    return Outcome("described", figures, [loss for each in found for loss in each.losses])


class _Found(NamedTuple):
    sent: Counter[str]
    losses: list[str]


def _run(number: int) -> _Found:
    # The service says what it refuses, and that is most of it.
    logging.getLogger("authservice").setLevel(logging.CRITICAL)
    with service() as asked:
        described = _Described(asked)
        described.send(number)
    return _Found(described.sent, described.losses)


class _Described:
    """What was sent to each operation, and which answers were not as described."""

    def __init__(self, asked: Service) -> None:
        self.sent = Counter[str]()
        self.losses: list[str] = []
        self._asked = asked
        self._chance = random.Random()
        self._headers: dict[str, str] = {}

    def send(self, number: int) -> None:
        """Send at least so many requests, as evenly as the operations allow."""
        schema = schemathesis.openapi.from_wsgi("/api/openapi.json", self._asked.application)
        operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        kinds = [(operation, mode) for operation in operations for mode in GenerationMode]
        while (left := number - self.sent.total()) > 0:
            share = max(1, left // len(kinds))
            kinds = [kind for kind in kinds if self._send(*kind, share)]

    def _send(self, operation: Operation, mode: GenerationMode, number: int) -> bool:
        """Tell whether there are requests of this kind."""

        @settings(
            max_examples=number,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(case=operation.as_strategy(mode))
        def send(case: AnyCase) -> None:
            self._ask(operation.label, case)

        try:
            send()
        except Unsatisfiable:
            # Without parameters there is nothing that could be wrong with them.
            return False
        return True

    def _ask(self, label: str, case: AnyCase) -> None:
        if self.sent.total() % _TOGETHER == 0:
            good = self._asked.held(self._chance).good
            self._headers = {"Cookie": good["cookies"], "Origin": good["origin"]}
        self.sent[label] += 1
        headers = dict(self._headers)
        if self._chance.randrange(_ODD) == 0:
            headers["Authorization"] = self._chance.choice(_ODD_CREDENTIALS)
        if self._chance.randrange(_ODD) == 0:
            case.query = {**case.query, "odd": self._chance.choice(_ODD_QUERIES)}
        answer = case.call(headers=headers)
        try:
            case.validate_response(answer, checks=_CHECKS)
        except FailureGroup as found:
            self.losses += [f"{label}: {each.title}: {each.message}" for each in found.exceptions]
        except Failure as found:
            self.losses.append(f"{label}: {found.title}: {found.message}")
