"""One run from its options to its result: what is set up, measured and judged."""

import secrets
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from authservice import clock
from bench import bulk, ceiling, growth, machine, regression, revisions, scaling, side_by_side
from bench.checkouts import here
from bench.cores import Cores
from bench.databases import MakeDatabase, databases
from bench.deployment import Deployment
from bench.enrolment import Enrolment
from bench.figures import Column, Run
from bench.mode import Bench, Mode
from bench.options import Options
from bench.rounds import Subject
from bench.seeding import seed
from bench.variants import Variant

_CEILING_SECONDS = 1.0


def perform(options: Options) -> Run:
    """Measure what the options say and return it, judged. It takes minutes, or hours."""
    run_id = f"{clock.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        ran_on = machine.ran_on(folder)
        most = ceiling.measure(_CEILING_SECONDS)
        ran_on["load driver"] = (
            f"at most {most.per_second:,.0f} requests a second,"
            f" asked of a server that does nothing, with {most.driver_share:.0%} of its CPU"
        )
        mode = _mode(options, folder)
        cores = Cores.shared_out(max(variant.processes for variant in mode.variants))
        make_database = stack.enter_context(databases(options.database, cores))
        subjects = [
            _subject(variant, folder / str(number), make_database, run_id)
            for number, variant in enumerate(mode.variants)
        ]
        bench = Bench(subjects, options)
        bench.play(options.cases, latency=mode.latency)
        judgement = mode.judge(bench)
        errors = [error for column in bench.columns for error in column.errors]
        return Run(run_id, ran_on, bench.columns, judgement.text, [*errors, *judgement.failures])


def _mode(options: Options, folder: Path) -> Mode:
    variant = Variant(
        name="",
        checkout=here(),
        server=options.server,
        database=options.database,
        synchronous=options.synchronous[0],
        users=options.users,
    )
    if options.growth:
        return growth.mode(variant)
    if options.against is not None:
        return regression.mode(variant, revisions.check_out(options.against, folder / "earlier"))
    if options.processes > 1:
        return scaling.mode(variant, options.processes)
    return side_by_side.mode(variant, options.synchronous)


def _subject(variant: Variant, folder: Path, make_database: MakeDatabase, run_id: str) -> Subject:
    folder.mkdir()
    deployment = Deployment(variant, folder, make_database(folder))
    column = Column(run_id, variant.name, variant.facts())
    if variant.users == 1:
        return Subject(deployment, Enrolment(deployment).of_service, column)
    sys.stderr.write(f"writing {variant.users:,} users\n")
    population = seed(deployment, variant.users)
    size = bulk.size_of(deployment.database_url)
    column.facts["database size"] = f"{size / 1e6:,.0f} MB"
    return Subject(deployment, lambda _service: population, column)
