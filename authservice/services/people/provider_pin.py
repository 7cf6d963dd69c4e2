"""Which identity provider the accounts are of: pinned by the first start, and changed on purpose.

A number identifies an account at one provider only. At another provider it is another person's, who
would be signed in as our user.
"""

from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import Connection, select, update

from authservice import clock
from authservice.database.database import insert_or_ignore
from authservice.database.prepared import Prepared
from authservice.models import pinned_provider
from authservice.settings.hosts import origin_of

# The table has one row, so one insertion decides between those who start at the same moment.
_ONLY = "provider"


@dataclass(frozen=True, slots=True)
class ProviderPin:
    """A provider, by its id in the settings and the origin that says who has signed in."""

    provider_id: str
    origin: str

    @classmethod
    def of(cls, provider_id: str, api_url: str) -> Self:
        """Return that of a provider's id and the address of its API."""
        return cls(provider_id, origin_of(api_url) or api_url)

    def __str__(self) -> str:
        """Return both as messages show them."""
        return f"{self.provider_id} at {self.origin}"


_SELECT = select(pinned_provider.c.provider_id, pinned_provider.c.origin)
# A sign-in holds this lock until the account is stored: a rebind comes before it or after it.
_SHARED = Prepared(_SELECT.with_for_update(read=True))


def pinned(connection: Connection) -> ProviderPin | None:
    """Return the pinned provider."""
    row = connection.execute(_SELECT).first()
    return None if row is None else ProviderPin(*row)


def pin(connection: Connection, wanted: ProviderPin) -> ProviderPin:
    """Pin a provider unless one is pinned; return the one that is until the transaction ends."""
    row = _SHARED.first(connection, {})
    if row is None:
        insert_or_ignore(connection, pinned_provider, _row(wanted))
        row = _SHARED.first(connection, {})
    return wanted if row is None else ProviderPin(*row)


def replace(connection: Connection, former: ProviderPin, wanted: ProviderPin) -> bool:
    """Pin another provider; False, with nothing changed, where it is not the former that is."""
    still = (
        pinned_provider.c.provider_id == former.provider_id,
        pinned_provider.c.origin == former.origin,
    )
    change = update(pinned_provider).where(*still).values(_row(wanted))
    return bool(connection.execute(change).rowcount)


def _row(wanted: ProviderPin) -> dict[str, Any]:
    return {
        "id": _ONLY,
        "provider_id": wanted.provider_id,
        "origin": wanted.origin,
        "created_at": clock.now(),
    }
