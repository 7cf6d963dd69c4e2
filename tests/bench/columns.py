"""Columns with made-up figures."""

from tools.bench.report.figures import Column, Figures, Round

MEGABYTE = 1_000_000


def figures(cpu_us):
    return Figures(
        operations=100,
        cpu_us=cpu_us,
        database_cpu_us=0.0,
        per_second=1e6 / cpu_us,
        written_bytes=1500.0,
        driver_share=0.1,
        p50_ms=1.0,
        p95_ms=2.0,
        p99_ms=3.0,
    )


def column(name, *rounds, run_id="one", memory=80):
    """Return a column of rounds, each the CPU time of its cases by name; memory in megabytes."""
    made = Column(run_id, name, {"revision": "abc"})
    for costs in rounds:
        cases = {case: figures(cpu_us) for case, cpu_us in costs.items()}
        made.rounds.append(Round(0.5, 70 * MEGABYTE, memory * MEGABYTE, cases))
    return made
