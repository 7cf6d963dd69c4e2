"""Table user: a person, whatever account they signed in with."""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, IntegerBoolean, JSONText

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
    # The login at the provider, and the organizations and teams that the settings name.
    Column("username", Text),
    Column("groups", JSONText),
    # When the provider last confirmed the person, and the rule that let the person in.
    Column("admitted_at", EpochMillis),
    Column("admitted_by", Text),
)
