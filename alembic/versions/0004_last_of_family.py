"""Index each family's last refresh token by its expiry, and no longer those before it.

Only the last one says when its family is over. The others stay until then, long expired, and
whoever looked for what is over had to pass them each time.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLE = "oauth_refresh_token"
_LAST = "ix_oauth_refresh_token_last_expires_at"
_ALL = "ix_oauth_refresh_token_expires_at"


def upgrade() -> None:
    """Replace the index."""
    last = sa.text("rotated_at IS NULL")
    op.create_index(_LAST, _TABLE, ["expires_at"], sqlite_where=last, postgresql_where=last)
    op.drop_index(_ALL, _TABLE)


def downgrade() -> None:
    """Put the former index back."""
    op.create_index(_ALL, _TABLE, ["expires_at"])
    op.drop_index(_LAST, _TABLE)
