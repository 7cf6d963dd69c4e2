"""Table user: a person, whatever account they signed in with."""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, IntegerBoolean

user = Table(
    "user",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False, unique=True),
    Column("email_verified", IntegerBoolean, nullable=False),
    Column("image", Text),
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
)
