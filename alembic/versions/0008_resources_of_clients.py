"""Add which resources a client may have tokens for, and which of them a person has allowed it.

Until now every client could have every resource. What a live token is for stays allowed: to the
client, and to it by the person whom the token speaks for. All else is refused.
"""

import json
from collections import defaultdict

import sqlalchemy as sa
from alembic import op

from authservice import clock

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# The version before leaves the columns as they are, and checks no resources.
works_since = "0002"

_TABLES = ("oauth_client", "oauth_consent")
_LIVE = """
    SELECT client_id, user_id, resources FROM oauth_refresh_token
    WHERE resources IS NOT NULL AND revoked IS NULL AND rotated_at IS NULL AND expires_at > :now
    UNION
    SELECT client_id, user_id, resources FROM oauth_access_token
    WHERE resources IS NOT NULL AND expires_at > :now
"""
_OF_CLIENT = "UPDATE oauth_client SET resources = :resources WHERE client_id = :client_id"
_OF_CONSENT = (
    "UPDATE oauth_consent SET resources = :resources"
    " WHERE client_id = :client_id AND user_id = :user_id AND reference_id IS NULL"
)


def upgrade() -> None:
    """Add the columns, and note the resources of live tokens."""
    for table in _TABLES:
        op.add_column(table, sa.Column("resources", sa.Text, nullable=True))
    connection = op.get_bind()
    clients: dict[str, set[str]] = defaultdict(set)
    consents: dict[tuple[str, str], set[str]] = defaultdict(set)
    now = int(clock.now().timestamp() * 1000)
    for row in connection.execute(sa.text(_LIVE), {"now": now}):
        clients[row.client_id].update(json.loads(row.resources))
        consents[row.client_id, row.user_id].update(json.loads(row.resources))
    for client_id, resources in clients.items():
        values = {"client_id": client_id, "resources": _stored(resources)}
        connection.execute(sa.text(_OF_CLIENT), values)
    for (client_id, user_id), resources in consents.items():
        values = {"client_id": client_id, "user_id": user_id, "resources": _stored(resources)}
        connection.execute(sa.text(_OF_CONSENT), values)


def downgrade() -> None:
    """Take the columns away: every client may have every resource again."""
    for table in _TABLES:
        op.drop_column(table, "resources")


def _stored(resources: set[str]) -> str:
    return json.dumps(sorted(resources), separators=(",", ":"))
