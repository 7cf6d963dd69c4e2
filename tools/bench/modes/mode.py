"""What kinds of runs have in common: variants to measure, and a judgement on their figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.bench.options import Options
from tools.bench.report.figures import Column
from tools.bench.rounds import Subject, play
from tools.bench.service.variants import Variant


@dataclass(frozen=True, slots=True)
class Bench:
    """The subjects of a run, at hand for further measurements."""

    subjects: Sequence[Subject]
    options: Options

    @property
    def columns(self) -> list[Column]:
        """Return the columns in the order of the variants."""
        return [subject.column for subject in self.subjects]

    def play(self, cases: Sequence[str], *, latency: bool = False) -> None:
        """Measure cases for as many rounds as the options say; the figures join the columns."""
        options = self.options
        play(self.subjects, cases, options.rounds, options.seconds, latency=latency)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run has shown: text for the reader, and every rule that does not hold."""

    text: str
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mode:
    """One kind of run."""

    variants: Sequence[Variant]
    judge: Callable[[Bench], Judgement]
    latency: bool = True
