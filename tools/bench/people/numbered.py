"""The rows of a person who is signed in, made from a number alone.

Ids and tokens follow from the number, so that any of them can be used without a list. They
are spread like the random ones of the service: rows that lie in the order of their ids would be
cheaper to find than real ones.
"""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from sqlalchemy import Table

from authservice import clock
from authservice.crypto.family_tokens import TAG_LENGTH
from authservice.crypto.secret_values import ID_LENGTH, TOKEN_LENGTH, digest
from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.models import (
    account,
    oauth_access_token,
    oauth_consent,
    oauth_refresh_token,
    session,
    user,
)
from authservice.services.clients.clients import SCOPES

TABLES = (user, account, session, oauth_consent, oauth_refresh_token, oauth_access_token)

# Long enough for the longest run: an access token of the service lives for an hour.
_LIFETIME = timedelta(days=7)
_USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

Row = dict[str, Any]


def id_of(kind: str, number: int) -> str:
    """Return the id of a person's row."""
    return _spread(kind, number, ID_LENGTH)


def token_of(kind: str, number: int) -> str:
    """Return the plain token of a person's session, access token or refresh token.

    One to refresh with names its family, and is known by its digest; its tag is an invented one.
    """
    if kind == "refresh":
        random = _spread("refresh token", number, TOKEN_LENGTH)
        return id_of(kind, number) + random + _spread("refresh tag", number, TAG_LENGTH)
    return _spread(f"{kind} token", number, TOKEN_LENGTH)


def rows_of(number: int, client_id: str) -> Iterator[tuple[Table, Row]]:
    """Yield one row for each table, for a person who has allowed a client everything."""
    now = clock.now()
    user_id = id_of("user", number)
    session_id = id_of("session", number)
    refresh_id = id_of("refresh", number)
    code_id = id_of("code", number)
    made = {"created_at": now, "updated_at": now}
    expiring = {"created_at": now, "expires_at": now + _LIFETIME}
    granted = {
        "client_id": client_id,
        "session_id": session_id,
        "user_id": user_id,
        "authorization_code_id": code_id,
        "scopes": SCOPES,
    }
    yield (
        user,
        {
            "id": user_id,
            "name": f"Person Number {number}",
            "email": f"person-{number}@example.com",
            "email_verified": True,
            "image": f"https://pictures.example.com/{number}.png",
            **made,
        },
    )
    yield (
        account,
        {
            "id": id_of("account", number),
            # Local mode refuses a database with accounts of other people.
            "provider_id": LOCAL_DEVELOPER,
            "account_id": str(number),
            "user_id": user_id,
            **made,
        },
    )
    yield (
        session,
        {
            "id": session_id,
            "token": digest(token_of("session", number)),
            "user_id": user_id,
            "updated_at": now,
            "ip_address": "203.0.113.7",
            "user_agent": _USER_AGENT,
            **expiring,
        },
    )
    yield (
        oauth_consent,
        {
            "id": id_of("consent", number),
            "client_id": client_id,
            "user_id": user_id,
            "scopes": SCOPES,
            **made,
        },
    )
    yield (
        oauth_refresh_token,
        {
            "id": refresh_id,
            "token": digest(token_of("refresh", number)),
            "auth_time": now,
            "family_expires_at": now + _LIFETIME,
            **granted,
            **expiring,
        },
    )
    yield (
        oauth_access_token,
        {
            "id": digest(token_of("access", number)),
            "refresh_id": refresh_id,
            "scopes": SCOPES,
            **expiring,
        },
    )


def _spread(kind: str, number: int, length: int) -> str:
    return hashlib.sha256(f"{kind} {number}".encode()).hexdigest()[:length]
