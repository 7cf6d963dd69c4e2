"""Requests that Schemathesis makes of the description of the API, to the service in this process.

Most parameters get what a user holds, so that a request comes far, and one of them gets text that
belongs nowhere.
"""

import logging
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from concurrent.futures import ProcessPoolExecutor
from math import ceil
from multiprocessing import get_context
from typing import Any, NamedTuple

import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode, Response
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as conformance
from werkzeug import Client

from tools.prove.fuzz.rules import CANARY, ELSEWHERE, LogRules, broken_by
from tools.prove.fuzz.service import ORIGIN, Held, Service, service
from tools.prove.outcome import Extent, Outcome

Operation = APIOperation[Any, Any, Any, Any]
AnyCase = Case[Any]
# A part of a request, and the names that have a place in it.
_Place = tuple[MutableMapping[str, Any], set[str]]

_REQUESTS: dict[Extent, int] = {"brief": 400, "quick": 40_000, "long": 1_000_000}
_CHECKS: list[schemathesis.CheckFunction] = [
    conformance.status_code_conformance,
    conformance.response_headers_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
]
_STRANGE = (
    st.text()
    | st.just(CANARY)
    | st.sampled_from(
        (
            f"https://{ELSEWHERE}/",
            f"//{ELSEWHERE}",
            f"/\\{ELSEWHERE}",
            f"http://localhost@{ELSEWHERE}/",
            f"http://localhost.{ELSEWHERE}/",
            f"http://{ELSEWHERE}\\@localhost/",
            "javascript:alert(1)//localhost",
        )
    )
    | st.sampled_from(
        (
            "a\r\nSet-Cookie: zq7=1",
            "\x00",
            "%zz%00%ff",
            "x" * 16_384,
            '{"a":' * 500,
            "eyJhbGciOiJub25lIn0.e30.",
            "http://[",
        )
    )
)
# What ends a header, or no server lets through.
_UNSENT = re.compile(r"[\x00-\x1f\x7f]")
# How many of a hundred parameters get what belongs there.
_GOOD = 80
# How many of a hundred requests have text in one of them that belongs nowhere.
_SPOILT = 75
# One request in so many has what no description mentions.
_ODD = 20
_ODD_HEADERS = (
    *(("Authorization", odd) for odd in ("", "Bearer", "Bearer a b", "Basic", "Basic !", "\xff")),
    *(("Cookie", odd) for odd in ("", ";;==;;", "\xff", "a=" + "b" * 9000, CANARY)),
    *(("Origin", odd) for odd in ("null", f"https://{ELSEWHERE}", "http://[", CANARY)),
    *(("X-Forwarded-Host", ELSEWHERE), ("X-Forwarded-Proto", "javascript")),
    *(("Forwarded", f"host={ELSEWHERE};proto=javascript"), ("X-Forwarded-For", CANARY)),
    *(("Accept-Language", CANARY), ("User-Agent", "\xff" * 3000), ("If-None-Match", 'W/"')),
)
_ODD_QUERIES: tuple[str | bytes, ...] = ("\x00", b"\xff", "x" * 25_000)
_PROCESSES = 2
# So many requests share what one person holds, which the requests themselves use up.
_TOGETHER = 100


def fuzz(extent: Extent) -> Outcome:
    """Send requests that fit the description and others, and hold each answer against the rules."""
    share = _REQUESTS[extent] // _PROCESSES
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        found = list(pool.map(_run, [share] * _PROCESSES))
    sent = sum((each.sent for each in found), Counter[str]())
    statuses = sum((each.statuses for each in found), Counter[int]())
    figures: list[tuple[str, int | float | str]] = [
        ("requests", sent.total()),
        ("operations", len(sent)),
        *((f"answered {status}xx", number) for status, number in sorted(statuses.items())),
        ("lines of the log", sum(each.lines for each in found)),
    ]
    return Outcome("fuzz", figures, [loss for each in found for loss in each.losses])


class _Found(NamedTuple):
    sent: Counter[str]
    statuses: Counter[int]
    lines: int
    losses: list[str]


def _run(number: int) -> _Found:
    log = LogRules()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.INFO)
    with service() as running:
        requests = Requests(running, log, random.Random())
        requests.send(number)
    return _Found(requests.sent, requests.statuses, log.lines, requests.losses)


class Requests:
    """What was sent to each operation, and which answers and lines of the log break a rule."""

    def __init__(self, service: Service, log: LogRules, chance: random.Random) -> None:
        """Expect what is logged meanwhile in that handler; chance decides what is sent."""
        self.sent = Counter[str]()
        # By their first digit.
        self.statuses = Counter[int]()
        self.losses: list[str] = []
        self._service = service
        self._log = log
        self._chance = chance
        self._held = Held({}, set())

    def send(self, number: int) -> None:
        """Send at least so many requests, more to an operation that has more parameters."""
        schema = schemathesis.openapi.from_wsgi("/api/openapi.json", self._service.application)
        operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        kinds = [
            (operation, mode, 1 + sum(len(names) for names in _names(operation).values()))
            for operation in operations
            for mode in GenerationMode
            if mode.is_positive or _can_be_wrong(operation)
        ]
        weights = sum(weight for _, _, weight in kinds)
        while (left := number - self.sent.total()) > 0:
            for operation, mode, weight in kinds:
                self._send(operation, mode, ceil(left * weight / weights))

    def _send(self, operation: Operation, mode: GenerationMode, number: int) -> None:

        @seed(self._chance.getrandbits(64))
        @settings(
            max_examples=number,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(case=operation.as_strategy(mode), strange=_STRANGE)
        def send(case: AnyCase, strange: str) -> None:
            self._ask(operation, case, strange)

        send()

    def _ask(self, operation: Operation, case: AnyCase, strange: str) -> None:
        if self.sent.total() % _TOGETHER == 0:
            self._log.held = self._held = self._service.held(self._chance)
        self.sent[operation.label] += 1
        self._fill(list(_places(operation, case)), strange)
        case.headers.update({name: _in_a_header(value) for name, value in case.headers.items()})
        headers = self._headers(operation)
        # They are among the headers.
        case.cookies = {}
        if self._is_one_in(_ODD):
            name, value = self._chance.choice(_ODD_HEADERS)
            headers[name] = value
        if self._is_one_in(_ODD):
            case.query["odd"] = self._chance.choice(_ODD_QUERIES)
        broken = [*self._broken(case, headers), *self._log.broken]
        self._log.broken.clear()
        if broken:
            told = f"{operation.label}: {case.as_curl_command(headers=headers)}"
            self.losses += [f"{rule}, upon {told}" for rule in broken]

    def _broken(self, case: AnyCase, headers: dict[str, str]) -> Iterator[str]:
        """Give a sentence for each rule that the answer breaks, or the page that it leads to."""
        client: Any = Client(self._by_proxy, use_cookies=False)
        try:
            answer = case.call(ORIGIN, client, headers)
            shown = [answer, *_followed(answer, client, headers)]
        except Exception as error:  # noqa: BLE001  (whatever it is, it is a finding)
            yield f"{type(error).__name__}: {error}"
            return
        self.statuses[answer.status_code // 100] += 1
        try:
            case.validate_response(answer, checks=_CHECKS)
        except FailureGroup as found:
            yield from (f"{each.title}: {each.message}" for each in found.exceptions)
        except Failure as found:
            yield f"{found.title}: {found.message}"
        for each in shown:
            yield from broken_by(each, self._service.untold)

    def _by_proxy(
        self, environ: dict[str, Any], start_response: Callable[..., object]
    ) -> Iterable[bytes]:
        """Call the service as a proxy that it trusts does."""
        return self._service.application(environ | {"REMOTE_ADDR": "127.0.0.1"}, start_response)

    def _fill(self, places: list[_Place], strange: str) -> None:
        good = self._held.good
        for values, names in places:
            for name in sorted(names & good.keys()):
                if self._chance.randrange(100) < _GOOD:
                    values[name] = good[name]
        filled = [(values, name) for values, names in places for name in sorted(names & {*values})]
        if filled and self._chance.randrange(100) < _SPOILT:
            values, name = self._chance.choice(filled)
            before = str(values[name])
            values[name] = self._chance.choice(
                (strange, strange, before + strange, strange + before)
            )

    def _headers(self, operation: Operation) -> dict[str, str]:
        good = self._held.good
        headers = {"Cookie": good["cookies"], "Origin": good["origin"]}
        security = str(operation.definition.raw["security"])
        if "clientSecretBasic" in security:
            headers["Authorization"] = good["authorization"]
        if "accessToken" in security:
            headers["Authorization"] = f"Bearer {good['access_token']}"
        return headers

    def _is_one_in(self, number: int) -> bool:
        return self._chance.randrange(number) == 0


def _followed(answer: Response, client: Client, headers: dict[str, str]) -> Iterator[Response]:
    """Give what a browser is shown that is sent to another page of the service."""
    new = [cookie.partition(";")[0] for cookie in answer.headers.get("set-cookie", ())]
    headers = headers | {"Cookie": "; ".join([headers["Cookie"], *new])}
    for location in answer.headers.get("location", ()):
        if location.startswith(f"{ORIGIN}/"):
            yield Response.from_any(client.get(location, headers=headers))


def _in_a_header(value: object) -> str:
    """Return the bytes of a text, one character each, without those that no server lets through."""
    written = str(value).encode("utf-8", "surrogatepass").decode("latin-1")
    return _UNSENT.sub("", written).strip()


def _can_be_wrong(operation: Operation) -> bool:
    """Tell whether a request may break what is described: every text is a header."""
    return any((*operation.body, *operation.query, *operation.path_parameters))


def _names(operation: Operation) -> dict[str, set[str]]:
    """Return what may be named in the query, and in a body of each media type."""
    bodies = {
        body.media_type: set(body.optimized_schema.get("properties", ())) for body in operation.body
    }
    query: Any = operation.query
    return {"query": set(query.schema["properties"])} | bodies


def _places(operation: Operation, case: AnyCase) -> Iterator[_Place]:
    names = _names(operation)
    yield case.query, names["query"]
    yield case.headers, {each.name for each in operation.headers}
    yield case.path_parameters, set(case.path_parameters)
    if isinstance(case.body, dict):
        yield case.body, names[str(case.media_type)]
