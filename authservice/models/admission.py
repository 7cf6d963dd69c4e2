"""Who is let in: what is remembered of the rules and of the provider's word."""

from sqlalchemy import Column, Table, Text

from authservice.models.column_types import EpochMillis, JSONText, metadata

# One row: the rules that people were admitted under, and an outage.
# ``rules`` is a fingerprint. ``outage_at`` is when the provider was last found not to answer.
# ``poll_at`` is when its lists of members are to be read next, at once if it is null. A process
# that reads them has until ``poll_until`` to itself, and moves that on.
admission_state = Table(
    "admission_state",
    metadata,
    Column("id", Text, primary_key=True),
    Column("rules", Text, nullable=False),
    Column("outage_at", EpochMillis),
    Column("poll_at", EpochMillis),
    Column("poll_until", EpochMillis),
)

# The number that a name in a rule had at the provider when first resolved. The id is the rule as
# text, such as ``org:acme``. ``other_number`` is the one that the name was found to have later:
# it admits nobody until an operator has renewed it.
pinned_name = Table(
    "pinned_name",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Text, nullable=False),
    Column("other_number", Text),
    Column("created_at", EpochMillis, nullable=False),
    Column("updated_at", EpochMillis, nullable=False),
)

# Accounts that the provider says are no longer admitted, and since when. A sign-in that heard
# from the provider before that moment makes no session. The id is the account's number at the
# provider.
removed_account = Table(
    "removed_account",
    metadata,
    Column("id", Text, primary_key=True),
    Column("removed_at", EpochMillis, nullable=False, index=True),
)

# Events that the provider sent, so that each counts once. The id is a fingerprint of the account
# that it is about, and one of its body. ``hint`` is what is to be done upon it, and ``due_at``
# when a process may begin with that; both are null once it has been done. A further row says how
# many questions that took.
provider_event = Table(
    "provider_event",
    metadata,
    Column("id", Text, primary_key=True),
    Column("received_at", EpochMillis, nullable=False, index=True),
    Column("due_at", EpochMillis, index=True),
    Column("hint", JSONText),
)

# The provider of all accounts, in one row that the first start writes.
pinned_provider = Table(
    "pinned_provider",
    metadata,
    Column("id", Text, primary_key=True),
    Column("provider_id", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("created_at", EpochMillis, nullable=False),
)
