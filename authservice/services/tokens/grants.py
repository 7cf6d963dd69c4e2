"""Grants: what one authorization gave a client, as the row that all its tokens belong to.

A machine, which nobody has to authorize, has one for each of its tokens, without a user.

The row of a grant with a refresh token is that of the family, and outlives its access tokens. One
without a refresh token has an empty text where the digest of the token would be. It has one access
token, and is deleted along with it.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.database.prepared import Prepared
from authservice.models import oauth_access_token, oauth_refresh_token

_GRANT = oauth_refresh_token.c
_NO_TOKEN = ""
HAS_NO_REFRESH_TOKEN: ColumnElement[bool] = _GRANT.token == _NO_TOKEN

_INSERT = Prepared(
    insert(oauth_refresh_token),
    "id",
    "token",
    "client_id",
    "session_id",
    "user_id",
    "authorization_code_id",
    "expires_at",
    "created_at",
    "auth_time",
    "scopes",
    "family_expires_at",
    "resources",
    "requested_claims",
    "key",
)
_LEAVE_SESSION = Prepared(
    update(oauth_refresh_token)
    .where(_GRANT.id == bindparam("of_grant"), _GRANT.session_id == bindparam("ended"))
    .values(session_id=None)
)
_DELETE_ACCESS = Prepared(
    delete(oauth_access_token).where(oauth_access_token.c.refresh_id == bindparam("of_grant"))
)


def store(connection: Connection, **columns: Any) -> None:  # noqa: ANN401  (column values)
    """Store a grant with a refresh token; it begins now."""
    _INSERT.rowcount(connection, {"created_at": clock.now(), **columns})


def store_without_refresh_token(
    connection: Connection,
    expires_at: datetime,
    **columns: Any,  # noqa: ANN401  (column values)
) -> str:
    """Store a grant that ends with its one access token, and return its id."""
    row_id = random_id()
    ends = {"expires_at": expires_at, "family_expires_at": expires_at}
    store(connection, id=row_id, token=_NO_TOKEN, key=None, **ends, **columns)
    return row_id


def revoke(connection: Connection, which: ColumnElement[bool]) -> int:
    """End grants with all their tokens; return how many have a refresh token, and stay to know it.

    Those that ended before do not count.
    """
    delete_access(connection, which)
    ending = (
        update(oauth_refresh_token)
        .where(which, _GRANT.revoked.is_(None))
        .values(revoked=clock.now(), recent=None)
    )
    return connection.execute(ending).rowcount


def delete_access(connection: Connection, which: ColumnElement[bool]) -> None:
    """Delete the access tokens of grants, and the grants that have no refresh token."""
    # The foreign key deletes the access token of each.
    connection.execute(delete(oauth_refresh_token).where(which, HAS_NO_REFRESH_TOKEN))
    of_grants = oauth_access_token.c.refresh_id.in_(select(_GRANT.id).where(which))
    connection.execute(delete(oauth_access_token).where(of_grants))


def leave_session(connection: Connection, grant_id: str, session_id: str) -> None:
    """Part a grant from a session that is over, so that its next access tokens do not end with it.

    Those that it had ended with the session.
    """
    if _LEAVE_SESSION.rowcount(connection, {"of_grant": grant_id, "ended": session_id}):
        _DELETE_ACCESS.rowcount(connection, {"of_grant": grant_id})
