"""Consents: the scopes that a user has allowed a client, remembered as one growing set."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.db import insert_or_ignore
from authservice.models import oauth_consent


@dataclass(frozen=True, slots=True)
class Consent:
    """What a user has allowed a client, and when they last said so."""

    id: str
    scopes: tuple[str, ...]
    updated_at: datetime

    def covers(self, scopes: Iterable[str]) -> bool:
        """Tell whether every one of these scopes has been allowed."""
        return set(scopes) <= set(self.scopes)


_FIND = select(oauth_consent.c.id, oauth_consent.c.scopes, oauth_consent.c.updated_at).where(
    oauth_consent.c.client_id == bindparam("of_client"),
    oauth_consent.c.user_id == bindparam("of_user"),
    oauth_consent.c.reference_id.is_(None),
)


def find(connection: Connection, client_id: str, user_id: str) -> Consent | None:
    """Return the consent of a user for a client."""
    row = connection.execute(_FIND, {"of_client": client_id, "of_user": user_id}).first()
    return None if row is None else Consent(*row)


def grant(connection: Connection, client_id: str, user_id: str, scopes: Iterable[str]) -> None:
    """Remember that a user allows a client these scopes besides those allowed before."""
    now = clock.now()
    first = {
        "id": random_id(),
        "client_id": client_id,
        "user_id": user_id,
        "scopes": (),
        "created_at": now,
        "updated_at": now,
    }
    # Two consents given at once must both be kept: the row is locked before it is read.
    insert_or_ignore(connection, oauth_consent, first)
    key = {"of_client": client_id, "of_user": user_id}
    stored = Consent(*connection.execute(_FIND.with_for_update(), key).one())
    union = (*stored.scopes, *(scope for scope in scopes if scope not in stored.scopes))
    connection.execute(
        update(oauth_consent)
        .where(oauth_consent.c.id == stored.id)
        .values(scopes=union, updated_at=now)
    )
