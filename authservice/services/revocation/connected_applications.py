"""The applications that a person has connected: what each may do, and how to disconnect it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select

from authservice import clock
from authservice.database.transaction import Transaction
from authservice.events import ConsentWithdrawn
from authservice.models import oauth_access_token, oauth_client, oauth_refresh_token, user
from authservice.services.people import consents, person_lock
from authservice.services.people.consents import Consent
from authservice.services.tokens import refresh_tokens


@dataclass(frozen=True, slots=True)
class ConnectedApplication:
    """A client that a person has allowed something, or that holds a token of theirs.

    ``consent`` is None for a client that need not ask. ``last_seen`` is when the newest token
    that it holds was issued, None when it holds none that is valid.
    """

    client_id: str
    name: str | None
    redirect_uris: tuple[str, ...]
    consent: Consent | None
    last_seen: datetime | None


_LAST_ISSUED = func.coalesce(oauth_refresh_token.c.rotated_at, oauth_refresh_token.c.created_at)
_REFRESHED = (
    select(oauth_refresh_token.c.client_id, func.max(_LAST_ISSUED))
    .where(
        oauth_refresh_token.c.user_id == bindparam("of_user"),
        oauth_refresh_token.c.revoked.is_(None),
        oauth_refresh_token.c.expires_at > bindparam("now"),
    )
    .group_by(oauth_refresh_token.c.client_id)
)
_ISSUED = (
    select(oauth_refresh_token.c.client_id, func.max(oauth_access_token.c.created_at))
    .join(oauth_access_token, oauth_access_token.c.refresh_id == oauth_refresh_token.c.id)
    .where(
        oauth_refresh_token.c.user_id == bindparam("of_user"),
        oauth_access_token.c.expires_at > bindparam("now"),
    )
    .group_by(oauth_refresh_token.c.client_id)
)
_CLIENTS = select(
    oauth_client.c.client_id, oauth_client.c.name, oauth_client.c.redirect_uris
).where(oauth_client.c.client_id.in_(bindparam("client_ids", expanding=True)))


def of_user(connection: Connection, user_id: str) -> list[ConnectedApplication]:
    """Return a person's connected applications in the order of their names."""
    allowed = {each.client_id: each for each in consents.of_user(connection, user_id)}
    last_seen = _last_seen(connection, user_id)
    rows = connection.execute(_CLIENTS, {"client_ids": [*{*allowed, *last_seen}]})
    applications = [
        ConnectedApplication(
            row.client_id,
            row.name,
            row.redirect_uris,
            allowed.get(row.client_id),
            last_seen.get(row.client_id),
        )
        for row in rows
    ]
    return sorted(applications, key=lambda each: ((each.name or "").casefold(), each.client_id))


def disconnect(transaction: Transaction, user_id: str, client_id: str) -> bool:
    """Revoke a client's access: its consent and all its tokens. False when it had none."""
    connection = transaction.connection
    # Waits for tokens that are just being issued, and revokes them too.
    person_lock.claim(connection, user.c.id == user_id)
    consent = consents.find(connection, client_id, user_id)
    if consent is None and client_id not in _last_seen(connection, user_id):
        return False
    if consent is not None:
        consents.delete(connection, consent)
    refresh_tokens.revoke_of_user(connection, user_id, client_id)
    transaction.note(ConsentWithdrawn(sub=user_id, client_id=client_id))
    return True


def _last_seen(connection: Connection, user_id: str) -> dict[str, datetime]:
    latest: dict[str, datetime] = {}
    for newest in (_REFRESHED, _ISSUED):
        for client_id, moment in connection.execute(
            newest, {"of_user": user_id, "now": clock.now()}
        ):
            latest[client_id] = max(moment, latest.get(client_id, moment))
    return latest
