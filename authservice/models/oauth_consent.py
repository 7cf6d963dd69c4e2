"""Table oauth_consent: scopes and resources that a user has allowed a client, a row a pair."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text, func

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

oauth_consent = Table(
    "oauth_consent",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), index=True),
    Column("reference_id", Text),
    Column("scopes", JSONText, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
    Column("resources", JSONText),
)

# A plain unique constraint does not hold where a column is null, so the index is on expressions.
Index(
    "uq_oauth_consent_client_user_reference",
    oauth_consent.c.client_id,
    func.coalesce(oauth_consent.c.user_id, ""),
    func.coalesce(oauth_consent.c.reference_id, ""),
    unique=True,
)
