"""Table provider_event: events that the provider sent, so that each counts once.

The id is a fingerprint of the account that it is about, and one of its body. ``hint`` is what is to
be done upon it, and ``due_at`` when a process may begin with that; both are null once it has been
done. A further row says how many questions that took.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

provider_event = Table(
    "provider_event",
    metadata,
    Column("id", Text, primary_key=True),
    Column("received_at", EpochMillis, nullable=False, index=True),
    Column("due_at", EpochMillis, index=True),
    Column("hint", JSONText),
)
