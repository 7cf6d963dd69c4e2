"""Add what decides who may sign in, and what applications learn of their names and groups.

Nobody who signed in before is known to be admitted: each has to be confirmed at the next visit.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# The version before asks nobody about anything, and leaves the columns as they are.
works_since = "0010"

_COLUMNS = (
    ("user", "username", sa.Text),
    ("user", "groups", sa.Text),
    ("user", "admitted_at", sa.BigInteger),
    ("user", "admitted_by", sa.Text),
    ("account", "memberships", sa.Text),
    ("oauth_client", "allow", sa.Text),
    ("oauth_client", "groups", sa.Integer),
)


def upgrade() -> None:
    """Add the columns and the tables."""
    for table, name, kind in _COLUMNS:
        op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_table(
        "pinned_name",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("other_number", sa.Text, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "removed_account",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("removed_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "admission_state",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("outage_at", sa.BigInteger, nullable=True),
        sa.Column("poll_at", sa.BigInteger, nullable=True),
        sa.Column("poll_until", sa.BigInteger, nullable=True),
    )
    op.create_table(
        "provider_event",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False, index=True),
    )


def downgrade() -> None:
    """Take them away: everyone with an account at the provider may sign in again."""
    for table in ("provider_event", "admission_state", "removed_account", "pinned_name"):
        op.drop_table(table)
    for table, name, _ in reversed(_COLUMNS):
        op.drop_column(table, name)
