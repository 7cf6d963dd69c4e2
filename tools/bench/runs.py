"""One run from its options to its result: what is set up, measured and judged."""

import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path

from authservice import clock
from tools.bench.databases.empty import databases
from tools.bench.driver import ceiling
from tools.bench.machine import facts
from tools.bench.machine.cores import Cores
from tools.bench.modes import growth, regression, scaling, side_by_side
from tools.bench.modes.mode import Bench, Mode
from tools.bench.options import Options
from tools.bench.preparation import prepare
from tools.bench.report.figures import Run
from tools.bench.service import revisions
from tools.bench.service.checkouts import here
from tools.bench.service.variants import Variant

_CEILING_SECONDS = 1.0


def perform(options: Options) -> Run:
    """Measure what the options say and return it, judged. It takes minutes, or hours."""
    run_id = f"{clock.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        ran_on = facts.ran_on(folder)
        most = ceiling.measure(_CEILING_SECONDS)
        ran_on["load driver"] = (
            f"at most {most.per_second:,.0f} requests a second,"
            f" to a server that does nothing, with {most.driver_share:.0%} of its CPU"
        )
        mode = _mode(options, folder)
        most_processes = max(variant.processes * variant.services for variant in mode.variants)
        cores = Cores.shared_out(most_processes)
        make_database = stack.enter_context(databases(options.database, cores))
        subjects = []
        for number, variant in enumerate(mode.variants):
            folders = [folder / f"{number}-{service}" for service in range(variant.services)]
            for own in folders:
                own.mkdir()
            subjects.append(prepare(variant, folders, make_database, run_id))
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
