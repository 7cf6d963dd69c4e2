"""Access tokens: issued, found while everything they hang on is alive, and deleted."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, or_, select

from authservice import clock
from authservice.crypto.secret_values import digest, random_id
from authservice.db import past_index
from authservice.models import oauth_access_token, oauth_client, session, user
from authservice.prepared import Prepared
from authservice.services.users import User


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token that is valid now, and the user it speaks for."""

    id: str
    client_id: str
    session_id: str | None
    expires_at: datetime
    created_at: datetime
    scopes: tuple[str, ...]
    resources: tuple[str, ...] | None
    requested_claims: dict[str, Any] | None
    public: bool | None
    userinfo_signed_response_alg: str | None
    client_metadata: dict[str, Any] | None
    user: User


_COLUMNS = (
    oauth_access_token.c.id,
    oauth_access_token.c.client_id,
    oauth_access_token.c.session_id,
    oauth_access_token.c.expires_at,
    oauth_access_token.c.created_at,
    oauth_access_token.c.scopes,
    oauth_access_token.c.resources,
    oauth_access_token.c.requested_claims,
    oauth_client.c.public,
    oauth_client.c.userinfo_signed_response_alg,
    oauth_client.c.metadata,
)
# A token dies with its session, its user or its client, whether or not anybody deleted it yet.
_FIND = Prepared(
    select(*_COLUMNS, *user.c)
    .join(user, user.c.id == oauth_access_token.c.user_id)
    .join(oauth_client, oauth_client.c.client_id == oauth_access_token.c.client_id)
    .join(session, session.c.id == oauth_access_token.c.session_id, isouter=True)
    .where(
        oauth_access_token.c.token == bindparam("token_digest"),
        oauth_access_token.c.expires_at > bindparam("now"),
        or_(session.c.id.is_(None), session.c.expires_at > bindparam("now")),
        or_(oauth_client.c.disabled.is_(None), oauth_client.c.disabled == False),  # noqa: E712  (SQL)
    )
)
_INSERT = Prepared(
    insert(oauth_access_token),
    *(column.name for column in oauth_access_token.c if column.name != "reference_id"),
)


def find(connection: Connection, token: str) -> AccessToken | None:
    """Return what a valid token stands for."""
    row = _FIND.first(connection, {"token_digest": digest(token), "now": clock.now()})
    if row is None:
        return None
    return AccessToken(*(*row[: len(_COLUMNS)], User(*row[len(_COLUMNS) :])))


def store(connection: Connection, token: str, **columns: Any) -> None:  # noqa: ANN401  (column values)
    """Store a token that is about to be answered."""
    row = {"id": random_id(), "token": digest(token), "created_at": clock.now()}
    _INSERT.rowcount(connection, row | columns)


def delete_one(connection: Connection, row_id: str) -> None:
    """Delete one access token."""
    connection.execute(delete(oauth_access_token).where(oauth_access_token.c.id == row_id))


def delete_of_refresh_tokens(connection: Connection, refresh_ids: Sequence[str]) -> None:
    """Delete the access tokens that came with these refresh tokens."""
    connection.execute(
        delete(oauth_access_token).where(oauth_access_token.c.refresh_id.in_(refresh_ids))
    )


def delete_of_code(connection: Connection, authorization_code_id: str) -> None:
    """Delete the access token that an authorization code gave without a refresh token."""
    connection.execute(
        delete(oauth_access_token).where(
            oauth_access_token.c.authorization_code_id == authorization_code_id,
            oauth_access_token.c.refresh_id.is_(None),
        )
    )


def delete_holding(
    connection: Connection,
    user_id: str,
    client_id: str,
    scopes: Collection[str],
    claims: Collection[str],
) -> None:
    """Delete a user's access tokens at a client that open any of these scopes or single claims."""
    rows = connection.execute(
        select(
            oauth_access_token.c.id,
            oauth_access_token.c.scopes,
            oauth_access_token.c.requested_claims,
        ).where(
            oauth_access_token.c.user_id == user_id,
            past_index(oauth_access_token.c.client_id) == client_id,
        )
    )
    opening = [
        row.id
        for row in rows
        if {*scopes} & {*row.scopes}
        or {*claims} & {*(row.requested_claims or {}).get("userinfo", ())}
    ]
    connection.execute(delete(oauth_access_token).where(oauth_access_token.c.id.in_(opening)))


def delete_of_user(connection: Connection, user_id: str, client_id: str | None = None) -> None:
    """Delete a user's access tokens, those of one client or of all."""
    which = oauth_access_token.c.user_id == user_id
    if client_id is not None:
        which &= past_index(oauth_access_token.c.client_id) == client_id
    connection.execute(delete(oauth_access_token).where(which))
