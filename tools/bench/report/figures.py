"""The figures of a run, as they are kept: runs of columns of rounds of cases."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Figures:
    """One case in one round."""

    operations: int
    cpu_us: float
    """CPU time of service and database for one operation, user and system, in microseconds."""
    database_cpu_us: float
    """What of that the database's own server used."""
    per_second: float
    """Operations a second with every connection busy."""
    written_bytes: float
    """What one operation causes to be written to disk."""
    driver_share: float
    """Which part of its CPU the load driver used: near 1 it measures itself."""
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    """Latency at half of ``per_second``, where it was measured."""
    errors: tuple[str, ...] = ()


@dataclass(slots=True)
class Round:
    """One start of the service and what was measured until it stopped."""

    start_seconds: float
    memory_at_start: int
    memory_after: int = 0
    cases: dict[str, Figures] = field(default_factory=dict)


@dataclass(slots=True)
class Column:
    """One variant through all rounds of one run."""

    run_id: str
    name: str
    facts: dict[str, str]
    rounds: list[Round] = field(default_factory=list)

    def values(self, case: str, figure: str) -> list[float]:
        """Return one figure of a case, round by round."""
        found = [getattr(each.cases[case], figure) for each in self.rounds if case in each.cases]
        return [value for value in found if value is not None]

    def median(self, case: str, figure: str) -> float | None:
        """Return the median of a figure over the rounds."""
        values = self.values(case, figure)
        return statistics.median(values) if values else None

    def median_of_rounds(self, figure: Callable[[Round], float]) -> float:
        """Return the median of what a whole round has."""
        return statistics.median(map(figure, self.rounds))

    @property
    def errors(self) -> list[str]:
        """Return every error, with the case in which it happened."""
        return [
            f"{self.name}, {case}: {error}"
            for each in self.rounds
            for case, figures in each.cases.items()
            for error in figures.errors
        ]


@dataclass(slots=True)
class Run:
    """Everything that one call of the benchmark measured."""

    id: str
    ran_on: dict[str, str]
    columns: list[Column]
    conclusion: str
    """What comparing the columns has shown, as text."""
    failures: list[str]
    """Wrong answers, and rules that do not hold; a run without any has passed."""
