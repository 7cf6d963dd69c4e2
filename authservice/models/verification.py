"""Table verification: values that expire and may be spent once.

Sign-in attempts and authorization codes are rows here; the identifier is a digest. While
``updated_at`` is null the value has not been spent.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

verification = Table(
    "verification",
    metadata,
    Column("id", Text, primary_key=True),
    Column("identifier", Text, nullable=False, index=True),
    Column("value", Text, nullable=False),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    Column("created_at", EpochMillis),
    Column("updated_at", EpochMillis),
)
