"""Events of the provider: which have been seen before, whatever they are called when they come."""

from datetime import timedelta

from sqlalchemy import Connection

from authservice import clock
from authservice.database.database import insert_or_ignore
from authservice.models import provider_event

RETENTION = timedelta(days=30)
"""How long an event that comes again is known as such."""


def is_new(connection: Connection, fingerprint: str) -> bool:
    """Write an event down; tell whether it comes for the first time."""
    row = {"id": fingerprint, "received_at": clock.now()}
    return insert_or_ignore(connection, provider_event, row)
