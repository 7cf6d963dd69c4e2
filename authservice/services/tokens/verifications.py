"""What expires and can be spent once: sign-in attempts, authorization codes, clients' assertions.

Spending is one conditional UPDATE, so of any number of requests that arrive together exactly one
succeeds. A spent row stays for a while: it tells a repetition from an invention.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select, update

from authservice import clock
from authservice.crypto.secret_values import random_id
from authservice.database.database import insert_or_ignore, runs_alone
from authservice.database.prepared import Prepared
from authservice.models import verification


@dataclass(frozen=True, slots=True)
class Verification:
    """A stored value; what it means is the caller's business."""

    id: str
    value: str
    expires_at: datetime
    updated_at: datetime | None

    @property
    def spent(self) -> bool:
        """Tell whether the value has been spent."""
        return self.updated_at is not None

    @property
    def expired(self) -> bool:
        """Tell whether the value expired before it was spent."""
        return not self.spent and self.expires_at <= clock.now()


_COLUMNS = (
    verification.c.id,
    verification.c.value,
    verification.c.expires_at,
    verification.c.updated_at,
)
_PEEK = Prepared(select(*_COLUMNS).where(verification.c.identifier == bindparam("identifier")))
_PEEK_BY_ID = Prepared(select(*_COLUMNS).where(verification.c.id == bindparam("peeked_id")))

_CLAIM = Prepared(
    update(verification)
    .where(verification.c.id == bindparam("claimed_id"))
    .values(updated_at=verification.c.updated_at)
)
_CHANGE = Prepared(
    update(verification)
    .where(verification.c.id == bindparam("changed_id"))
    .values(value=bindparam("new_value"))
)
_SPEND = Prepared(
    update(verification)
    .where(
        verification.c.id == bindparam("spent_id"),
        verification.c.updated_at.is_(None),
        verification.c.expires_at > bindparam("now"),
    )
    .values(updated_at=bindparam("now"), expires_at=bindparam("keep_until"))
)


def put(
    connection: Connection,
    identifier: str,
    value: str,
    expires_at: datetime,
    *,
    id: str | None = None,  # noqa: A002  (the column's name)
) -> bool:
    """Store a value; False when a row of that id is there already, which then stays as it is."""
    row = {
        "id": id or random_id(),
        "identifier": identifier,
        "value": value,
        "expires_at": expires_at,
        "created_at": clock.now(),
    }
    return insert_or_ignore(connection, verification, row)


def spend_unknown(connection: Connection, verification_id: str, expires_at: datetime) -> bool:
    """Spend what is not stored before; False when it was spent already.

    The id says what it is, and the row is kept until it expires.
    """
    now = clock.now()
    row = {"id": verification_id, "identifier": verification_id, "value": ""}
    dates = {"expires_at": expires_at, "created_at": now, "updated_at": now}
    return insert_or_ignore(connection, verification, row | dates)


def peek(connection: Connection, identifier: str) -> Verification | None:
    """Return a value without spending it, whether spent or expired or neither."""
    row = _PEEK.first(connection, {"identifier": identifier})
    return None if row is None else Verification(*row)


def peek_by_id(connection: Connection, verification_id: str) -> Verification | None:
    """Return what ``peek`` returns, of the row with an id."""
    row = _PEEK_BY_ID.first(connection, {"peeked_id": verification_id})
    return None if row is None else Verification(*row)


def claim(connection: Connection, verification_id: str) -> None:
    """Lock a row that is changed later in the transaction, before people whom that locks as well.

    A transaction that deletes people locks these rows first.
    """
    if not runs_alone(connection):
        _CLAIM.rowcount(connection, {"claimed_id": verification_id})


def change(connection: Connection, verification_id: str, value: str) -> None:
    """Replace a value, spent or not."""
    _CHANGE.rowcount(connection, {"changed_id": verification_id, "new_value": value})


def spend(connection: Connection, verification_id: str, keep_until: datetime) -> bool:
    """Spend a value; False when it was spent before, has expired or is unknown.

    The row is kept until the given moment, so that a repetition can be recognised.
    """
    change = {"spent_id": verification_id, "now": clock.now(), "keep_until": keep_until}
    return _SPEND.rowcount(connection, change) == 1
