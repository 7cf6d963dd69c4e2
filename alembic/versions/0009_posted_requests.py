"""Add the authorization requests that came by POST and are too long for an address."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# The version before does not look at the table: it refuses requests that are too long.
works_since = "0002"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "posted_request",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("browser", sa.Text, nullable=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )


def downgrade() -> None:
    """Drop the table; the people whose request is in it start again from their application."""
    op.drop_table("posted_request")
