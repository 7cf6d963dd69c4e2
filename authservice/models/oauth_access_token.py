"""Table oauth_access_token: what an access token stands for, found by the token's digest."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

oauth_access_token = Table(
    "oauth_access_token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("session_id", Text, ForeignKey("session.id", ondelete="SET NULL"), index=True),
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), index=True),
    Column("reference_id", Text),
    Column(
        "refresh_id", Text, ForeignKey("oauth_refresh_token.id", ondelete="CASCADE"), index=True
    ),
    Column("authorization_code_id", Text),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    Column("created_at", EpochMillis, nullable=False),
    Column("scopes", JSONText, nullable=False),
    Column("resources", JSONText),
    Column("requested_claims", JSONText),
)

# One that came with a refresh token is found by that.
Index(
    "ix_oauth_access_token_code_alone",
    oauth_access_token.c.authorization_code_id,
    sqlite_where=oauth_access_token.c.refresh_id.is_(None),
    postgresql_where=oauth_access_token.c.refresh_id.is_(None),
)
