"""A variant made ready for measurements: migrated, with people in its database."""

import sys
from pathlib import Path

from bench.bulk import size_of
from bench.databases import EmptyDatabase
from bench.deployment import Deployment
from bench.enrolment import Enrolment
from bench.figures import Column
from bench.rounds import Subject
from bench.seeding import seed
from bench.variants import Variant


def prepare(variant: Variant, folder: Path, database: EmptyDatabase, run_id: str) -> Subject:
    """Return the subject, with a column for the run. The folder is there and empty.

    One person signs in at the start of each round; many are written into the database here.
    """
    deployment = Deployment(variant, folder, database)
    column = Column(run_id, variant.name, variant.facts())
    if variant.users == 1:
        return Subject(deployment, Enrolment(deployment).of_service, column)
    sys.stderr.write(f"writing {variant.users:,} users\n")
    population = seed(deployment, variant.users)
    column.facts["database size"] = f"{size_of(database.url) / 1e6:,.0f} MB"
    return Subject(deployment, lambda _service: population, column)
