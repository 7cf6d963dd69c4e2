"""Table pinned_name: the number that a name in a rule had at the provider when first resolved.

The id is the rule as text, such as ``org:acme``. ``other_number`` is the one that the name was
found to have later: it admits nobody until an operator has renewed it.
"""

from sqlalchemy import Column, Table, Text

from authservice.models.base import metadata
from authservice.models.column_types import EpochMillis

pinned_name = Table(
    "pinned_name",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Text, nullable=False),
    Column("other_number", Text),
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
)
