"""Table provider_event: events that the provider sent, so that none counts twice.

The id is a fingerprint of the event's body.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

provider_event = Table(
    "provider_event",
    metadata,
    Column("id", Text, primary_key=True),
    Column("received_at", EpochMillis, nullable=False, index=True),
)
