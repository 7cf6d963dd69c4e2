"""Table oauth_access_token: an access token by its digest, which is the id here, and its grant.

The row of the grant says for whom, for which client and in which session the token was issued, and
what was granted. ``resources`` and ``requested_claims`` stand here where the token has fewer.
"""

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis, JSONText

oauth_access_token = Table(
    "oauth_access_token",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "refresh_id",
        Text,
        ForeignKey("oauth_refresh_token.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    Column("created_at", EpochMillis, nullable=False),
    Column("scopes", JSONText, nullable=False),
    Column("resources", JSONText),
    Column("requested_claims", JSONText),
    # A row is short and is found by its key alone, so it stands in the index of keys itself.
    sqlite_with_rowid=False,
)

# A refresh deletes the access tokens of its grant that have expired, and passes over the others.
Index(
    "ix_oauth_access_token_refresh_id_expires_at",
    oauth_access_token.c.refresh_id,
    oauth_access_token.c.expires_at,
)
