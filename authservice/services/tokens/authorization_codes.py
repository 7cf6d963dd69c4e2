"""Authorization codes: the grant behind one, stored as a verification under its digest."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select

from authservice import clock
from authservice.crypto.compact_json import compact
from authservice.crypto.secret_values import digest, random_id, random_token
from authservice.database.prepared import Prepared
from authservice.models import session, user, verification
from authservice.services.admission.confirmation import ADMITTED, ALWAYS
from authservice.services.tokens import verifications
from authservice.services.tokens.verifications import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGrant:
    """Everything that a code is bound to."""

    client_id: str
    user_id: str
    session_id: str
    redirect_uri: str
    code_challenge: str
    scopes: tuple[str, ...]
    nonce: str | None
    auth_time: datetime
    resources: tuple[str, ...] = ()
    requested_claims: Mapping[str, Any] | None = None
    # What the client asked for as well: it may not have the ones, the person declined the others.
    ignored_scopes: tuple[str, ...] = ()
    declined_scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """A code as found: its row and its grant."""

    row: Verification
    grant: CodeGrant

    @property
    def id(self) -> str:
        """Return the id that tokens made from the code carry."""
        return self.row.id


_TUPLES = {"scopes", "resources", "ignored_scopes", "declined_scopes"}
_NEW = ("id", "identifier", "value", "expires_at", "created_at")
_ISSUE = Prepared(
    insert(verification).from_select(
        _NEW,
        select(*(bindparam(f"new_{name}", type_=verification.c[name].type) for name in _NEW)).where(
            session.c.id == bindparam("of_session"), user.c.id == session.c.user_id, ADMITTED
        ),
    )
)


def issue(
    connection: Connection,
    grant: CodeGrant,
    lifetime: timedelta,
    *,
    confirmed_after: datetime = ALWAYS,
) -> str | None:
    """Return a new code for a grant; None when its session has ended meanwhile.

    None also when its person is not admitted, or was not confirmed at that moment or later.
    """
    code = random_token()
    now = clock.now()
    new = {
        "new_id": random_id(),
        "new_identifier": digest(code),
        "new_value": _dump(grant),
        "new_expires_at": now + lifetime,
        "new_created_at": now,
        "of_session": grant.session_id,
        "confirmed_after": confirmed_after,
    }
    return code if _ISSUE.rowcount(connection, new) else None


def find(connection: Connection, code: str) -> AuthorizationCode | None:
    """Return the code, spent or not, without spending it."""
    row = verifications.peek(connection, digest(code))
    return None if row is None else AuthorizationCode(row, _load(row.value))


def asked_for(connection: Connection, code_id: str) -> tuple[str, ...]:
    """Return the scopes that were asked for when the code with this id was issued, spent or not.

    None of them when the code is no longer remembered.
    """
    row = verifications.peek_by_id(connection, code_id)
    if row is None:
        return ()
    grant = _load(row.value)
    return (*grant.scopes, *grant.ignored_scopes, *grant.declined_scopes)


def spend(connection: Connection, code: AuthorizationCode, keep_until: datetime) -> bool:
    """Spend the code; False when it was spent before or has expired.

    It is remembered until the tokens made from it are gone: a second use revokes them.
    """
    return verifications.spend(connection, code.id, keep_until)


def of_user(user_id: str) -> ColumnElement[bool]:
    """Return which verifications are codes of a user; every row is read to find them."""
    member = compact({"user_id": user_id})[1:-1]
    return verification.c.value.contains(member, autoescape=True)


def _dump(grant: CodeGrant) -> str:
    # What is empty is left out: a row is as short as it can be, and may be of a version before.
    value = {name: each for name in CodeGrant.__slots__ if (each := getattr(grant, name)) != ()}
    value["auth_time"] = grant.auth_time.timestamp()
    return compact(value)


def _load(text: str) -> CodeGrant:
    value: dict[str, Any] = json.loads(text)
    for name in _TUPLES & {*value}:
        value[name] = tuple(value[name])
    value["auth_time"] = datetime.fromtimestamp(value["auth_time"], UTC)
    return CodeGrant(**value)
