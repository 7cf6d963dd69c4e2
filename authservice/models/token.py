"""What expires or is signed: codes, tokens and the keys."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text

from authservice.models.column_types import EpochMillis, JSONText, metadata

# Values that expire and may be spent once. Sign-in attempts and authorization codes are rows
# here; the identifier is a digest. While ``updated_at`` is null the value has not been spent. So is
# the assertion that a client has proved itself with, spent from the beginning.
verification = Table(
    "verification",
    metadata,
    Column("id", Text, primary_key=True),
    Column("identifier", Text, nullable=False, index=True),
    Column("value", Text, nullable=False),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    Column("created_at", EpochMillis),
    Column("updated_at", EpochMillis),
)

# One row for a grant, with all its refresh tokens, for its whole life. The tokens that grew from
# one authorization are a family; its id is the beginning of each of them. ``token`` is the digest
# of the current one, ``rotated_at`` says when it took the place of the one before. ``key`` is
# what the tags of the family's tokens are made with, encrypted. ``recent`` holds the digests of
# those that were exchanged a moment ago, each with its successor sealed under a key that only the
# exchanged token gives. ``revoked`` says when the family was taken back on purpose or after a
# replay. A grant without a refresh token has an empty text in ``token``, and goes with its access
# token.
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

# An access token by its digest, which is the id here, and its grant. The row of the grant says
# for whom, for which client and in which session the token was issued, and what was granted.
# ``resources`` and ``requested_claims`` stand here where the token has fewer.
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

# Signing keys. The id is the key's ``kid``; the private half is encrypted. ``expires_at`` is when
# a key signs for the last time, known once its successor has been made.
jwks = Table(
    "jwks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("public_key", Text, nullable=False),
    Column("private_key", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("expires_at", EpochMillis),
)
