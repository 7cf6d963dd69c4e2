"""Which clients took part in a session and want a notice when it ends."""

from sqlalchemy import Connection

from authservice.crypto.secret_values import random_id
from authservice.database.database import insert_or_ignore
from authservice.models import session_participant


def add(connection: Connection, session_id: str, client_id: str) -> None:
    """Store that a client signed a person in with a session; once is enough."""
    row = {"id": random_id(), "session_id": session_id, "client_id": client_id}
    insert_or_ignore(connection, session_participant, row)
