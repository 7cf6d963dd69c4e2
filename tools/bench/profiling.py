"""``./run bench profile CASE``: where the time of a case goes, in this process and without HTTP."""

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
import time
from pathlib import Path

import plaster

from tools.bench.cases import CASES
from tools.bench.databases.empty import EmptyDatabase
from tools.bench.driver.wire import perform
from tools.bench.driver.wsgi import calling
from tools.bench.people.enrolment import Enrolment
from tools.bench.service.checkouts import ROOT, here
from tools.bench.service.deployment import Deployment
from tools.bench.service.variants import Variant

_WARM_UP = 50
_OPERATIONS = 1000
_LINES = 40


def main(arguments: list[str]) -> int:
    """Print what an operation costs, and the functions in which it spends most."""
    parser = argparse.ArgumentParser(prog="./run bench profile", allow_abbrev=False)
    parser.add_argument("case", choices=CASES)
    case = parser.parse_args(arguments).case
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        _profile(case, Path(folder))
    return 0


def _profile(case: str, folder: Path) -> None:
    database = EmptyDatabase(f"sqlite:///{folder}/service.sqlite")
    deployment = Deployment(Variant("", here()), folder, database)
    os.environ.update(deployment.environment)
    loader = plaster.get_loader(str(ROOT / "local.ini"), protocols=["wsgi"])
    application = loader.get_wsgi_app()
    exchange = calling(application)
    work = CASES[case].work(Enrolment(deployment).population(exchange))

    def repeat(times: int) -> None:
        for _ in range(times):
            perform(work.begin(), exchange)

    repeat(_WARM_UP)
    began = time.process_time()
    repeat(_OPERATIONS)
    used = time.process_time() - began
    sys.stdout.write(
        f"{case}: {1e6 * used / _OPERATIONS:,.0f} µs CPU an operation, with what asks;"
        f" below, with the profiler's own time, {_OPERATIONS:,} operations\n"
    )
    profile = cProfile.Profile()
    profile.runcall(repeat, _OPERATIONS)
    application.registry.components.close()
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(_LINES)
