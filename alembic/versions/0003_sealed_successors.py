"""Index the sealed successors of a family, which each rotation looks through."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_INDEX = "ix_oauth_refresh_token_successor"
_TABLE = "oauth_refresh_token"


def upgrade() -> None:
    """Add the index."""
    sealed = sa.text("successor IS NOT NULL")
    op.create_index(
        _INDEX, _TABLE, ["family_id", "rotated_at"], sqlite_where=sealed, postgresql_where=sealed
    )


def downgrade() -> None:
    """Drop it again."""
    op.drop_index(_INDEX, _TABLE)
