"""Rows that are over, and such that are not quite, in every table that the clean-up looks after."""

from datetime import timedelta

from sqlalchemy import func, insert, select

from authservice import clock
from authservice.crypto.secret_values import random_id, random_token
from authservice.models import (
    fetched_keys,
    logout_notice,
    oauth_access_token,
    oauth_client,
    oauth_refresh_token,
    provider_event,
    removed_account,
    session,
    session_participant,
    user,
    verification,
)
from authservice.services.upkeep import local_mark
from authservice.services.upkeep.expired_rows import ALL_KINDS, RETENTION

# Those that others refer to first.
TABLES = {
    "sessions": session,
    "refresh_tokens": oauth_refresh_token,
    "access_tokens": oauth_access_token,
    "verifications": verification,
    "removed_accounts": removed_account,
    "provider_events": provider_event,
    "fetched_keys": fetched_keys,
}
_LONGER = {kind.name: RETENTION - kind.retention for kind in ALL_KINDS}
_MILLISECOND = timedelta(milliseconds=1)


def counts(database):
    """Return how many rows there are of each kind."""
    return {
        name: database.reader.scalar(
            # The mark of local mode is no row that expires.
            select(func.count()).select_from(table).where(table.c.id != local_mark.MARK)
        )
        for name, table in TABLES.items()
    }


def fill(database, number, *, over=True, rotations=2, told=False):
    """Store so many sign-ins with all that came of them, over for long or for nearly as long."""
    end = clock.now() - RETENTION + (-_MILLISECOND if over else timedelta(minutes=1))
    rows = {table: [] for table in (user, oauth_client, *TABLES.values(), session_participant)}
    for _ in range(number):
        _sign_in(rows, end, rotations)
    if not told:
        del rows[session_participant]
    with database.transaction() as connection:
        for table, values in rows.items():
            if values:
                connection.execute(insert(table), values)


def _sign_in(rows, end, rotations):
    ids = {name: random_id() for name in ("user", "client", "session", "code", "family")}
    dates = {"created_at": end, "expires_at": end}
    rows[user].append(
        {"id": ids["user"], "name": "N", "email": f"{ids['user']}@example.com"}
        | {"email_verified": True, "created_at": end, "updated_at": end}
    )
    rows[oauth_client].append(
        {"id": ids["client"], "client_id": ids["client"], "redirect_uris": ()}
    )
    rows[session].append(
        {"id": ids["session"], "token": random_token(), "user_id": ids["user"]}
        | {"updated_at": end, **dates}
    )
    rows[session_participant].append(
        {"id": random_id(), "session_id": ids["session"], "client_id": ids["client"]}
    )
    rows[verification].append(
        {"id": ids["code"], "identifier": random_token(), "value": "{}", "created_at": end}
        | {"expires_at": end + _LONGER["verifications"]}
    )
    removed_at = end + _LONGER["removed_accounts"]
    rows[removed_account].append({"id": random_id(), "removed_at": removed_at})
    received_at = end + _LONGER["provider_events"]
    rows[provider_event].append({"id": random_token(), "received_at": received_at})
    rows[fetched_keys].append({"id": random_id(), "asked_at": end})
    common = {
        "client_id": ids["client"],
        "user_id": ids["user"],
        "session_id": ids["session"],
        "authorization_code_id": ids["code"],
        "scopes": ("openid",),
    }
    rows[oauth_refresh_token].append(
        {"id": ids["family"], "token": random_token(), **common, **dates}
        | {"family_expires_at": end, "rotated_at": end, "recent": "sealed" if rotations else None}
    )
    for _ in range(rotations + 1):
        rows[oauth_access_token].append(
            {"id": random_token(), "refresh_id": ids["family"], "scopes": ("openid",), **dates}
        )


def count_sealed_successors(database):
    """Return how many successors may still be given to anyone who repeats a refresh."""
    sealed = oauth_refresh_token.c.recent
    return database.reader.scalar(select(func.count(sealed)))


def notices(database):
    """Return whom the service has yet to tell of a session's end."""
    columns = logout_notice.c.session_id, logout_notice.c.client_id
    return [tuple(row) for row in database.reader.execute(select(*columns))]
