"""Add what a complete provider stores: client options, resources, claims and logout notices."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_CLIENT_COLUMNS = (
    ("id_token_signed_response_alg", sa.Text),
    ("userinfo_signed_response_alg", sa.Text),
    ("minimal_id_token", sa.Integer),
    ("backchannel_logout_uri", sa.Text),
    ("previous_client_secret", sa.Text),
    ("previous_client_secret_expires_at", sa.BigInteger),
)
_TOKEN_TABLES = ("oauth_refresh_token", "oauth_access_token")
_TOKEN_COLUMNS = (("resources", sa.Text), ("requested_claims", sa.Text))


def upgrade() -> None:
    """Add the columns, all of which may be null, and the queue of logout notices."""
    for name, kind in _CLIENT_COLUMNS:
        op.add_column("oauth_client", sa.Column(name, kind, nullable=True))
    for table in _TOKEN_TABLES:
        for name, kind in _TOKEN_COLUMNS:
            op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_table(
        "session_participant",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column(
            "session_id", sa.Text, sa.ForeignKey("session.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column(
            "client_id",
            sa.Text,
            sa.ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.UniqueConstraint("session_id", "client_id"),
    )
    op.create_table(
        "logout_notice",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column(
            "client_id",
            sa.Text,
            sa.ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Take the columns and the queue away; notices that were not sent are lost."""
    op.drop_table("logout_notice")
    op.drop_table("session_participant")
    for table in _TOKEN_TABLES:
        for name, _ in _TOKEN_COLUMNS:
            op.drop_column(table, name)
    for name, _ in _CLIENT_COLUMNS:
        op.drop_column("oauth_client", name)
