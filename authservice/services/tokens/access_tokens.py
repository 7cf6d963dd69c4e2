"""Access tokens: issued, read while their session and grant are valid, and deleted."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from authservice import clock
from authservice.crypto.secret_values import digest, is_token
from authservice.database.database import without_index
from authservice.database.prepared import Prepared, PreparedRows
from authservice.models import (
    oauth_access_token,
    oauth_client,
    oauth_refresh_token,
    session,
    user,
)
from authservice.services.people.users import User
from authservice.services.tokens import grants


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token that is valid now. A machine's speaks for no user."""

    id: str
    grant_id: str
    client_id: str
    user_id: str | None
    session_id: str | None
    expires_at: datetime
    created_at: datetime
    scopes: tuple[str, ...]
    resources: tuple[str, ...] | None

    @property
    def sub(self) -> str:
        """Return the id of whom it speaks for: a user, or the client itself."""
        return self.client_id if self.user_id is None else self.user_id

    @property
    def resource(self) -> str | None:
        """Return the URI that it is for, None for userinfo.

        Of several, for which tokens once were issued, the first counts.
        """
        return self.resources[0] if self.resources else None


@dataclass(frozen=True, slots=True)
class UserAccessToken(AccessToken):
    """A token that is valid now, with what userinfo needs of its client and the user."""

    requested_claims: dict[str, Any] | None
    public: bool | None
    userinfo_signed_response_alg: str | None
    client_metadata: dict[str, Any] | None
    user: User


# A signed one, whose header and content are JSON objects in base64url.
_JWT = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+", re.ASCII)
_GRANT = oauth_refresh_token.c
_RESOURCES = func.coalesce(oauth_access_token.c.resources, _GRANT.resources)
_CLAIMS = func.coalesce(oauth_access_token.c.requested_claims, _GRANT.requested_claims)
_OF_ITSELF = (
    oauth_access_token.c.id,
    oauth_access_token.c.refresh_id.label("grant_id"),
    _GRANT.client_id,
    _GRANT.user_id,
    _GRANT.session_id,
    oauth_access_token.c.expires_at,
    oauth_access_token.c.created_at,
    oauth_access_token.c.scopes,
    _RESOURCES.label("resources"),
)


def _valid(*columns: ColumnElement[Any]) -> Select[Any]:
    """Return what selects a valid token.

    It ends with its session and its client, whether or not its row is deleted yet.
    """
    return (
        select(*columns)
        .join(oauth_refresh_token, _GRANT.id == oauth_access_token.c.refresh_id)
        .join(oauth_client, oauth_client.c.client_id == _GRANT.client_id)
        .join(session, session.c.id == _GRANT.session_id, isouter=True)
        .where(
            oauth_access_token.c.id == bindparam("token_digest"),
            oauth_access_token.c.expires_at > bindparam("now"),
            or_(session.c.id.is_(None), session.c.expires_at > bindparam("now")),
            or_(oauth_client.c.disabled.is_(None), oauth_client.c.disabled == False),  # noqa: E712  (SQL)
        )
    )


_FIND = PreparedRows(_valid(*_OF_ITSELF), AccessToken)
_FIND_OF_USER = PreparedRows(
    _valid(
        *_OF_ITSELF,
        _CLAIMS.label("requested_claims"),
        oauth_client.c.public,
        oauth_client.c.userinfo_signed_response_alg,
        oauth_client.c.metadata.label("client_metadata"),
        *user.c,
    ).join(user, user.c.id == _GRANT.user_id),
    UserAccessToken,
)
_IS_STORED = Prepared(
    select(oauth_access_token.c.id).where(oauth_access_token.c.id == bindparam("token_digest"))
)
_INSERT = Prepared(insert(oauth_access_token), *(column.name for column in oauth_access_token.c))
_DELETE_EXPIRED = Prepared(
    delete(oauth_access_token).where(
        oauth_access_token.c.refresh_id == bindparam("of_grant"),
        oauth_access_token.c.expires_at <= bindparam("now"),
    )
)


def has_form(token: str) -> bool:
    """Tell whether a text has the form of an access token; nothing else needs to be looked up."""
    return is_token(token) or _JWT.fullmatch(token) is not None


def find(connection: Connection, token: str) -> AccessToken | None:
    """Return a valid token, with what was granted."""
    return _FIND.first(connection, {"token_digest": digest(token), "now": clock.now()})


def find_of_user(connection: Connection, token: str) -> UserAccessToken | None:
    """Return a valid token of a user, with all that userinfo tells by it."""
    return _FIND_OF_USER.first(connection, {"token_digest": digest(token), "now": clock.now()})


def is_stored(connection: Connection, token: str) -> bool:
    """Tell whether a token was issued and not deleted since, valid or not."""
    return _IS_STORED.first(connection, {"token_digest": digest(token)}) is not None


def store(connection: Connection, token: str, **columns: Any) -> None:  # noqa: ANN401  (column values)
    """Store a token that is about to be answered."""
    row = {"id": digest(token), "created_at": clock.now()}
    _INSERT.rowcount(connection, row | columns)


def delete_expired(connection: Connection, grant_id: str) -> None:
    """Delete the access tokens of a grant that have expired."""
    _DELETE_EXPIRED.rowcount(connection, {"of_grant": grant_id, "now": clock.now()})


def delete_one(connection: Connection, access_token: AccessToken) -> None:
    """Delete one access token, and its grant if that has no refresh token."""
    of_grant = _GRANT.id == access_token.grant_id
    # In the order in which every transaction comes to them.
    connection.execute(delete(oauth_refresh_token).where(of_grant, grants.HAS_NO_REFRESH_TOKEN))
    which = oauth_access_token.c.id == access_token.id
    connection.execute(delete(oauth_access_token).where(which))


def delete_holding(
    connection: Connection,
    user_id: str,
    client_id: str,
    scopes: Collection[str],
    claims: Collection[str],
    resources: Collection[str] = (),
) -> None:
    """Delete a user's access tokens at a client that open any of these.

    They are scopes, single claims at userinfo, and resources.
    """
    rows = connection.execute(
        select(
            oauth_access_token.c.id,
            oauth_access_token.c.refresh_id,
            oauth_access_token.c.scopes,
            _RESOURCES.label("resources"),
            _CLAIMS.label("requested_claims"),
        )
        .join(oauth_refresh_token, _GRANT.id == oauth_access_token.c.refresh_id)
        .where(_GRANT.user_id == user_id, without_index(_GRANT.client_id) == client_id)
    )
    opening = [
        row
        for row in rows
        if {*scopes} & {*row.scopes}
        or {*resources} & {*(row.resources or ())}
        or {*claims} & {*(row.requested_claims or {}).get("userinfo", ())}
    ]
    of_grants = _GRANT.id.in_([row.refresh_id for row in opening])
    connection.execute(delete(oauth_refresh_token).where(of_grants, grants.HAS_NO_REFRESH_TOKEN))
    which = oauth_access_token.c.id.in_([row.id for row in opening])
    connection.execute(delete(oauth_access_token).where(which))
