"""Add the keys that clients prove themselves with: those that are registered, and fetched ones."""

import sqlalchemy as sa
from alembic import op

revision = "1003"
down_revision = "1002"
branch_labels = None
depends_on = None

# An older version refuses clients with keys: they have no secret.
works_since = "1002"


def _text(name: str, *, nullable: bool = True) -> sa.Column:
    return sa.Column(name, sa.Text, nullable=nullable)


def _date(name: str, *, nullable: bool = True, index: bool = False) -> sa.Column:
    return sa.Column(name, sa.BigInteger, nullable=nullable, index=index)


def _id() -> sa.Column:
    return sa.Column("id", sa.Text, primary_key=True, nullable=False)


def upgrade() -> None:
    """Create columns for the keys that are registered, and a table of those that were fetched."""
    op.add_column("oauth_client", _text("jwks"))
    op.add_column("oauth_client", _text("jwks_uri"))
    op.create_table(
        "fetched_keys",
        _id(),
        _text("jwks"),
        _date("fetched_at"),
        _date("asked_at", nullable=False, index=True),
        _date("answered_at"),
    )


def downgrade() -> None:
    """Drop them: a client that has keys cannot prove itself until they are registered again."""
    op.drop_table("fetched_keys")
    op.drop_column("oauth_client", "jwks_uri")
    op.drop_column("oauth_client", "jwks")
