"""Table posted_request: authorization requests that came by POST and are too long for an address.

The id is a digest of the reference by which the browser asks for one. ``browser`` is null until a
browser has come with the reference, and from then on a digest of that browser's name. ``network``
and ``site`` are what the rate limits count its sender by; a sender has one or both.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

posted_request = Table(
    "posted_request",
    metadata,
    Column("id", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("browser", Text),
    Column("expires_at", EpochMillis, nullable=False, index=True),
    Column("network", Text, index=True),
    Column("site", Text, index=True),
)
