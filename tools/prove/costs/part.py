"""No request inside the limits costs more than 20 ms of CPU, whatever one part of it holds."""

import json
import logging
import random
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from http import HTTPStatus
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from tools.prove.costs.headers import CALLED, with_long_headers
from tools.prove.costs.sent import ORIGIN, Cost, Long, least_cost
from tools.prove.costs.values import with_long_values
from tools.prove.fuzz.requests import API, Request
from tools.prove.fuzz.service import Service, service
from tools.prove.outcome import Extent, Outcome

_MOST_SECONDS = 0.02
# What some parsers read at most, who pass over all that is longer.
_SHORTER = (2_000, 950)
# Of so many requests one is sent.
_ONE_OF: dict[Extent, int] = {"brief": 100, "quick": 1, "long": 1}
_PROCESSES = 2
_AUTHORIZATION_REQUEST = (
    *("response_type", "client_id", "redirect_uri", "scope", "state", "nonce"),
    *("code_challenge", "code_challenge_method"),
)
_FORM_TOKEN = re.compile(r'name="csrf_token" value="([^"]*)"')

# A method and a path whose headers are swept, or an operation whose parameters and fields are.
Job = tuple[str, str, Mapping[str, Any] | None]


def measure(extent: Extent) -> Outcome:
    """Send every request of the sweep once, and those that cost too much some times more."""
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn")) as pool:
        shares = [(number, _ONE_OF[extent]) for number in range(_PROCESSES)]
        found = list(pool.map(_run, *zip(*shares, strict=True)))
    dearest = max(each.dearest for each in found)
    figures: list[tuple[str, int | float | str]] = [
        ("requests", sum(each.sent for each in found)),
        ("ms of CPU at most", dearest[0] * 1000),
        (f"for {dearest[1]}", ""),
    ]
    return Outcome("costs", figures, [loss for each in found for loss in each.losses])


class _Found(NamedTuple):
    sent: int
    dearest: tuple[float, str]
    losses: list[str]


def _run(share: int, one_of: int) -> _Found:
    """Do one process's share of the work: every so many-th job of all."""
    # What is refused is said in the log, which costs what the log's place costs.
    logging.getLogger("authservice").setLevel(logging.CRITICAL)
    sent, dearest, losses = 0, (0.0, ""), []
    with service(**{"auth.trusted_proxies": "127.0.0.1 10.0.0.0/8"}) as asked:
        for method, path, described in islice(_jobs(asked), share, None, _PROCESSES):
            for each in _requests(asked, method, path, described):
                if random.randrange(one_of):
                    continue
                sent += 1 + len(_SHORTER)
                name = f"{method} {path} with {each.name}"
                found = _cost(asked, each)
                dearest = max(dearest, (found.seconds, name))
                if found.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    losses.append(f"{name} is answered with {found.status}")
                if found.seconds > _MOST_SECONDS:
                    losses.append(f"{name} costs {found.seconds * 1000:.0f} ms")
    return _Found(sent, dearest, losses)


def _jobs(asked: Service) -> Iterator[Job]:
    for method, path in CALLED:
        yield method, path, None
    description = json.loads(asked.answer(Request("GET", "/api/openapi.json")).body)
    for path, methods in description["paths"].items():
        for method, described in methods.items():
            yield method.upper(), path, described


def _requests(
    asked: Service, method: str, path: str, described: Mapping[str, Any] | None
) -> Iterator[Long]:
    good = asked.held(random.Random()).good
    if described is None:
        return with_long_headers(path, method, good["cookies"])
    headers = {
        "Cookie": good["cookies"],
        "Origin": ORIGIN,
        "Authorization": good["authorization"],
    }
    return with_long_values(path, method, described, _sound(asked, good, path), headers)


def _sound(asked: Service, good: Mapping[str, str], path: str) -> dict[str, str]:
    """Return parameters with which a request gets as far as it can."""
    if path == f"{API}/oauth2/authorize":
        return {name: good[name] for name in _AUTHORIZATION_REQUEST}
    if path == f"{API}/oauth2/token":
        request = {name: good[name] for name in ("redirect_uri", "code_verifier")}
        return request | {"grant_type": "authorization_code", "code": "x"}
    if path.startswith(f"{API}/"):
        return {"token": "x"}
    page = "/sign-in" if path == "/sign-in" else "/account"
    answer = asked.answer(Request("GET", page, headers={"Cookie": good["cookies"]}))
    (token, *_) = _FORM_TOKEN.findall(answer.body.decode())
    return {"csrf_token": token}


def _cost(asked: Service, long: Long) -> Cost:
    """Return what a request costs at most, of each length at which it may be read."""
    return max(
        least_cost(asked.application, long.make(length), _MOST_SECONDS)
        for length in (long.longest, *_SHORTER)
    )
