"""The rows of verification that requests have made: sign-in attempts and codes."""

from sqlalchemy import select

from authservice.models import verification
from authservice.services.upkeep import local_mark


def made_by_requests(database):
    """Return all rows but the mark that local mode puts at its first start."""
    others = select(verification).where(verification.c.id != local_mark.MARK)
    return database.reader.execute(others).all()
