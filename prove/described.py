"""Schemathesis: requests made of our own description, and answers that have to be as it says."""

import json
import logging
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, Case, GenerationMode, Response, checks
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as conformance

from prove.fuzz.service import Service, service
from prove.outcome import Extent, Outcome

Operation = APIOperation[Any, Any, Any, Any]
AnyCase = Case[Any]

_REQUESTS: dict[Extent, int] = {"brief": 400, "quick": 20_000, "long": 500_000}
_UNREAD: list[schemathesis.CheckFunction] = [checks.not_a_server_error]
_ALWAYS = [
    *_UNREAD,
    conformance.status_code_conformance,
    conformance.response_headers_conformance,
]
_WITH_A_BODY = [
    *_ALWAYS,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
]
# What cannot be read is refused in JSON before anybody looks at the address.
_REFUSED_UNREAD = {400, 413, 414}
_CODES = {"BAD_REQUEST", "PAYLOAD_TOO_LARGE", "URI_TOO_LONG"}
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
        answer = case.call(headers=self._headers)
        try:
            case.validate_response(answer, checks=_checks(answer))
        except FailureGroup as found:
            self.losses += [f"{label}: {each.title}: {each.message}" for each in found.exceptions]
        except Failure as found:
            self.losses.append(f"{label}: {found.title}: {found.message}")


def _checks(answer: Response) -> list[schemathesis.CheckFunction]:
    kind = answer.headers.get("content-type", [""])[0]
    if answer.status_code in _REFUSED_UNREAD and kind.startswith("application/json"):
        content = json.loads(answer.content)
        if content.get("code") in _CODES or content.get("error") == "invalid_request":
            return _UNREAD
    return _WITH_A_BODY if answer.content else _ALWAYS
