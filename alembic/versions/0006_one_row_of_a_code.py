"""Index by its authorization code one token of each kind, and no longer all that followed it.

Each refresh brings two more rows, which are found by their family and by their refresh token.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Older versions find the same rows, only by looking through all.
works_since = "0002"

_COLUMN = "authorization_code_id"
_TABLES = (
    ("oauth_refresh_token", "ix_oauth_refresh_token_first_of_code", "id = family_id"),
    ("oauth_access_token", "ix_oauth_access_token_code_alone", "refresh_id IS NULL"),
)


def upgrade() -> None:
    """Replace the indexes."""
    for table, name, condition in _TABLES:
        some = sa.text(condition)
        op.create_index(name, table, [_COLUMN], sqlite_where=some, postgresql_where=some)
        op.drop_index(f"ix_{table}_{_COLUMN}", table)


def downgrade() -> None:
    """Put the former indexes back."""
    for table, name, _ in _TABLES:
        op.create_index(f"ix_{table}_{_COLUMN}", table, [_COLUMN])
        op.drop_index(name, table)
