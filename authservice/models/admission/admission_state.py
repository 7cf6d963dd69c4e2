"""Table admission_state, of one row: the rules that people were admitted under, and an outage.

``rules`` is a fingerprint. ``outage_at`` is when the provider was last found not to answer.
``poll_at`` is when its lists of members are to be read next, at once if it is null. A process that
reads them has until ``poll_until`` to itself, and moves that on.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

admission_state = Table(
    "admission_state",
    metadata,
    Column("id", Text, primary_key=True),
    Column("rules", Text, nullable=False),
    Column("outage_at", EpochMillis),
    Column("poll_at", EpochMillis),
    Column("poll_until", EpochMillis),
)
