"""Table oauth_refresh_token: one row for each token of a family that rotation makes.

A family is what grew from one authorization. ``rotated_at`` says when a token was exchanged for
its successor, ``successor`` holds that one sealed under a key that only the presented token
gives, and ``revoked`` says when a token was taken back on purpose or after a replay.
"""

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

oauth_refresh_token = Table(
    "oauth_refresh_token",
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
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("reference_id", Text),
    Column("authorization_code_id", Text),
    Column("expires_at", EpochMillis, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("revoked", EpochMillis),
    Column("auth_time", EpochMillis),
    Column("scopes", JSONText, nullable=False),
    Column("family_id", Text, nullable=False, index=True),
    Column("family_expires_at", EpochMillis, nullable=False),
    Column("rotated_at", EpochMillis),
    Column("successor", Text),
    Column("resources", JSONText),
    Column("requested_claims", JSONText),
)

# The first token of a family gives it its id; the others go back to the same code.
Index(
    "ix_oauth_refresh_token_first_of_code",
    oauth_refresh_token.c.authorization_code_id,
    sqlite_where=oauth_refresh_token.c.id == oauth_refresh_token.c.family_id,
    postgresql_where=oauth_refresh_token.c.id == oauth_refresh_token.c.family_id,
)

# A family keeps every token that it ever had: its few sealed successors are found without them.
Index(
    "ix_oauth_refresh_token_successor",
    oauth_refresh_token.c.family_id,
    oauth_refresh_token.c.rotated_at,
    sqlite_where=oauth_refresh_token.c.successor.is_not(None),
    postgresql_where=oauth_refresh_token.c.successor.is_not(None),
)

# The last token of a family says when all of it is over.
Index(
    "ix_oauth_refresh_token_last_expires_at",
    oauth_refresh_token.c.expires_at,
    sqlite_where=oauth_refresh_token.c.rotated_at.is_(None),
    postgresql_where=oauth_refresh_token.c.rotated_at.is_(None),
)
