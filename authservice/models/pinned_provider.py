"""Table pinned_provider: the provider of all accounts, in one row that the first start writes."""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

pinned_provider = Table(
    "pinned_provider",
    metadata,
    Column("id", Text, primary_key=True),
    Column("provider_id", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
)
