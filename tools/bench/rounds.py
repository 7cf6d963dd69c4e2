"""Interleaved rounds: in each, every variant is started again, and each case visits all of them.

What disturbs the machine for a while then disturbs every variant, and pairs stay comparable.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tools.bench.cases import CASES
from tools.bench.driver.load import connected
from tools.bench.machine.cores import pinned
from tools.bench.machine.page_cache import read_through
from tools.bench.measurement import measure
from tools.bench.people.population import Population
from tools.bench.report.figures import Column, Round
from tools.bench.service.deployment import Deployment
from tools.bench.service.servers import Service


@dataclass(frozen=True, slots=True)
class Member:
    """A deployment, and who is to ask its service."""

    deployment: Deployment
    populate: Callable[[Service], Population]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured as one, a service as a rule, and the column that the figures go to."""

    members: Sequence[Member]
    column: Column

    @contextmanager
    def running(self) -> Iterator["Running"]:
        """Give the service, started for a new round of the column."""
        with ExitStack() as stack:
            services = [stack.enter_context(member.deployment.serving()) for member in self.members]
            together = Service.together(services)
            current = Round(together.start_seconds, together.memory_bytes())
            self.column.rounds.append(current)
            pairs = zip(self.members, services, strict=True)
            populations = [member.populate(service) for member, service in pairs]
            yield Running(self, together, populations, current)
            current.memory_after = together.memory_bytes()


@dataclass(frozen=True, slots=True)
class Running:
    """A subject in one round."""

    subject: Subject
    service: Service
    populations: Sequence[Population]
    round: Round

    def measure(self, case: str, seconds: float, *, latency: bool) -> None:
        """Measure a case and note its figures. What it reads is in the page cache."""
        deployments = [member.deployment for member in self.subject.members]
        for deployment in deployments:
            read_through(deployment.database_url)
        with pinned({deployments[0].cores.load}), connected(self.service.ports) as load:
            works = [CASES[case].work(population) for population in self.populations]
            self.round.cases[case] = measure(self.service, load, works, seconds, latency=latency)


def play(
    subjects: Sequence[Subject], cases: Sequence[str], rounds: int, seconds: float, *, latency: bool
) -> None:
    """Measure all cases on all subjects for so many rounds; the figures are in the columns."""
    for number in range(rounds):
        # The order turns around each time, so that none always comes first.
        order = subjects if number % 2 == 0 else tuple(reversed(subjects))
        with ExitStack() as stack:
            running = [stack.enter_context(subject.running()) for subject in order]
            for case in cases:
                for each in running:
                    name = each.subject.column.name
                    sys.stderr.write(f"round {number + 1} of {rounds}: {case}, {name}\n")
                    each.measure(case, seconds, latency=latency)
