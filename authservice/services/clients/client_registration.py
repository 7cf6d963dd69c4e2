"""Registering a client: in the name of a temporary user who is gone when it is done.

Creating a client demands a signed-in user. The command has none, so it makes a user, an account
and a session, creates the client with them, detaches it and removes all three, in the caller's
one transaction: either all of it has happened or nothing.
"""

from datetime import timedelta

from sqlalchemy import delete, insert, update

from authservice import clock
from authservice.crypto.secret_values import digest, random_id, random_token
from authservice.database.transaction import Transaction
from authservice.events import ClientRegistered
from authservice.models import oauth_client, user
from authservice.services.clients.client_metadata import WITH_SECRET, ClientMetadata
from authservice.services.people import users
from authservice.services.people.users import Profile
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession

_LIFETIME = timedelta(minutes=1)


def register(transaction: Transaction, metadata: ClientMetadata) -> tuple[str, str | None]:
    """Return the new client's id and secret; raises ValueError that names every fault."""
    connection = transaction.connection
    temporary_id = random_id()
    profile = Profile(
        provider_id="registration",
        account_id=temporary_id,
        name="Client registration",
        email=None,
        email_verified=False,
        image=None,
    )
    owner, _ = users.from_profile(connection, profile)
    session, _ = sessions.create(connection, owner, _LIFETIME)
    client_id, secret = create_client(transaction, metadata, session)
    # Detached before the user goes: the foreign key would take the client along.
    connection.execute(
        update(oauth_client).where(oauth_client.c.client_id == client_id).values(user_id=None)
    )
    connection.execute(delete(user).where(user.c.id == owner.id))
    return client_id, secret


def create_client(
    transaction: Transaction, metadata: ClientMetadata, owner: CentralSession
) -> tuple[str, str | None]:
    """Create a client in the name of a signed-in user and return its id and its secret.

    A public client and one with keys have none. Raises ValueError that names every fault of the
    metadata.
    """
    problems = metadata.problems()
    if problems:
        raise ValueError("; ".join(problems))
    now = clock.now()
    client_id = random_id()
    secret = random_token() if metadata.auth_method == WITH_SECRET else None
    row = metadata.columns() | {
        "id": random_id(),
        "client_id": client_id,
        "client_secret": digest(secret) if secret else None,
        "disabled": False,
        "subject_type": "public",
        "user_id": owner.user.id,
        "created_at": now,
        "updated_at": now,
        "require_pkce": True,
    }
    transaction.connection.execute(insert(oauth_client), row)
    transaction.note(ClientRegistered(client_id=client_id))
    return client_id, secret
