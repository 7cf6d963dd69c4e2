"""Table logout_notice: clients that still have to be notified of the end of a session.

``due_at`` says when the next attempt may be made; taking a notice moves it on, so that of several
processes one makes the attempt, and one that dies meanwhile only delays it.
"""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

logout_notice = Table(
    "logout_notice",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    # No foreign keys: user and session are gone, or about to go, when the notice is sent.
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("due_at", EpochMillis, nullable=False, index=True),
    Column("attempts", Integer, nullable=False),
)
