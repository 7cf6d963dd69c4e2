"""What is stored of the person behind an account since the last sign-in."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from authservice.models import account, user
from authservice.services.admission.facts import Memberships
from authservice.services.people.users import User


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """A person, and the groups that they had."""

    user: User
    memberships: Memberships


def find(connection: Connection, provider_id: str, account_id: str) -> Acquaintance | None:
    """Return what is known of the person of an account; None if they never signed in."""
    of_account = (
        select(*user.c, account.c.memberships)
        .join(account, account.c.user_id == user.c.id)
        .where(account.c.provider_id == provider_id, account.c.account_id == account_id)
    )
    row = connection.execute(of_account).first()
    if row is None:
        return None
    *of_user, numbers = row
    return Acquaintance(User(*of_user), Memberships.of_numbers(numbers or {}))
