"""A variant made ready for measurements: migrated, with people in its database."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tools.bench.databases.bulk import size_of
from tools.bench.databases.empty import MakeDatabase
from tools.bench.people.enrolment import Enrolment
from tools.bench.people.seeding import seed
from tools.bench.report.figures import Column
from tools.bench.rounds import Member, Subject
from tools.bench.service.deployment import Deployment
from tools.bench.service.variants import Variant


def prepare(
    variant: Variant, folders: Sequence[Path], make_database: MakeDatabase, run_id: str
) -> Subject:
    """Return the subject, with a column for the run. There is an empty folder for each service.

    One person signs in at the start of each round; many are written into the database here.
    """
    column = Column(run_id, variant.name, variant.facts())
    deployments = [
        Deployment(variant, folder, make_database(folder), number)
        for number, folder in enumerate(folders)
    ]
    return Subject([_member(deployment, column) for deployment in deployments], column)


def _member(deployment: Deployment, column: Column) -> Member:
    users = deployment.variant.users
    if users == 1:
        return Member(deployment, Enrolment(deployment).of_service)
    sys.stderr.write(f"writing {users:,} users\n")
    population = seed(deployment, users)
    column.facts["database size"] = f"{size_of(deployment.database_url) / 1e6:,.0f} MB"
    return Member(deployment, lambda _service: population)
