"""A variant made ready for measurements: migrated, with people in its database."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.bulk import size_of
from bench.databases import MakeDatabase
from bench.deployment import Deployment
from bench.enrolment import Enrolment
from bench.figures import Column
from bench.rounds import Member, Subject
from bench.seeding import seed
from bench.variants import Variant


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
