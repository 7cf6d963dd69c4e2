"""Whether a person is admitted, and since when that is confirmed.

Who was let in by an organization or a team has to be confirmed again after ``admission.recheck``.
While the provider does not answer they stay admitted for longer, by ``admission.outage_grace``.
"""

from datetime import UTC, datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)

from authservice import clock
from authservice.database.prepared import Prepared
from authservice.models import admission_state, removed_account, user
from authservice.models.column_types import EpochMillis
from authservice.services.admission import state
from authservice.services.admission.decision import GROUP_KINDS, requires_recheck
from authservice.services.people.users import User
from authservice.settings import AdmissionSettings

ALWAYS = datetime.fromtimestamp(0, UTC)
"""As ``confirmed_after``: those who were never confirmed are admitted too."""

_MOMENT = EpochMillis()
_ADMITTED_AT = func.coalesce(user.c.admitted_at, literal(ALWAYS, _MOMENT))
_BY_GROUP = or_(*(user.c.admitted_by.startswith(f"{kind}:") for kind in GROUP_KINDS))

ADMITTED: ColumnElement[bool] = or_(
    bindparam("confirmed_after", type_=_MOMENT) <= _ADMITTED_AT,
    user.c.admitted_at.is_not(None) & ~_BY_GROUP,
)
"""A condition on a user's row: the person is admitted. Its parameter is ``confirmed_after``."""

_BEGAN_AT = bindparam("began_at", type_=_MOMENT)
_IS_OLDER = or_(user.c.admitted_at.is_(None), user.c.admitted_at < _BEGAN_AT)
_CONFIRM = Prepared(
    update(user)
    .where(
        user.c.id == bindparam("of_user"),
        ~exists().where(
            removed_account.c.id == bindparam("of_account"),
            removed_account.c.removed_at >= _BEGAN_AT,
        ),
        select(admission_state.c.rules).where(admission_state.c.id == state.ONLY).scalar_subquery()
        == bindparam("in_force"),
    )
    .values(
        admitted_at=case((_IS_OLDER, _BEGAN_AT), else_=user.c.admitted_at),
        admitted_by=case((_IS_OLDER, bindparam("rule")), else_=user.c.admitted_by),
    )
)


def confirm(
    connection: Connection,
    *,
    user_id: str,
    account_id: str,
    began_at: datetime,
    admitted_by: str,
    fingerprint: str,
) -> bool:
    """Store the rule that lets a person in; False where they have to try again.

    They have to when the account was removed after ``began_at``, the moment before the first
    request to the provider, or when other rules are in force. The account is locked by now.
    """
    parameters = {
        "of_user": user_id,
        "of_account": account_id,
        "began_at": began_at,
        "rule": admitted_by,
        "in_force": fingerprint,
    }
    return _CONFIRM.rowcount(connection, parameters) == 1


def is_admitted(user: User, admission: AdmissionSettings, reader: Connection) -> bool:
    """Tell whether a person is admitted now; reads nothing unless a confirmation is due."""
    # Nearly always, and a session check should not be dearer for it.
    if admission.everyone or is_confirmed(user, _oldest(admission)):
        return True
    return is_confirmed(user, confirmed_after(user, admission, reader))


def confirmed_after(user: User, admission: AdmissionSettings, reader: Connection) -> datetime:
    """Return the moment since which a person must have been confirmed.

    Reads nothing unless a confirmation is due.
    """
    oldest = _oldest(admission)
    in_outage = oldest - admission.outage_grace if oldest > ALWAYS else oldest
    grace_helps = is_confirmed(user, in_outage) and not is_confirmed(user, oldest)
    return in_outage if grace_helps and state.outage_lasts(reader) else oldest


def is_confirmed(user: User, after: datetime) -> bool:
    """Tell whether a person was confirmed at that moment or later, or need not be.

    The condition ADMITTED tells the same of the stored row.
    """
    if (user.admitted_at or ALWAYS) >= after:
        return True
    return user.admitted_at is not None and not requires_recheck(user.admitted_by or "")


def _oldest(admission: AdmissionSettings) -> datetime:
    return ALWAYS if admission.everyone else clock.now() - admission.recheck
