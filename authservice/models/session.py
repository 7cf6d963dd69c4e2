"""Table session: the central session. Its token is stored as a SHA-256 digest only."""

from sqlalchemy import Column, ForeignKey, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

session = Table(
    "session",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    # When the person signed in; it never moves, and is the auth_time of ID tokens.
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
    Column("ip_address", Text),
    Column("user_agent", Text),
)
