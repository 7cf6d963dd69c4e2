"""Who may sign in, and what registered clients may have, as far as the operator may err there."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, select
from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.models import oauth_client
from authservice.services.admission import pins
from authservice.services.admission.dead_entries import WhatIsRead
from authservice.services.admission.decision import Pin
from authservice.services.people import groups
from authservice.settings import AuthSettings
from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule, RuleKind

ADMISSION_NAME_REASSIGNED = error(
    "admission.name_reassigned",
    "A name in a rule means another account, organization or team than at first. A stranger may"
    " have taken it, so the rule admits nobody any more.",
    "Find out whose it is. If you mean that one: authservice admission pin RULE; otherwise correct"
    " the rule.",
)
ADMISSION_NAME_UNRESOLVED = warning(
    "admission.name_unresolved",
    "A name in a rule, in a client's list or in claims.groups_from has no number yet, and counts"
    " for nobody. The service asks the provider when it starts; for teams, only a GitHub App can.",
    "Start the service, or see what the provider says: authservice admission pin RULE.",
)
ADMISSION_EVERYONE = warning(
    "admission.everyone",
    "Everyone who has an account at the identity provider may sign in.",
    "If that is not what you want, remove admission.everyone and set admission.organizations,"
    " admission.users or admission.email_domains.",
)
ADMISSION_EMAIL_DOMAINS = warning(
    "admission.email_domains",
    "Whom the domain of an address let in stays in: nothing tells the service that a person has"
    " left the company.",
    "Prefer admission.organizations, which people leave at the provider too.",
)
ADMISSION_TRUST_EMAILS = error(
    "admission.trust_emails",
    "No rule about a domain lets anyone in: addresses of this provider do not count.",
    "Set provider.trust_emails = true if the provider makes sure that an address is a person's own;"
    " otherwise use other rules.",
)


@subject(
    "admission",
    order=12,
    in_order="The rules say who may sign in, and every name in them has its number.",
)
def admission(deployment: Deployment) -> Iterator[Finding]:
    """Yield what the rules of admission mean beyond their words."""
    settings = deployment.settings
    if settings.local_mode:
        yield admission.skipped("Local mode has accounts of its own.")
        return
    if settings.admission.everyone:
        yield ADMISSION_EVERYONE.at("admission.everyone")
    domains = [rule.value for rule in settings.admission.rules if rule.kind is RuleKind.DOMAIN]
    yield from _of_domains(settings, ", ".join(domains))
    names = [rule for rule in pins.named_rules(settings) if rule.names]
    if names:
        yield from _of_names(deployment, names)


def _of_domains(settings: AuthSettings, domains: str) -> Iterator[Finding]:
    if not domains:
        return
    if settings.provider.trust_emails:
        yield ADMISSION_EMAIL_DOMAINS.at("admission.email_domains", found=domains)
    else:
        yield ADMISSION_TRUST_EMAILS.at(
            "provider.trust_emails", found="false", expected=f"true, for {domains}"
        )


def _of_names(deployment: Deployment, names: list[Rule]) -> Iterator[Finding]:
    try:
        with reading(deployment) as connection:
            if connection is None or not schema.is_migrated(connection):
                yield admission.skipped("The numbers of names are not stored yet.")
                return
            pinned = pins.of_rules(connection, names)
    except (DBAPIError, ModuleNotFoundError):
        yield admission.skipped("The stored numbers of names cannot be read.")
        return
    yield from _reassigned(pinned)
    for rule in names:
        if str(rule) not in pinned:
            yield ADMISSION_NAME_UNRESOLVED.at(str(rule))


def _reassigned(pinned: dict[str, Pin]) -> Iterator[Finding]:
    for rule, pin in sorted(pinned.items()):
        if pin.other_number is not None:
            yield ADMISSION_NAME_REASSIGNED.at(
                rule, found=f"number {pin.other_number}", expected=f"number {pin.number}"
            )


_ALLOWED = "The client is for these people only: authservice clients update CLIENT --allow ENTRY"

CLIENT_LISTS_UNREAD = warning(
    "client_lists.unread",
    "A client is for the members of an organization that the provider is not asked about, so the"
    " entry lets nobody in.",
    "Name the organization in claims.groups_from, or in admission.organizations if its members may"
    " sign in. People count from their next sign-in on.",
)
CLIENT_LISTS_TRUST_EMAILS = warning(
    "client_lists.trust_emails",
    "A client is for people by the domain of their addresses, and addresses of this provider do not"
    " count. The entry lets nobody in.",
    "Set provider.trust_emails = true if the provider makes sure that an address is a person's own;"
    " otherwise use other entries.",
)


@subject("client_lists", order=15, in_order="No client is for some people only.")
def client_lists(deployment: Deployment) -> Iterator[Finding]:
    """Yield the list of each client that has one."""
    try:
        with reading(deployment) as connection:
            if connection is None or not schema.is_migrated(connection):
                return
            findings = list(_of_clients(deployment, connection))
    except (DBAPIError, ModuleNotFoundError):
        yield client_lists.skipped("The registered clients cannot be read.")
        return
    yield from findings


def _of_clients(deployment: Deployment, connection: Connection) -> Iterator[Finding]:
    settings = deployment.settings
    read = WhatIsRead(
        None if groups.all_count(settings) else settings.organizations,
        settings.provider.trust_emails,
    )
    for client_id, allow in _clients_with(connection, oauth_client.c.allow):
        about = f"client {client_id}"
        yield client_lists.ok(_ALLOWED, about=about, found=" ".join(allow))
        if unread := read.unread(allow):
            yield CLIENT_LISTS_UNREAD.at(
                about,
                found=" ".join(map(str, unread)),
                expected=" ".join(settings.organizations) or "none",
            )
        if distrusted := read.distrusted(allow):
            yield CLIENT_LISTS_TRUST_EMAILS.at(about, found=" ".join(map(str, distrusted)))
        if not settings.local_mode:
            yield from _of_listed_names(connection, about, allow)


def _of_listed_names(
    connection: Connection, about: str, allow: tuple[str, ...]
) -> Iterator[Finding]:
    names = [rule for rule in map(rules.parse, allow) if rule.names]
    pinned = pins.of_rules(connection, names)
    for rule, pin in sorted(pinned.items()):
        if pin.other_number is not None:
            renamed = f"{rule} with number {pin.other_number}"
            yield ADMISSION_NAME_REASSIGNED.at(
                about, found=renamed, expected=f"number {pin.number}"
            )
    unresolved = [str(rule) for rule in names if str(rule) not in pinned]
    if unresolved:
        yield ADMISSION_NAME_UNRESOLVED.at(about, found=" ".join(unresolved))


_ALLOWED_RESOURCES = (
    "The client may have tokens for these resources. To leave it fewer, name those that it is to"
    " keep: authservice clients update CLIENT --resource URI"
)

RESOURCES_UNKNOWN = warning(
    "resources.unknown",
    "A client is registered for a resource that the settings do not name, and is refused it.",
    "Name it in auth.resources, or take it from the client: authservice clients update CLIENT"
    " --resource URI, once for each that it is to keep.",
)


@subject("resources", order=14, in_order="No client may have tokens for a resource.")
def resources(deployment: Deployment) -> Iterator[Finding]:
    """Yield the resources of each client that may have any."""
    try:
        with reading(deployment) as connection:
            rows = [] if connection is None else _clients_with(connection, oauth_client.c.resources)
    except (DBAPIError, ModuleNotFoundError):
        yield resources.skipped("The registered clients cannot be read.")
        return
    named = deployment.settings.resources
    for client_id, allowed in rows:
        about = f"client {client_id}"
        yield resources.ok(_ALLOWED_RESOURCES, about=about, found=" ".join(allowed))
        unknown = [resource for resource in allowed if resource not in named]
        if unknown:
            yield RESOURCES_UNKNOWN.at(
                about, found=" ".join(unknown), expected=" ".join(named) or "none"
            )


def _clients_with(connection: Connection, column: Column[Any]) -> Sequence[Row[str, Any]]:
    """Return the ids of the clients that have something in a column, with what they have."""
    there = select(oauth_client.c.client_id, column).where(column.is_not(None))
    return connection.execute(there.order_by(oauth_client.c.client_id)).all()
