"""What is stored of the provider's people: read many at a time, confirmed in one transaction.

Their stored groups follow the provider too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, exists, or_, select, update

from authservice.models import account, admission_state, removed_account, user
from authservice.services.admission import account_lock, state
from authservice.services.people import person_lock
from authservice.services.people.memberships import Memberships

AT_ONCE = 500


class StoredPerson(NamedTuple):
    """What is stored of one person."""

    user_id: str
    account_id: str
    username: str | None
    admitted_at: datetime | None
    admitted_by: str | None
    groups: tuple[str, ...] | None
    memberships: Mapping[str, str] | None


_COLUMNS = (
    user.c.id,
    account.c.account_id,
    user.c.username,
    user.c.admitted_at,
    user.c.admitted_by,
    user.c.groups,
    account.c.memberships,
)


def find(connection: Connection, provider_id: str, account_id: str) -> StoredPerson | None:
    """Return what is stored of the person with an account; None where it is nobody's."""
    of_account = _all(provider_id).where(account.c.account_id == account_id)
    row = connection.execute(of_account).first()
    return None if row is None else StoredPerson(*row)


def everyone(connection: Connection, provider_id: str) -> Iterator[Sequence[StoredPerson]]:
    """Yield all people with an account at a provider, some at a time."""
    after = ""
    while True:
        some = _all(provider_id).where(user.c.id > after).order_by(user.c.id).limit(AT_ONCE)
        rows = [StoredPerson(*row) for row in connection.execute(some)]
        if rows:
            yield rows
        if len(rows) < AT_ONCE:
            break
        after = rows[-1].user_id


def _all(provider_id: str) -> Any:  # noqa: ANN401  (a Select of these columns)
    return (
        select(*_COLUMNS)
        .join(account, account.c.user_id == user.c.id)
        .where(account.c.provider_id == provider_id)
    )


def confirm(
    connection: Connection,
    admitted_by: Mapping[str, str],
    *,
    began_at: datetime,
    fingerprint: str,
) -> int:
    """Store what admits each user, by their ids; return how many are confirmed.

    It counts as that of one person does: not for an account that was removed after ``began_at``,
    nor under other rules than those of the fingerprint.
    """
    account_lock.share_rules(connection)
    # This waits for a transaction that removes one of them, and sees what it wrote.
    person_lock.claim(connection, user.c.id.in_(admitted_by))
    removed = exists().where(
        account.c.user_id == user.c.id,
        removed_account.c.id == account.c.account_id,
        removed_account.c.removed_at >= began_at,
    )
    in_force = (
        select(admission_state.c.rules).where(admission_state.c.id == state.ONLY).scalar_subquery()
    )
    counted = 0
    for rule in sorted(set(admitted_by.values())):
        ids = [user_id for user_id, admitting in admitted_by.items() if admitting == rule]
        confirming = update(user).where(
            user.c.id.in_(ids),
            or_(user.c.admitted_at.is_(None), user.c.admitted_at < began_at),
            ~removed,
            in_force == fingerprint,
        )
        values = {"admitted_at": began_at, "admitted_by": rule}
        counted += connection.execute(confirming.values(values)).rowcount
    return counted


def follow_groups(
    connection: Connection,
    provider_id: str,
    people: Iterable[tuple[StoredPerson, Memberships]],
) -> None:
    """Store the groups of these people where they changed."""
    for person, memberships in people:
        mine = account.c.provider_id == provider_id, account.c.account_id == person.account_id
        numbers = memberships.numbers or None
        connection.execute(update(account).where(*mine).values(memberships=numbers))
        of_user = update(user).where(user.c.id == person.user_id)
        connection.execute(of_user.values(groups=memberships.names))
