"""Which clients took part in a session and want to be told when it ends."""

from sqlalchemy import Connection

from authservice.crypto.secret_values import random_id
from authservice.db import insert_or_ignore
from authservice.models import session_participant


def add(connection: Connection, session_id: str, client_id: str) -> None:
    """Remember that a client signed somebody in with a session; once is enough."""
    row = {"id": random_id(), "session_id": session_id, "client_id": client_id}
    insert_or_ignore(connection, session_participant, row)
