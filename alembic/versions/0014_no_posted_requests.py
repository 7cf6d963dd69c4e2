"""Drop the authorization requests that came by POST and are too long for an address.

Any stranger could send one, and each took up to 259 kB of the database.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# The version before stores such requests, and its clean-up looks for them.
works_since = "0014"

_TABLE = "posted_request"
_INDEXED = ("expires_at", "network", "site")


def upgrade() -> None:
    """Drop the table; the people whose request is in it start again from their application."""
    op.drop_table(_TABLE)


def downgrade() -> None:
    """Add the table again, without a row."""
    op.create_table(
        _TABLE,
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("browser", sa.Text, nullable=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("network", sa.Text, nullable=True),
        sa.Column("site", sa.Text, nullable=True),
    )
    for name in _INDEXED:
        op.create_index(op.f(f"ix_{_TABLE}_{name}"), _TABLE, [name])
