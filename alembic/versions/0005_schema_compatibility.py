"""Add the note of which older versions of the service work with the tables as they are."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# All since then is indexes, and this table.
works_since = "0002"


def upgrade() -> None:
    """Add the table; it has one row, for the present revision."""
    op.create_table(
        "schema_compatibility",
        sa.Column("revision", sa.Text, primary_key=True, nullable=False),
        sa.Column("works_since", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop it; older versions work with their own revision only."""
    op.drop_table("schema_compatibility")
