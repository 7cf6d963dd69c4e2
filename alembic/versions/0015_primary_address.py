"""Add the primary address of an account, by which a client may be for people of one domain.

The address of a user may be another one, if the primary one is not verified.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# The version before leaves the column as it is.
works_since = "0014"


def upgrade() -> None:
    """Add the column. Until a person signs in again their verified address counts, as before."""
    op.add_column("account", sa.Column("primary_email", sa.Text, nullable=True))
    user = sa.table("user", sa.column("id"), sa.column("email"), sa.column("email_verified"))
    account = sa.table("account", sa.column("user_id"), sa.column("primary_email"))
    verified = sa.select(user.c.email).where(
        user.c.id == account.c.user_id, user.c.email_verified == sa.literal(1)
    )
    op.execute(account.update().values(primary_email=verified.scalar_subquery()))


def downgrade() -> None:
    """Drop the column; the migration forward makes it again."""
    op.drop_column("account", "primary_email")
