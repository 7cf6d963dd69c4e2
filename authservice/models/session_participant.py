"""Table session_participant: the clients to notify when a session ends, one row for each."""

from sqlalchemy import Column, ForeignKey, Table, Text, UniqueConstraint

from authservice.models.base import metadata

session_participant = Table(
    "session_participant",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("session.id", ondelete="CASCADE"), nullable=False),
    Column(
        "client_id",
        Text,
        ForeignKey("oauth_client.client_id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    UniqueConstraint("session_id", "client_id"),
)
