"""Looking after registered clients: list, change, disable, new secret, delete.

Only commands call this; no route does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Select, delete, select, update

from authservice import clock
from authservice.crypto.secret_values import digest, random_token
from authservice.database.transaction import Transaction
from authservice.events import (
    ClientChanged,
    ClientDeleted,
    ClientDisabled,
    ClientEnabled,
    ClientSecretRotated,
)
from authservice.models import oauth_client, oauth_refresh_token
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.clients.clients import SCOPES, ours_and_others
from authservice.services.tokens import grants

ClientRow = Mapping[str, Any]

_NO_KEYS: dict[str, Any] = {"jwks": None, "jwks_uri": None}
_NO_SECRET = {
    "client_secret": None,
    "previous_client_secret": None,
    "previous_client_secret_expires_at": None,
}


def all_clients(connection: Connection) -> list[ClientRow]:
    """Return every client's row, oldest first."""
    statement = select(oauth_client).order_by(oauth_client.c.created_at, oauth_client.c.client_id)
    return [dict(row) for row in connection.execute(statement).mappings()]


def find(connection: Connection, client_id: str) -> ClientRow | None:
    """Return a client's row, disabled or not."""
    return _first(connection, select(oauth_client).where(oauth_client.c.client_id == client_id))


def find_to_change(connection: Connection, client_id: str) -> ClientRow | None:
    """Return a client's row, which stays as it is until the writing transaction changes it."""
    statement = select(oauth_client).where(oauth_client.c.client_id == client_id)
    return _first(connection, statement.with_for_update())


def change(transaction: Transaction, row: ClientRow, changes: Mapping[str, Any]) -> ClientRow:
    """Change some of a client's metadata and return the new row; the rest stays as it is.

    So do scopes of ours if only those of resources are named, and the other way round. Keys take
    the place of others, and of a secret. Raises ValueError that names every fault of the metadata
    as it would become.
    """
    changes = {**changes, **_whole_scopes(row["scopes"], changes)}
    changed = tuple(sorted(changes))
    has_new_keys = not changes.keys().isdisjoint(_NO_KEYS)
    if has_new_keys:
        changes = _NO_KEYS | changes
    names = [field.name for field in fields(ClientMetadata)]
    # Stored blank, they are those that nobody has named.
    known = {**row, **(row["metadata"] or {}), "scopes": row["scopes"] or None}
    current = {name: known[name] for name in names if known.get(name) is not None}
    metadata = ClientMetadata(**{**current, **changes})
    problems = metadata.problems()
    if problems:
        raise ValueError("; ".join(problems))
    columns = metadata.columns()
    own = columns["metadata"] or {}
    columns = {name: value for name, value in columns.items() if name in changes}
    if changes.keys() & own.keys():
        columns["metadata"] = {**(row["metadata"] or {}), **own}
    if has_new_keys:
        columns |= _NO_SECRET | {"token_endpoint_auth_method": metadata.auth_method}
    transaction.note(ClientChanged(client_id=row["client_id"], changed=changed))
    return _update(transaction.connection, row, columns)


def _whole_scopes(stored: Sequence[str] | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return all scopes that a client has after a change, if they are others than before."""
    stored = SCOPES if stored is None else stored
    named = changes.get("scopes")
    ours, others = ours_and_others(stored)
    if not changes.get("resources", True):
        others = ()
    if named:
        own, of_resources = ours_and_others(named)
        ours, others = own or ours, of_resources or others
    whole = (*ours, *others)
    # An empty list stays what it is, and is refused.
    return {"scopes": whole} if named or (named is None and whole != tuple(stored)) else {}


def set_disabled(transaction: Transaction, row: ClientRow, *, disabled: bool) -> ClientRow:
    """Disable a client, or enable it again; while it is disabled, none of its tokens is valid."""
    event = ClientDisabled if disabled else ClientEnabled
    transaction.note(event(client_id=row["client_id"]))
    return _update(transaction.connection, row, {"disabled": disabled})


def rotate_secret(
    transaction: Transaction, row: ClientRow, overlap: timedelta
) -> tuple[ClientRow, str]:
    """Give a client a new secret and return it; the old one holds on for the overlap.

    Raises ValueError for a client that has none: a public one, and one with keys.
    """
    if row["public"]:
        raise ValueError("a public client has no secret")
    if any(row[name] is not None for name in _NO_KEYS):
        raise ValueError(
            "the client has no secret: it proves itself with its keys, and clients update --jwks or"
            " --jwks-uri gives it others"
        )
    secret = random_token()
    now = clock.now()
    columns = {
        "client_secret": digest(secret),
        "previous_client_secret": row["client_secret"] if overlap else None,
        "previous_client_secret_expires_at": now + overlap if overlap else None,
    }
    transaction.note(ClientSecretRotated(client_id=row["client_id"]))
    return _update(transaction.connection, row, columns), secret


def remove(transaction: Transaction, row: ClientRow) -> None:
    """Delete a client with its consents and tokens."""
    # Said first, since the tokens of a deleted grant would otherwise be deleted row by row.
    of_client = oauth_refresh_token.c.client_id == row["client_id"]
    grants.delete_access(transaction.connection, of_client)
    transaction.connection.execute(
        delete(oauth_client).where(oauth_client.c.client_id == row["client_id"])
    )
    transaction.note(ClientDeleted(client_id=row["client_id"]))


def _first(connection: Connection, statement: Select[Any]) -> ClientRow | None:
    row = connection.execute(statement).mappings().first()
    return None if row is None else dict(row)


def _update(connection: Connection, row: ClientRow, columns: Mapping[str, Any]) -> ClientRow:
    changed = {**columns, "updated_at": clock.now()}
    statement = update(oauth_client).where(oauth_client.c.client_id == row["client_id"])
    connection.execute(statement.values(changed))
    return {**row, **changed}
