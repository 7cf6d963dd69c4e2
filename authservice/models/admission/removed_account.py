"""Table removed_account: accounts that the provider says are no longer admitted, and since when.

A sign-in that heard from the provider before that moment makes no session. The id is the account's
number at the provider.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

removed_account = Table(
    "removed_account",
    metadata,
    Column("id", Text, primary_key=True),
    Column("removed_at", EpochMillis, nullable=False, index=True),
)
