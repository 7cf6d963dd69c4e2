"""Index the access tokens of a grant by their expiry too.

Each refresh deletes those whose time is over. It looked at all that the grant has, however many
were issued within their lifetime.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

# Older versions use the same columns, and find their rows by the first of them.
works_since = "0010"

_TABLE = "oauth_access_token"
_OF_GRANT = "ix_oauth_access_token_refresh_id"
_WITH_EXPIRY = "ix_oauth_access_token_refresh_id_expires_at"


def upgrade() -> None:
    """Replace the index."""
    op.create_index(_WITH_EXPIRY, _TABLE, ["refresh_id", "expires_at"])
    op.drop_index(_OF_GRANT, _TABLE)


def downgrade() -> None:
    """Put the former index back."""
    op.create_index(_OF_GRANT, _TABLE, ["refresh_id"])
    op.drop_index(_WITH_EXPIRY, _TABLE)
