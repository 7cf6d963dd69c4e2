"""The resources: which clients may have tokens for them, and whether the settings name them."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from authservice.diagnosis.before.database import reading
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, ok, skipped, warning
from authservice.models import oauth_client

IN_ORDER = "No client may have tokens for a resource."

ALLOWED = (
    "The client may have tokens for these resources. To leave it fewer, name those that it is to"
    " keep: authservice clients update CLIENT --resource URI"
)

UNKNOWN = warning(
    "resources.unknown",
    "A client is registered for a resource that the settings do not name, and is refused it.",
    "Name it in auth.resources, or take it from the client: authservice clients update CLIENT"
    " --resource URI, once for each that it is to keep.",
)

_CLIENTS = (
    select(oauth_client.c.client_id, oauth_client.c.resources)
    .where(oauth_client.c.resources.is_not(None))
    .order_by(oauth_client.c.client_id)
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield the resources of each client that may have any."""
    try:
        with reading(deployment) as connection:
            rows = [] if connection is None else connection.execute(_CLIENTS).all()
    except (DBAPIError, ModuleNotFoundError):
        yield skipped("resources", "The registered clients cannot be read.")
        return
    named = deployment.settings.resources
    for client_id, resources in rows:
        about = f"client {client_id}"
        yield ok("resources", ALLOWED, about=about, found=" ".join(resources))
        unknown = [resource for resource in resources if resource not in named]
        if unknown:
            yield UNKNOWN.at(about, found=" ".join(unknown), expected=" ".join(named) or "none")
