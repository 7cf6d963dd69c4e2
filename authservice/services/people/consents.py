"""Consents: what a user has allowed a client, remembered as one growing set."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, bindparam, select, update
from sqlalchemy import delete as sql_delete

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.database.database import insert_or_ignore, without_index
from authservice.database.prepared import Prepared
from authservice.database.transaction import Transaction
from authservice.events import ConsentGiven
from authservice.models import oauth_consent, user
from authservice.services.people import person_lock


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a user allows a client."""

    scopes: tuple[str, ...]
    resources: tuple[str, ...] | None

    @classmethod
    def of(
        cls, scopes: tuple[str, ...] | None, resources: tuple[str, ...] | None
    ) -> "Allowed | None":
        """Return it from ``ALLOWED``, which are both None where there is no consent."""
        return None if scopes is None else Allowed(scopes, resources)

    def covers(self, scopes: Iterable[str], resources: Iterable[str] = ()) -> bool:
        """Tell whether every one of these is allowed."""
        return {*scopes} <= {*self.scopes} and {*resources} <= {*(self.resources or ())}


@dataclass(frozen=True, slots=True)
class Consent(Allowed):
    """What a user has allowed a client, and when they last said so."""

    id: str
    client_id: str
    created_at: datetime
    updated_at: datetime


ALLOWED = (oauth_consent.c.scopes, oauth_consent.c.resources)
"""The columns of ``Allowed``, after an outer join with the consents on ``is_of``."""


def is_of(user_id: ColumnElement[str], client_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a consent is that of a user for a client."""
    return and_(
        oauth_consent.c.user_id == user_id,
        oauth_consent.c.reference_id.is_(None),
        without_index(oauth_consent.c.client_id) == client_id,
    )


_OF_USER = select(*(oauth_consent.c[each.name] for each in fields(Consent))).where(
    oauth_consent.c.user_id == bindparam("of_user"),
    oauth_consent.c.reference_id.is_(None),
)
_OF_CLIENT = _OF_USER.where(without_index(oauth_consent.c.client_id) == bindparam("of_client"))
_FIND = Prepared(_OF_CLIENT)


def find(connection: Connection, client_id: str, user_id: str) -> Consent | None:
    """Return the consent of a user for a client."""
    row = _FIND.first(connection, {"of_client": client_id, "of_user": user_id})
    return None if row is None else Consent(*row)


def of_user(connection: Connection, user_id: str) -> list[Consent]:
    """Return everything that a user has allowed, oldest first."""
    rows = connection.execute(_OF_USER.order_by(oauth_consent.c.created_at), {"of_user": user_id})
    return [Consent(*row) for row in rows]


def delete(connection: Connection, consent: Consent) -> None:
    """Forget a consent; the client has to ask again."""
    which = oauth_consent.c.id == consent.id
    owner = select(oauth_consent.c.user_id).where(which)
    person_lock.claim(connection, user.c.id.in_(owner))
    connection.execute(sql_delete(oauth_consent).where(which))


def grant(
    transaction: Transaction,
    client_id: str,
    user_id: str,
    scopes: Collection[str],
    declined: Collection[str] = (),
    resources: Collection[str] = (),
    declined_resources: Collection[str] = (),
) -> None:
    """Remember that a user allows a client these besides what was allowed before.

    What is declined is allowed no longer: the client has to ask for it again. Where user or client
    have been deleted meanwhile, there is nothing to remember.
    """
    connection = transaction.connection
    now = clock.now()
    first = {
        "id": random_id(),
        "client_id": client_id,
        "user_id": user_id,
        "scopes": (),
        "created_at": now,
        "updated_at": now,
    }
    if not person_lock.share_if_exists(connection, user_id, client_id):
        return
    # Two consents given at once must both be stored: the row is locked before it is read.
    insert_or_ignore(connection, oauth_consent, first)
    key = {"of_client": client_id, "of_user": user_id}
    stored = Consent(*connection.execute(_OF_CLIENT.with_for_update(), key).one())
    allowed = _joined(stored.scopes, scopes, declined)
    named = _joined(stored.resources or (), resources, declined_resources)
    connection.execute(
        update(oauth_consent)
        .where(oauth_consent.c.id == stored.id)
        .values(scopes=allowed, resources=named or None, updated_at=now)
    )
    given = ConsentGiven(
        sub=user_id, client_id=client_id, scope=" ".join(scopes), resources=tuple(resources)
    )
    transaction.note(given)


def _joined(
    before: Collection[str], added: Collection[str], declined: Collection[str]
) -> tuple[str, ...]:
    """Return everything that was allowed before or is now, in this order, and is not declined."""
    without = {*declined}
    return tuple(each for each in dict.fromkeys((*before, *added)) if each not in without)
