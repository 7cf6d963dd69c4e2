"""Pin the provider whose accounts these are, and keep no address that is not verified.

An address of our own stands in for such a one. While an older version serves beside this one, it
goes on as before: it stores addresses that are not verified, tells them and what stands in for
them as such, links accounts by address, and does not look at the pin. ``authservice check`` names
the users to whom more than one account leads.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# To older versions it is an address like any other, not verified, which the next sign-in replaces.
works_since = "0002"


_user = sa.table("user", sa.column("id", sa.Text), sa.column("email"), sa.column("email_verified"))
_account = sa.table(
    "account",
    sa.column("id"),
    sa.column("user_id"),
    sa.column("provider_id", sa.Text),
    sa.column("account_id", sa.Text),
    sa.column("created_at"),
)


def upgrade() -> None:
    """Replace addresses by provider and account, the first one of several; add the pin's table."""
    first = (
        sa.select(_account.c.provider_id + "-" + _account.c.account_id)
        .where(_account.c.user_id == _user.c.id)
        .order_by(_account.c.created_at, _account.c.id)
        .limit(1)
        .scalar_subquery()
    )
    address = sa.func.coalesce(first, _user.c.id) + "@unverified.invalid"
    if op.get_bind().dialect.name == "postgresql":
        # SQLite folds the letters of ASCII alone anyway.
        address = sa.collate(address, "C")
    # Somebody's address may be what is to stand in for another's: it is no address, and is freed
    # first. Nobody has one without a name before the "@".
    replaced = (_user.c.email_verified == 0) | _user.c.email.ilike("%@unverified.invalid")
    op.execute(_user.update().where(replaced).values(email="@" + _user.c.id, email_verified=0))
    op.execute(
        _user.update().where(_user.c.email_verified == 0).values(email=sa.func.lower(address))
    )
    op.create_table(
        "pinned_provider",
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("provider_id", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop the pin. Leave the addresses: what was there is gone until the next sign-in."""
    op.drop_table("pinned_provider")
