"""Create the nine tables: identity, signing keys and OAuth.

Dates are integer milliseconds, booleans integers, arrays and metadata JSON text, on every
database alike.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _key(name: str, target: str, *, nullable: bool = False, ondelete: str = "CASCADE") -> sa.Column:
    return sa.Column(
        name, sa.Text, sa.ForeignKey(target, ondelete=ondelete), nullable=nullable, index=True
    )


def _text(name: str, *, nullable: bool = True, **options: bool) -> sa.Column:
    return sa.Column(name, sa.Text, nullable=nullable, **options)


def _date(name: str, *, nullable: bool = True, **options: bool) -> sa.Column:
    return sa.Column(name, sa.BigInteger, nullable=nullable, **options)


def _boolean(name: str, *, nullable: bool = True) -> sa.Column:
    return sa.Column(name, sa.Integer, nullable=nullable)


def _id() -> sa.Column:
    return sa.Column("id", sa.Text, primary_key=True, nullable=False)


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
    )
    op.create_table(
        "oauth_refresh_token",
        _id(),
        _text("token", nullable=False, unique=True),
        _key("client_id", "oauth_client.client_id"),
        _key("session_id", "session.id", nullable=True, ondelete="SET NULL"),
        _key("user_id", "user.id"),
        _text("reference_id"),
        _text("authorization_code_id", index=True),
        _date("expires_at", nullable=False, index=True),
        _date("created_at", nullable=False),
        _date("revoked"),
        _date("auth_time"),
        _text("scopes", nullable=False),
        _text("family_id", nullable=False, index=True),
        _date("family_expires_at", nullable=False),
        _date("rotated_at"),
        _text("successor"),
    )
    op.create_table(
        "oauth_access_token",
        _id(),
        _text("token", nullable=False, unique=True),
        _key("client_id", "oauth_client.client_id"),
        _key("session_id", "session.id", nullable=True, ondelete="SET NULL"),
        _key("user_id", "user.id", nullable=True),
        _text("reference_id"),
        _key("refresh_id", "oauth_refresh_token.id", nullable=True),
        _text("authorization_code_id", index=True),
        _date("expires_at", nullable=False, index=True),
        _date("created_at", nullable=False),
        _text("scopes", nullable=False),
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
