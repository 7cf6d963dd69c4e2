"""Table oauth_refresh_token: one row for a grant, with all its refresh tokens, for its whole life.

The tokens that grew from one authorization are a family; its id is the beginning of each of them.
``token`` is the digest of the current one, ``rotated_at`` says when it took the place of the one
before. ``key`` is what the tags of the family's tokens are made with, encrypted. ``recent`` holds
the digests of those that were exchanged a moment ago, each with its successor sealed under a key
that only the exchanged token gives. ``revoked`` says when the family was taken back on purpose or
after a replay.

A grant without a refresh token has an empty text in ``token``, and goes with its access token.
"""

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

oauth_refresh_token = Table(
    "oauth_refresh_token",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token", Text, nullable=False),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("session_id", Text, ForeignKey("session.id", ondelete="SET NULL"), index=True),
    # None for a grant that is no person's.
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), index=True),
    Column("reference_id", Text),
    Column("authorization_code_id", Text, index=True),
    Column("expires_at", EpochMillis, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("revoked", EpochMillis),
    Column("auth_time", EpochMillis),
    Column("scopes", JSONText, nullable=False),
    Column("family_expires_at", EpochMillis, nullable=False),
    Column("rotated_at", EpochMillis),
    Column("resources", JSONText),
    Column("requested_claims", JSONText),
    Column("key", Text),
    Column("recent", Text),
)

# A rotation leaves all other indexes as they are. The clean-up erases what is sealed, and only
# then asks whether the family is over.
Index(
    "ix_oauth_refresh_token_sealed_rotated_at",
    oauth_refresh_token.c.rotated_at,
    sqlite_where=oauth_refresh_token.c.recent.is_not(None),
    postgresql_where=oauth_refresh_token.c.recent.is_not(None),
)
Index(
    "ix_oauth_refresh_token_erased_expires_at",
    oauth_refresh_token.c.expires_at,
    sqlite_where=oauth_refresh_token.c.recent.is_(None),
    postgresql_where=oauth_refresh_token.c.recent.is_(None),
)
