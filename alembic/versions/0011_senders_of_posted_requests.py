"""Add where a posted authorization request came from, so that no sender has all places."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# The version before leaves the columns empty: what it stores counts for no sender.
works_since = "0010"

_TABLE = "posted_request"
_COLUMNS = ("network", "site")


def upgrade() -> None:
    """Add the columns with an index for each: each value before them in a row is long."""
    for name in _COLUMNS:
        op.add_column(_TABLE, sa.Column(name, sa.Text, nullable=True))
        op.create_index(op.f(f"ix_{_TABLE}_{name}"), _TABLE, [name])


def downgrade() -> None:
    """Take the columns away."""
    for name in _COLUMNS:
        op.drop_index(op.f(f"ix_{_TABLE}_{name}"), table_name=_TABLE)
        op.drop_column(_TABLE, name)
