"""The clean-up of a million expired rows, while the service answers at half of what it can."""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle

from sqlalchemy import func, select

from authservice import clock
from authservice.database.database import Database
from authservice.models import oauth_client
from tools.bench.cases import CASES
from tools.bench.databases import bulk
from tools.bench.driver.load import Load, Outcome, Work, connected, lasting
from tools.bench.machine.cores import pinned
from tools.bench.machine.page_cache import read_through
from tools.bench.modes.mode import Judgement
from tools.bench.people import numbered
from tools.bench.report.percentiles import percentile
from tools.bench.report.table import aligned
from tools.bench.rounds import Member, Subject
from tools.bench.service.deployment import Deployment

EXPIRED = 1_000_000
LIMIT_MS = 50.0

_ASKED = ("session", "userinfo", "introspection", "refresh", "flow")


def judge(subject: Subject, seconds: float, expired: int = EXPIRED) -> Judgement:
    """Fail when requests are delayed beyond 50 ms at p99 while ``authservice cleanup`` runs.

    For so many seconds a case the service is asked without it before, for comparison. The clean-up
    runs on the CPUs of the service, as on a machine that has no others.
    """
    (member,) = subject.members
    deployment = member.deployment
    with _asking(member) as (load, works):
        rate = load.closed_loop([_mixed(works)], lasting(seconds)).per_second / 2
        alone = load.constant_rate(works, rate, lasting(seconds * len(works)))
    # Not before: the service cleans up by itself at moments of its own choice.
    sys.stderr.write(f"cleaning up {expired:,} expired rows\n")
    _expire(deployment, expired)
    with _asking(member) as (load, works):
        load.closed_loop([_mixed(works)], lasting(seconds))
        with pinned(set(deployment.cores.servers)):
            command = deployment.start("authservice", "cleanup", "--config", "local.ini")
        beside = load.constant_rate(works, rate, lambda: command.poll() is None)
    left = _expired_rows(deployment)
    failures = [f"clean-up: {error}" for error in (*alone.errors, *beside.errors)]
    if command.wait() != 0 or left:
        failures.append(f"clean-up: it ended with {command.returncode} and left {left:,} rows")
    failures += [
        f"{name}: a request takes {found:.1f} ms at p99 during the clean-up;"
        f" the limit is {LIMIT_MS} ms"
        for name, found in _p99(beside.requests).items()
        if found > LIMIT_MS
    ]
    return Judgement(_text(alone, beside, rate, expired), tuple(failures))


@contextmanager
def _asking(member: Member) -> Iterator[tuple[Load, list[Work]]]:
    """Give the load driver, connected to the service, and what it is to ask."""
    read_through(member.deployment.database_url)
    with member.deployment.serving() as service:
        population = member.populate(service)
        works = [CASES[case].work(population) for case in _ASKED]
        with pinned({member.deployment.cores.load}), connected(service.ports) as load:
            yield load, works


def _expire(deployment: Deployment, expired: int) -> None:
    """Write expired rows of the people who are there, of each kind as many."""
    users = deployment.variant.users
    with bulk.filling(deployment.database_url, numbered.EXPIRING_TABLES) as transaction:
        client_id = transaction.connection.scalar(select(oauth_client.c.client_id).limit(1))
        numbers = range(expired // len(numbered.EXPIRING_TABLES))
        rows = (
            row
            for number in numbers
            for row in numbered.expired_rows_of(
                number, numbered.id_of("user", number % users), str(client_id)
            )
        )
        bulk.insert_rows(transaction.connection, rows)


def _expired_rows(deployment: Deployment) -> int:
    database = Database(deployment.database_url)
    long_ago = clock.now() - numbered.LONG_AGO / 2
    counts = (
        select(func.count()).select_from(table).where(table.c.expires_at < long_ago)
        for table in numbered.EXPIRING_TABLES
    )
    try:
        return sum(database.reader.scalar(count) or 0 for count in counts)
    finally:
        database.dispose()


def _mixed(works: Sequence[Work]) -> Work:
    turns = cycle(works)
    return Work("mixed", lambda: next(turns).begin())


def _p99(durations: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the p99 of each case in milliseconds."""
    return {name: 1e3 * percentile(seconds, 99) for name, seconds in durations.items() if seconds}


def _text(alone: Outcome, beside: Outcome, rate: float, expired: int) -> str:
    columns = [
        _p99(found)
        for found in (alone.requests, beside.requests, alone.latencies, beside.latencies)
    ]
    rows: list[tuple[str, ...]] = [
        ("p99 in ms", "a request alone", "during", "the operation alone", "during")
    ]
    rows += [
        (name, *(f"{column.get(name, math.nan):.1f}" for column in columns))
        for name in beside.requests
    ]
    heading = (
        f"clean-up of {expired:,} expired rows in {beside.seconds:.0f} s,"
        f" with {rate:.0f} operations begun a second"
    )
    return "\n".join([heading, *aligned(rows)])
