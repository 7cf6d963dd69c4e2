"""Create the tables beside the nine: of sign-outs, of admission, and what is noted of the rest."""

import sqlalchemy as sa
from alembic import op

revision = "1002"
down_revision = "1001"
branch_labels = None
depends_on = None

works_since = "1002"


def _text(name: str, *, nullable: bool = False) -> sa.Column:
    return sa.Column(name, sa.Text, nullable=nullable)


def _date(name: str, *, nullable: bool = False, index: bool = False) -> sa.Column:
    return sa.Column(name, sa.BigInteger, nullable=nullable, index=index)


def _id(name: str = "id") -> sa.Column:
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _key(name: str, target: str, *, index: bool) -> sa.Column:
    key = sa.ForeignKey(target, ondelete="CASCADE")
    return sa.Column(name, sa.Text, key, nullable=False, index=index)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "session_participant",
        _id(),
        _key("session_id", "session.id", index=False),
        _key("client_id", "oauth_client.client_id", index=True),
        sa.UniqueConstraint("session_id", "client_id"),
    )
    op.create_table(
        "logout_notice",
        _id(),
        _key("client_id", "oauth_client.client_id", index=True),
        _text("user_id"),
        _text("session_id"),
        _date("created_at"),
        _date("due_at", index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_table(
        "pinned_provider", _id(), _text("provider_id"), _text("origin"), _date("created_at")
    )
    op.create_table(
        "pinned_name",
        _id(),
        _text("number"),
        _text("other_number", nullable=True),
        _date("created_at"),
        _date("updated_at"),
    )
    op.create_table(
        "admission_state",
        _id(),
        _text("rules"),
        _date("outage_at", nullable=True),
        _date("poll_at", nullable=True),
        _date("poll_until", nullable=True),
    )
    op.create_table("removed_account", _id(), _date("removed_at", index=True))
    op.create_table(
        "provider_event",
        _id(),
        _date("received_at", index=True),
        _date("due_at", nullable=True, index=True),
        _text("hint", nullable=True),
    )
    # One row, for the present revision: which older versions of the service work with its tables.
    op.create_table("schema_compatibility", _id("revision"), _text("works_since"))


def downgrade() -> None:
    """Drop the tables."""
    for table in (
        "schema_compatibility",
        "provider_event",
        "removed_account",
        "admission_state",
        "pinned_name",
        "pinned_provider",
        "logout_notice",
        "session_participant",
    ):
        op.drop_table(table)
