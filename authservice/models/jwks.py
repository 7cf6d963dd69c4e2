"""Table jwks: signing keys. The id is the key's ``kid``; the private half is encrypted.

``expires_at`` is when a key signs for the last time, known once its successor has been made.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

jwks = Table(
    "jwks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("public_key", Text, nullable=False),
    Column("private_key", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
    Column("expires_at", EpochMillis),
)
