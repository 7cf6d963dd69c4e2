"""People, their accounts, and the central session."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from authservice.models.column_types import EpochMillis, IntegerBoolean, JSONText, metadata

# A person, whatever account they signed in with.
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

# A user's account at the identity provider. Its tokens are not stored. ``memberships`` has the
# number at the provider of each organization and team, by its name.
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

# The central session. Its token is stored as a SHA-256 digest only.
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

# The clients to notify when a session ends, one row for each.
session_participant = Table(
    "session_participant",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("session.id", ondelete="CASCADE"), nullable=False),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    UniqueConstraint("session_id", "client_id"),
)

# Clients that still have to be notified of the end of a session. ``due_at`` says when the next
# attempt may be made; taking a notice moves it on, so that of several processes one makes the
# attempt, and one that dies meanwhile only delays it.
logout_notice = Table(
    "logout_notice",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    # No foreign keys: user and session are gone, or about to go, when the notice is sent.
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("due_at", EpochMillis, nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
)
