"""Create the nine tables of people, signing keys and clients.

Dates are integer milliseconds, booleans integers, arrays and metadata JSON text, on every
database alike.
"""

import sqlalchemy as sa
from alembic import op

revision = "1001"
down_revision = None
branch_labels = None
depends_on = None

works_since = "1001"


def _key(
    name: str,
    target: str,
    *,
    nullable: bool = False,
    ondelete: str = "CASCADE",
    index: bool = True,
) -> sa.Column:
    key = sa.ForeignKey(target, ondelete=ondelete)
    return sa.Column(name, sa.Text, key, nullable=nullable, index=index)


def _text(name: str, *, nullable: bool = True, **options: bool) -> sa.Column:
    return sa.Column(name, sa.Text, nullable=nullable, **options)


def _date(name: str, *, nullable: bool = True, **options: bool) -> sa.Column:
    return sa.Column(name, sa.BigInteger, nullable=nullable, **options)


def _boolean(name: str, *, nullable: bool = True) -> sa.Column:
    return sa.Column(name, sa.Integer, nullable=nullable)


def _id() -> sa.Column:
    return sa.Column("id", sa.Text, primary_key=True, nullable=False)


def _partial_index(name: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(
        name, "oauth_refresh_token", [column], sqlite_where=where, postgresql_where=where
    )


def upgrade() -> None:
    """Create the tables, those that others refer to first."""
    op.create_table(
        "user",
        _id(),
        _text("name", nullable=False),
        _text("email", nullable=False, unique=True),
        _boolean("email_verified", nullable=False),
        _text("image"),
        _date("created_at", nullable=False),
        _date("updated_at", nullable=False),
        _text("username"),
        _text("groups"),
        _date("admitted_at"),
        _text("admitted_by"),
    )
    op.create_table(
        "session",
        _id(),
        _text("token", nullable=False, unique=True),
        _key("user_id", "user.id"),
        _date("expires_at", nullable=False, index=True),
        _date("created_at", nullable=False),
        _date("updated_at", nullable=False),
        _text("ip_address"),
        _text("user_agent"),
    )
    op.create_table(
        "account",
        _id(),
        _text("account_id", nullable=False),
        _text("provider_id", nullable=False),
        _key("user_id", "user.id"),
        _text("access_token"),
        _text("refresh_token"),
        _text("id_token"),
        _date("access_token_expires_at"),
        _date("refresh_token_expires_at"),
        _text("scope"),
        _text("password"),
        _date("created_at", nullable=False),
        _date("updated_at", nullable=False),
        _text("memberships"),
        _text("primary_email"),
        sa.UniqueConstraint("provider_id", "account_id"),
    )
    op.create_table(
        "verification",
        _id(),
        _text("identifier", nullable=False, index=True),
        _text("value", nullable=False),
        _date("expires_at", nullable=False, index=True),
        _date("created_at"),
        _date("updated_at"),
    )
    op.create_table(
        "jwks",
        _id(),
        _text("public_key", nullable=False),
        _text("private_key", nullable=False),
        _date("created_at", nullable=False),
        _date("expires_at"),
    )
    op.create_table(
        "oauth_client",
        _id(),
        _text("client_id", nullable=False, unique=True),
        _text("client_secret"),
        _boolean("disabled"),
        _boolean("skip_consent"),
        _boolean("enable_end_session"),
        _text("subject_type"),
        _text("scopes"),
        _key("user_id", "user.id", nullable=True),
        _date("created_at"),
        _date("updated_at"),
        _text("name"),
        _text("uri"),
        _text("icon"),
        _text("contacts"),
        _text("tos"),
        _text("policy"),
        _text("software_id"),
        _text("software_version"),
        _text("software_statement"),
        _text("redirect_uris", nullable=False),
        _text("post_logout_redirect_uris"),
        _text("token_endpoint_auth_method"),
        _text("grant_types"),
        _text("response_types"),
        _boolean("public"),
        _text("type"),
        _boolean("require_pkce"),
        _text("reference_id"),
        _text("metadata"),
        _text("id_token_signed_response_alg"),
        _text("userinfo_signed_response_alg"),
        _boolean("minimal_id_token"),
        _text("backchannel_logout_uri"),
        _text("previous_client_secret"),
        _date("previous_client_secret_expires_at"),
        _text("resources"),
        _text("allow"),
        _boolean("groups"),
    )
    op.create_table(
        "oauth_refresh_token",
        _id(),
        _text("token", nullable=False),
        _key("client_id", "oauth_client.client_id"),
        _key("session_id", "session.id", nullable=True, ondelete="SET NULL"),
        _key("user_id", "user.id", nullable=True),
        _text("reference_id"),
        _text("authorization_code_id", index=True),
        _date("expires_at", nullable=False),
        _date("created_at", nullable=False),
        _date("revoked"),
        _date("auth_time"),
        _text("scopes", nullable=False),
        _date("family_expires_at", nullable=False),
        _date("rotated_at"),
        _text("resources"),
        _text("requested_claims"),
        _text("key"),
        _text("recent"),
    )
    _partial_index("ix_oauth_refresh_token_sealed_rotated_at", "rotated_at", "recent IS NOT NULL")
    _partial_index("ix_oauth_refresh_token_erased_expires_at", "expires_at", "recent IS NULL")
    op.create_table(
        "oauth_access_token",
        _id(),
        _key("refresh_id", "oauth_refresh_token.id", index=False),
        _date("expires_at", nullable=False, index=True),
        _date("created_at", nullable=False),
        _text("scopes", nullable=False),
        _text("resources"),
        _text("requested_claims"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_oauth_access_token_refresh_id_expires_at",
        "oauth_access_token",
        ["refresh_id", "expires_at"],
    )
    op.create_table(
        "oauth_consent",
        _id(),
        _key("client_id", "oauth_client.client_id"),
        _key("user_id", "user.id", nullable=True),
        _text("reference_id"),
        _text("scopes", nullable=False),
        _date("created_at", nullable=False),
        _date("updated_at", nullable=False),
        _text("resources"),
    )
    # A unique constraint does not hold where a column is null; an index on expressions does.
    op.create_index(
        "uq_oauth_consent_client_user_reference",
        "oauth_consent",
        ["client_id", sa.text("coalesce(user_id, '')"), sa.text("coalesce(reference_id, '')")],
        unique=True,
    )


def downgrade() -> None:
    """Drop the tables, those that refer to others first."""
    for table in (
        "oauth_consent",
        "oauth_access_token",
        "oauth_refresh_token",
        "oauth_client",
        "jwks",
        "verification",
        "account",
        "session",
        "user",
    ):
        op.drop_table(table)
