"""Whom clients are for: whether their lists let in the people who are meant."""

from collections.abc import Iterator

from sqlalchemy import Connection, select
from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.before.people import admission
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, ok, skipped, warning
from authservice.models import oauth_client
from authservice.services.admission import pins
from authservice.services.admission.dead_entries import WhatIsRead
from authservice.services.people import groups
from authservice.settings.admission import rules

IN_ORDER = "No client is for some people only."

ALLOWED = "The client is for these people only: authservice clients update CLIENT --allow ENTRY"

UNREAD = warning(
    "client_lists.unread",
    "A client is for the members of an organization that the provider is not asked about, so the"
    " entry lets nobody in.",
    "Name the organization in claims.groups_from, or in admission.organizations if its members may"
    " sign in. People count from their next sign-in on.",
)
ADDRESSES_NOT_TRUSTED = warning(
    "client_lists.trust_emails",
    "A client is for people by the domain of their addresses, and addresses of this provider do not"
    " count. The entry lets nobody in.",
    "Set provider.trust_emails = true if the provider makes sure that an address is a person's own;"
    " otherwise use other entries.",
)
UNPINNED = (
    "These names have no number yet, and nobody has tokens by them: the first person with the name"
    " who comes to the client pins it, or authservice admission pin ENTRY."
)

_CLIENTS = (
    select(oauth_client.c.client_id, oauth_client.c.allow)
    .where(oauth_client.c.allow.is_not(None))
    .order_by(oauth_client.c.client_id)
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield the list of each client that has one."""
    try:
        with reading(deployment) as connection:
            if connection is None or not schema.is_migrated(connection):
                return
            found = list(_of_clients(deployment, connection))
    except (DBAPIError, ModuleNotFoundError):
        yield skipped("client_lists", "The registered clients cannot be read.")
        return
    yield from found


def _of_clients(deployment: Deployment, connection: Connection) -> Iterator[Finding]:
    settings = deployment.settings
    read = WhatIsRead(
        None if groups.all_count(settings) else settings.organizations,
        settings.provider.trust_emails,
    )
    for client_id, allow in connection.execute(_CLIENTS).all():
        about = f"client {client_id}"
        yield ok("client_lists", ALLOWED, about=about, found=" ".join(allow))
        if unread := read.unread(allow):
            yield UNREAD.at(
                about,
                found=" ".join(map(str, unread)),
                expected=" ".join(settings.organizations) or "none",
            )
        if distrusted := read.distrusted(allow):
            yield ADDRESSES_NOT_TRUSTED.at(about, found=" ".join(map(str, distrusted)))
        yield from _of_names(connection, about, allow)


def _of_names(connection: Connection, about: str, allow: tuple[str, ...]) -> Iterator[Finding]:
    names = [rule for rule in map(rules.parse, allow) if rule.names]
    pinned = pins.of_rules(connection, names)
    for rule, pin in sorted(pinned.items()):
        if pin.other_number is not None:
            found = f"{rule} with number {pin.other_number}"
            yield admission.NAME_REASSIGNED.at(about, found=found, expected=f"number {pin.number}")
    unpinned = [str(rule) for rule in names if str(rule) not in pinned]
    if unpinned:
        yield ok("client_lists", UNPINNED, about=about, found=" ".join(unpinned))
