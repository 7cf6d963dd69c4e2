"""A lock on an account at the provider, whether or not a user has it.

A transaction that confirms or removes an account takes it before every other lock. So a removal
sees the user whom a sign-in is about to create, or that sign-in sees the removal.
"""

import hashlib

from sqlalchemy import Connection, select

from authservice.database.database import advisory_lock, runs_alone
from authservice.database.prepared import Prepared
from authservice.models import admission_state

# Rules may not change either, before the transaction ends.
_SHARE_RULES = Prepared(select(admission_state.c.rules).with_for_update(read=True))


def claim(connection: Connection, account_id: str) -> None:
    """Let nobody else confirm or remove an account before the transaction ends."""
    if not runs_alone(connection):
        share_rules(connection)
        advisory_lock(connection, _key(account_id))


def share_rules(connection: Connection) -> None:
    """Let no other rules be put in force before the transaction ends."""
    if not runs_alone(connection):
        _SHARE_RULES.first(connection, {})


def _key(account_id: str) -> int:
    name = f"authservice account {account_id}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], signed=True)
