"""Keep one row for a grant: all its refresh tokens, where each had one, and its access tokens.

The row of a family's current token becomes that of the family, with the successors that a retry
may still get. Tokens that are in use by now do not name their family: a table has the digest of
each, until the last of them expires.

An access token stands under its digest and refers to its grant, which says what its row said so
far. One without a refresh token gets the row of a grant.
"""

import json
from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# The version before looks a token up in an index of all, and inserts a row at each refresh. To
# serve it this one would have to write all that, which is what it does without.
works_since = "0010"

_TABLE = "oauth_refresh_token"
_ACCESS = "oauth_access_token"
_MOVED = "oauth_access_token_moved"
_FORMER = "oauth_former_refresh_token"
_KEPT = 8
_NAMED = """
    INSERT INTO oauth_former_refresh_token (id, refresh_id)
    SELECT each.token, min(last.id) FROM oauth_refresh_token AS each
    JOIN oauth_refresh_token AS last ON last.family_id = each.family_id AND last.rotated_at IS NULL
    GROUP BY each.token
"""
# What a clean-up that was interrupted has left of a family.
_WITHOUT_LAST = """
    DELETE FROM oauth_access_token WHERE refresh_id IN (
        SELECT id FROM oauth_refresh_token
        WHERE token NOT IN (SELECT id FROM oauth_former_refresh_token)
    )
"""
_OF_FAMILY = """
    UPDATE oauth_access_token SET refresh_id = (
        SELECT former.refresh_id FROM oauth_former_refresh_token AS former
        JOIN oauth_refresh_token AS refresh ON refresh.token = former.id
        WHERE refresh.id = oauth_access_token.refresh_id
    ) WHERE refresh_id IS NOT NULL
"""
_SEALED = """
    SELECT former.refresh_id, token, rotated_at, successor FROM oauth_refresh_token AS refresh
    JOIN oauth_former_refresh_token AS former ON former.id = refresh.token
    WHERE successor IS NOT NULL AND rotated_at IS NOT NULL AND revoked IS NULL
    ORDER BY rotated_at DESC
"""
_NOTE = "UPDATE oauth_refresh_token SET recent = :recent, rotated_at = :rotated_at WHERE id = :id"
_RECENT = "SELECT id, recent FROM oauth_refresh_token WHERE recent IS NOT NULL"
_CURRENT = """
    UPDATE oauth_refresh_token
    SET family_id = id, created_at = coalesce(rotated_at, created_at), rotated_at = NULL
"""
_PUT_BACK = """
    INSERT INTO oauth_refresh_token (
        id, token, family_id, rotated_at, successor,
        client_id, session_id, user_id, reference_id, authorization_code_id, expires_at,
        created_at, revoked, auth_time, scopes, family_expires_at, resources, requested_claims
    )
    SELECT
        CAST(:id AS TEXT), CAST(:token AS TEXT), id, CAST(:rotated_at AS BIGINT),
        CAST(:successor AS TEXT),
        client_id, session_id, user_id, reference_id, authorization_code_id, expires_at,
        created_at, revoked, auth_time, scopes, family_expires_at, resources, requested_claims
    FROM oauth_refresh_token WHERE id = :family_id
"""
_PUT_FORMER_BACK = """
    INSERT INTO oauth_refresh_token (
        id, token, family_id, rotated_at,
        client_id, session_id, user_id, reference_id, authorization_code_id, expires_at,
        created_at, revoked, auth_time, scopes, family_expires_at, resources, requested_claims
    )
    SELECT
        substr(former.id, 1, 32), former.id, refresh.id, created_at,
        client_id, session_id, user_id, reference_id, authorization_code_id, expires_at,
        created_at, revoked, auth_time, scopes, family_expires_at, resources, requested_claims
    FROM oauth_former_refresh_token AS former
    JOIN oauth_refresh_token AS refresh ON refresh.id = former.refresh_id
    WHERE former.id NOT IN (SELECT token FROM oauth_refresh_token)
"""
_ALONE = """
    INSERT INTO oauth_refresh_token (
        id, token, client_id, session_id, user_id, reference_id, authorization_code_id,
        expires_at, created_at, scopes, family_expires_at, resources, requested_claims
    )
    SELECT
        id, '', client_id, session_id, user_id, reference_id, authorization_code_id,
        expires_at, created_at, scopes, expires_at, resources, requested_claims
    FROM oauth_access_token WHERE refresh_id IS NULL AND user_id IS NOT NULL
"""
_DELETE_ALONE = "DELETE FROM oauth_refresh_token WHERE token = ''"
# A family whose session had expired before it was refreshed: what is older has ended with that.
_LEAVE_SESSION = """
    UPDATE oauth_refresh_token SET session_id = NULL WHERE id IN (
        SELECT refresh_id FROM oauth_access_token
        WHERE refresh_id IS NOT NULL AND session_id IS NULL
    )
"""
_DELETE_ENDED = """
    DELETE FROM oauth_access_token WHERE session_id IS NOT NULL AND refresh_id IN (
        SELECT id FROM oauth_refresh_token WHERE session_id IS NULL
    )
"""
_MOVE = """
    CREATE TABLE oauth_access_token_moved AS
    SELECT token AS id, coalesce(refresh_id, id) AS refresh_id, expires_at, created_at, scopes,
        resources, requested_claims
    FROM oauth_access_token WHERE refresh_id IS NOT NULL OR user_id IS NOT NULL
"""
_MOVE_BACK = """
    CREATE TABLE oauth_access_token_moved AS
    SELECT substr(access.id, 1, 32) AS id, access.id AS token, client_id, session_id, user_id,
        reference_id, CASE WHEN refresh.token = '' THEN NULL ELSE refresh_id END AS refresh_id,
        authorization_code_id, access.expires_at, access.created_at, access.scopes,
        coalesce(access.resources, refresh.resources) AS resources,
        coalesce(access.requested_claims, refresh.requested_claims) AS requested_claims
    FROM oauth_access_token AS access
    JOIN oauth_refresh_token AS refresh ON refresh.id = access.refresh_id
"""


def upgrade() -> None:
    """Merge the rows of each family into that of its current token, and move access tokens."""
    _merge_families()
    for statement in (_LEAVE_SESSION, _DELETE_ENDED, _ALONE, _MOVE):
        op.execute(statement)
    _put_in_place(
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        _key("refresh_id", f"{_TABLE}.id", "CASCADE", index=True, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("resources", sa.Text),
        sa.Column("requested_claims", sa.Text),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Give each token that is known a row: the current one, and those that can be replayed.

    Tokens of a family's middle age are not known; the older version refuses them.
    """
    op.execute(_MOVE_BACK)
    _put_in_place(
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column("token", sa.Text, nullable=False),
        _key("client_id", "oauth_client.client_id", "CASCADE", index=True, nullable=False),
        _key("session_id", "session.id", "SET NULL", index=True),
        _key("user_id", "user.id", "CASCADE", index=True),
        sa.Column("reference_id", sa.Text),
        _key("refresh_id", f"{_TABLE}.id", "CASCADE", index=True),
        sa.Column("authorization_code_id", sa.Text),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("resources", sa.Text),
        sa.Column("requested_claims", sa.Text),
        sa.UniqueConstraint("token"),
    )
    alone = sa.text("refresh_id IS NULL")
    op.create_index(
        f"ix_{_ACCESS}_code_alone",
        _ACCESS,
        ["authorization_code_id"],
        sqlite_where=alone,
        postgresql_where=alone,
    )
    op.execute(_DELETE_ALONE)
    _part_families()


def _put_in_place(*columns: sa.schema.SchemaItem, **options: bool) -> None:
    """Make the table of access tokens with these columns, of the rows that were moved aside."""
    op.drop_table(_ACCESS)
    op.create_table(_ACCESS, *columns, **options)
    names = ", ".join(each.name for each in columns if isinstance(each, sa.Column))
    op.execute(f"INSERT INTO {_ACCESS} ({names}) SELECT {names} FROM {_MOVED}")  # noqa: S608  (ours)
    op.drop_table(_MOVED)


def _key(
    name: str, target: str, ondelete: str, *, index: bool = False, nullable: bool = True
) -> sa.Column[str]:
    key = sa.ForeignKey(target, ondelete=ondelete)
    return sa.Column(name, sa.Text, key, index=index, nullable=nullable)


def _merge_families() -> None:
    op.create_table(
        _FORMER,
        sa.Column("id", sa.Text, primary_key=True, nullable=False),
        sa.Column(
            "refresh_id", sa.Text, sa.ForeignKey(f"{_TABLE}.id", ondelete="CASCADE"), nullable=False
        ),
    )
    for statement in (_NAMED, _WITHOUT_LAST, _OF_FAMILY):
        op.execute(statement)
    op.create_index(f"ix_{_FORMER}_refresh_id", _FORMER, ["refresh_id"])
    recent = _recent()
    op.execute("DELETE FROM oauth_refresh_token WHERE rotated_at IS NOT NULL")
    for name in ("first_of_code", "successor", "last_expires_at", "family_id"):
        op.drop_index(f"ix_{_TABLE}_{name}", _TABLE)
    with op.batch_alter_table(_TABLE) as table:
        table.drop_constraint(f"uq_{_TABLE}_token", type_="unique")
        table.drop_column("family_id")
        table.drop_column("successor")
        table.add_column(sa.Column("key", sa.Text, nullable=True))
        table.add_column(sa.Column("recent", sa.Text, nullable=True))
    _note_recent(recent)
    op.create_index(f"ix_{_TABLE}_authorization_code_id", _TABLE, ["authorization_code_id"])
    for column, condition in (
        ("sealed_rotated_at", "recent IS NOT NULL"),
        ("erased_expires_at", "recent IS NULL"),
    ):
        some = sa.text(condition)
        op.create_index(
            f"ix_{_TABLE}_{column}",
            _TABLE,
            [column.partition("_")[2]],
            sqlite_where=some,
            postgresql_where=some,
        )


def _part_families() -> None:
    connection = op.get_bind()
    recent = connection.execute(sa.text(_RECENT)).all()
    for name in ("authorization_code_id", "sealed_rotated_at", "erased_expires_at"):
        op.drop_index(f"ix_{_TABLE}_{name}", _TABLE)
    with op.batch_alter_table(_TABLE) as table:
        table.drop_column("key")
        table.drop_column("recent")
        table.add_column(sa.Column("family_id", sa.Text, nullable=True))
        table.add_column(sa.Column("successor", sa.Text, nullable=True))
    op.execute(_CURRENT)
    for family in recent:
        for token, rotated_at, successor in json.loads(family.recent):
            row = {"id": token[:32], "token": token, "rotated_at": rotated_at}
            row |= {"successor": successor, "family_id": family.id}
            connection.execute(sa.text(_PUT_BACK), row)
    op.execute(_PUT_FORMER_BACK)
    op.drop_table(_FORMER)
    with op.batch_alter_table(_TABLE) as table:
        table.alter_column("family_id", existing_type=sa.Text, nullable=False)
        table.create_unique_constraint(f"uq_{_TABLE}_token", ["token"])
    op.create_index(f"ix_{_TABLE}_family_id", _TABLE, ["family_id"])
    for name, columns, condition in (
        ("first_of_code", ["authorization_code_id"], "id = family_id"),
        ("successor", ["family_id", "rotated_at"], "successor IS NOT NULL"),
        ("last_expires_at", ["expires_at"], "rotated_at IS NULL"),
    ):
        some = sa.text(condition)
        op.create_index(
            f"ix_{_TABLE}_{name}", _TABLE, columns, sqlite_where=some, postgresql_where=some
        )


def _recent() -> dict[str, list[list[object]]]:
    """Return the rotations whose successor is still sealed, newest first, by family."""
    recent: dict[str, list[list[object]]] = defaultdict(list)
    for row in op.get_bind().execute(sa.text(_SEALED)):
        if len(recent[row.refresh_id]) < _KEPT:
            recent[row.refresh_id].append([row.token, row.rotated_at, row.successor])
    return recent


def _note_recent(recent: dict[str, list[list[object]]]) -> None:
    for family_id, rotations in recent.items():
        row = {"id": family_id, "recent": json.dumps(rotations, separators=(",", ":"))}
        op.get_bind().execute(sa.text(_NOTE), row | {"rotated_at": rotations[0][1]})
