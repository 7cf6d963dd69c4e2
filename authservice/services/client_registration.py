"""Registering a client: in the name of a temporary user who is gone when it is done.

Creating a client demands a signed-in user. The command has none, so it makes a user, an account
and a session, creates the client with them, detaches it and removes all three, in the caller's
one transaction: either all of it has happened or nothing.
"""

from datetime import timedelta

from sqlalchemy import Connection, delete, update

from authservice.crypto.secret_values import random_id
from authservice.models import oauth_client, user
from authservice.services import clients, sessions, users
from authservice.services.clients import ClientRegistration
from authservice.services.users import Profile

_LIFETIME = timedelta(minutes=1)


def register(connection: Connection, registration: ClientRegistration) -> tuple[str, str | None]:
    """Return the new client's id and secret; raises ValueError that names every fault."""
    temporary_id = random_id()
    profile = Profile(
        provider_id="registration",
        account_id=temporary_id,
        name="Client registration",
        email=f"{temporary_id.lower()}@registration.invalid",
        email_verified=False,
        image=None,
    )
    owner, _ = users.from_profile(connection, profile)
    session, _ = sessions.create(connection, owner, _LIFETIME)
    client_id, secret = clients.create_client(connection, registration, session)
    # Detached before the user goes: the foreign key would take the client along.
    connection.execute(
        update(oauth_client).where(oauth_client.c.client_id == client_id).values(user_id=None)
    )
    connection.execute(delete(user).where(user.c.id == owner.id))
    return client_id, secret
