"""${message}."""

import sqlalchemy as sa
${imports if imports else ""}
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}

# The oldest revision whose version of the service works with the tables that this one leaves.
works_since = ${repr(up_revision)}


def upgrade() -> None:
    """Bring the schema forward."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Take the change back."""
    ${downgrades if downgrades else "pass"}
