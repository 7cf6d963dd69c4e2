"""Table account: a user's account at the identity provider. Its tokens are not stored.

``memberships`` has the number at the provider of each organization and team, by its name.
"""

from sqlalchemy import Column, ForeignKey, Table, Text, UniqueConstraint

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

account = Table(
    "account",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account_id", Text, nullable=False),
    Column("provider_id", Text, nullable=False),
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("access_token", Text),
    Column("refresh_token", Text),
    Column("id_token", Text),
    Column("access_token_expires_at", EpochMillis),
    Column("refresh_token_expires_at", EpochMillis),
    Column("scope", Text),
    Column("password", Text),
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
    Column("memberships", JSONText),
    Column("primary_email", Text),
    UniqueConstraint("provider_id", "account_id"),
)
