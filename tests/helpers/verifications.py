"""Rows of verification, such as requests make: sign-in attempts and codes."""

from sqlalchemy import select

from authservice import clock
from authservice.models import verification
from authservice.services.upkeep import local_mark


def made_by_requests(database):
    """Return all rows but the mark that local mode puts at its first start."""
    others = select(verification).where(verification.c.id != local_mark.MARK)
    return database.reader.execute(others).all()


def a_row(row_id="a"):
    """Return the values of a row that no request has made."""
    moment = clock.now()
    row = {"id": row_id, "identifier": "x", "value": "v", "expires_at": moment}
    return row | {"created_at": moment}
