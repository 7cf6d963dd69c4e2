"""One case on a running service: saturation for cost and throughput, half of it for latency."""

from collections.abc import Sequence

from tools.bench.driver.load import Load, Work, lasting
from tools.bench.report.figures import Figures
from tools.bench.report.percentiles import percentile
from tools.bench.service.servers import Service

_WARM_UP = 0.25  # of the time that is measured


def measure(
    service: Service, load: Load, works: Sequence[Work], seconds: float, *, latency: bool
) -> Figures:
    """Return what a case costs; each stretch of load takes as many seconds as are given.

    Latency can only be measured where all connections have the same work.
    """
    errors = load.closed_loop(works, lasting(seconds * _WARM_UP)).errors
    cpu, database_cpu = service.cpu_seconds(), service.database_cpu_seconds()
    written = service.written_bytes()
    full = load.closed_loop(works, lasting(seconds))
    cpu = service.cpu_seconds() - cpu
    database_cpu = service.database_cpu_seconds() - database_cpu
    written = service.written_bytes() - written
    errors += full.errors
    latencies: list[float] = []
    if latency and full.operations:
        (work,) = works
        steady = load.constant_rate(work, full.per_second / 2, lasting(seconds))
        errors += steady.errors
        latencies = steady.latencies
    operations = full.operations or 1  # with none there are errors, and the run fails
    return Figures(
        operations=full.operations,
        cpu_us=1e6 * (cpu + database_cpu) / operations,
        database_cpu_us=1e6 * database_cpu / operations,
        per_second=full.per_second,
        written_bytes=written / operations,
        driver_share=full.driver_share,
        p50_ms=_milliseconds(latencies, 50),
        p95_ms=_milliseconds(latencies, 95),
        p99_ms=_milliseconds(latencies, 99),
        errors=tuple(errors),
    )


def _milliseconds(latencies: list[float], percent: float) -> float | None:
    return 1e3 * percentile(latencies, percent) if latencies else None
