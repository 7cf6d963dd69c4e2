"""Keep what is to be done upon an event of the provider until it has been done.

It was kept in memory, so that it was lost with the process.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# The version before acts upon each event itself, and leaves the columns empty.
works_since = "0014"

_TABLE = "provider_event"
_BY_DUE_AT = "ix_provider_event_due_at"


def upgrade() -> None:
    """Add the columns. Upon the events that are there everything has been done."""
    op.add_column(_TABLE, sa.Column("due_at", sa.BigInteger, nullable=True))
    op.add_column(_TABLE, sa.Column("hint", sa.Text, nullable=True))
    op.create_index(_BY_DUE_AT, _TABLE, ["due_at"])


def downgrade() -> None:
    """Drop the columns. What was not done yet is left to the lists of members."""
    op.drop_index(_BY_DUE_AT, _TABLE)
    op.drop_column(_TABLE, "hint")
    op.drop_column(_TABLE, "due_at")
