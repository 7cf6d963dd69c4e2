"""Clients, how they prove who they are, and what people have allowed them."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text, func

from authservice.models.column_types import EpochMillis, IntegerBoolean, JSONText, metadata

# A registered client, in the names of RFC 7591 without the prefix client_.
oauth_client = Table(
    "oauth_client",
    metadata,
    Column("id", Text, primary_key=True),
    Column("client_id", Text, nullable=False, unique=True),
    Column("client_secret", Text),
    Column("disabled", IntegerBoolean),
    Column("skip_consent", IntegerBoolean),
    Column("enable_end_session", IntegerBoolean),
    Column("subject_type", Text),
    Column("scopes", JSONText),
    Column("user_id", Text, ForeignKey("user.id", ondelete="CASCADE"), index=True),
    Column("created_at", EpochMillis),
    Column("updated_at", EpochMillis),
    Column("name", Text),
    Column("uri", Text),
    Column("icon", Text),
    Column("contacts", JSONText),
    Column("tos", Text),
    Column("policy", Text),
    Column("software_id", Text),
    Column("software_version", Text),
    Column("software_statement", Text),
    Column("redirect_uris", JSONText, nullable=False),
    Column("post_logout_redirect_uris", JSONText),
    Column("token_endpoint_auth_method", Text),
    Column("grant_types", JSONText),
    Column("response_types", JSONText),
    Column("public", IntegerBoolean),
    Column("type", Text),
    Column("require_pkce", IntegerBoolean),
    Column("reference_id", Text),
    Column("metadata", JSONText),
    Column("id_token_signed_response_alg", Text),
    Column("userinfo_signed_response_alg", Text),
    Column("minimal_id_token", IntegerBoolean),
    Column("backchannel_logout_uri", Text),
    # The secret before a rotation, which is valid until it expires.
    Column("previous_client_secret", Text),
    Column("previous_client_secret_expires_at", EpochMillis),
    # Those that it may have tokens for (RFC 8707).
    Column("resources", JSONText),
    # The rules of which one must admit a person, and whether the client learns of groups.
    Column("allow", JSONText),
    Column("groups", IntegerBoolean),
    # The public keys of a client that proves itself with a private one, or where they are.
    Column("jwks", JSONText),
    Column("jwks_uri", Text),
)

# The keys that were found at addresses of clients; the id is the address. ``asked_at`` is when a
# process last went to fetch them, and ``answered_at`` when one was last done with that.
fetched_keys = Table(
    "fetched_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("jwks", JSONText),
    Column("fetched_at", EpochMillis),
    Column("asked_at", EpochMillis, nullable=False, index=True),
    Column("answered_at", EpochMillis),
)

# Scopes and resources that a user has allowed a client, a row a pair.
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
