"""Server processes killed at random instants under load: whatever was acknowledged has to stand."""

import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tools.bench.databases.empty import EmptyDatabase
from tools.bench.databases.postgresql import PostgreSQL, running
from tools.bench.people.population import Client
from tools.bench.service.checkouts import here
from tools.bench.service.deployment import REDIRECT_URI, Deployment
from tools.bench.service.variants import Variant
from tools.prove.audit import audit
from tools.prove.caller import Caller
from tools.prove.fleet import Fleet, serving
from tools.prove.ledger import Ledger
from tools.prove.outcome import Extent, Outcome
from tools.prove.people import busy, longest_silence
from tools.prove.walk import STEPS

_PROCESSES = 3
_KILLS: dict[Extent, int] = {"brief": 2, "quick": 100, "long": 2000}
_LEAST_PER_SECOND = 100
_PATIENCE = 120.0  # seconds
# One kill in so many is the database server's own. Its recovery takes as long as it takes.
_EVERY = 2
# Longer than this there may not be without any answer.
_SILENCE = 1.0


def on_sqlite(extent: Extent) -> Outcome:
    """Kill the processes that serve one SQLite file."""
    with tempfile.TemporaryDirectory(prefix="prove-") as folder:
        file = Path(folder) / "service.sqlite"
        deployment = _deployment(Path(folder), EmptyDatabase(f"sqlite:///{file}"))
        return _prove(deployment, Path(folder), kills=_KILLS[extent], file=file)


def on_postgresql(extent: Extent) -> Outcome:
    """Kill the processes that serve one PostgreSQL database, and that server itself in turns."""
    everywhere = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory(prefix="prove-") as folder, running(everywhere) as server:
        database = EmptyDatabase(server.create_database("service"))
        deployment = _deployment(Path(folder), database)
        return _prove(deployment, Path(folder), kills=_KILLS[extent], database_server=server)


def _deployment(folder: Path, database: EmptyDatabase) -> Deployment:
    return Deployment(Variant("kills", here(), processes=_PROCESSES), folder, database)


def _prove(
    deployment: Deployment,
    folder: Path,
    *,
    kills: int,
    file: Path | None = None,
    database_server: PostgreSQL | None = None,
) -> Outcome:
    seed = random.SystemRandom().randrange(10**9)
    sys.stdout.write(f"  seed {seed}\n")
    chance = random.Random(seed)
    client = Client(*deployment.register_client("--skip-consent"), REDIRECT_URI)
    ledger = Ledger()
    with serving(deployment, deployment.ports, folder / "server.log") as fleet:
        began = time.monotonic()
        restarts = []
        with busy(deployment, client, ledger, chance) as callers:
            for number in range(kills):
                time.sleep(chance.uniform(0.05, 0.6))
                if database_server is not None and number % _EVERY == 0:
                    database_server.kill()
                    database_server.start()
                else:
                    restarts.append(_kill(fleet, chance))
            _until_all_happened(ledger)
        seconds = time.monotonic() - began
        checker = Caller(fleet.ports, chance)
        looked_at = audit(deployment.host, client, checker, ledger)
        checker.close()
    if file is not None and not _is_sound(file):
        ledger.lost("the database's integrity check fails")
    rate = sum(len(caller.moments) for caller in callers) / seconds
    silence = longest_silence(callers)
    if kills > _KILLS["brief"]:
        _require(ledger, rate, 0 if database_server else silence)
    figures: list[tuple[str, int | float | str]] = [
        ("kills", kills),
        ("requests a second", round(rate)),
        *((name, number) for name, number in sorted(ledger.acknowledged.items())),
        ("looked at in the end", looked_at),
        ("s at most without any answer", silence),
        ("s for a process to serve again (median)", statistics.median(restarts)),
    ]
    return Outcome("kills", figures, ledger.losses)


def _until_all_happened(ledger: Ledger) -> None:
    """Return when everything that a person does was answered at least once."""
    deadline = time.monotonic() + _PATIENCE
    while not ledger.acknowledged.keys() >= STEPS:
        if time.monotonic() > deadline:
            ledger.lost(f"never answered: {', '.join(STEPS - ledger.acknowledged.keys())}")
            return
        time.sleep(0.1)


def _require(ledger: Ledger, rate: float, silence: float) -> None:
    if rate < _LEAST_PER_SECOND:
        ledger.lost(f"the load was {rate:.0f} requests a second, too few to prove anything")
    if silence > _SILENCE:
        ledger.lost(f"for {silence:.1f} s no request was answered")


def _kill(fleet: Fleet, chance: random.Random) -> float:
    port = chance.choice(fleet.ports)
    fleet.kill(port)
    return fleet.restart(port)


def _is_sound(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute("PRAGMA integrity_check")] == ["ok"]
