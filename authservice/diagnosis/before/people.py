"""Who may sign in, and what registered clients may have, as far as the operator may err there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Column, Connection, Row, select
from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.diagnosis.before.configuration import lacks_credentials
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.before.names import ProviderNames, Today
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.identity_provider import SignInFailedError
from authservice.models import oauth_client
from authservice.services.admission import pins
from authservice.services.admission.client_rules import WhatIsRead
from authservice.services.admission.decision import Pin
from authservice.services.clients.clients import RESOURCE_SERVER, in_vain, may_introspect
from authservice.services.people import groups
from authservice.settings import AuthSettings
from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule, RuleKind
from authservice.settings.resource_file import Resource

ADMISSION_NAME_REASSIGNED = error(
    "admission.name_reassigned",
    "A name in a rule means another account, organization or team than at first. A stranger may"
    " have taken it, so the rule admits nobody once the service has noticed.",
    "Find out whose it is. If you mean that one: authservice admission pin RULE; otherwise correct"
    " the rule.",
)
ADMISSION_NAME_GONE = error(
    "admission.name_gone",
    "Nobody has a name in a rule, in a client's list or in claims.groups_from at the identity"
    " provider, so it counts for nobody.",
    "Correct the rule: the account, organization or team may have another name today.",
)
ADMISSION_NAME_RENAMED = warning(
    "admission.name_renamed",
    "What a rule names has another name at the identity provider. The rule goes by its number, and"
    " admits nobody once a stranger has the old name.",
    "Write the new name into the rule.",
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
    in_order="The rules say who may sign in. Every name has its number, and the provider shows no"
    " other one.",
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
    yield from _of_names(deployment)


def _of_domains(settings: AuthSettings, domains: str) -> Iterator[Finding]:
    if not domains:
        return
    if settings.provider.trust_emails:
        yield ADMISSION_EMAIL_DOMAINS.at("admission.email_domains", found=domains)
    else:
        yield ADMISSION_TRUST_EMAILS.at(
            "provider.trust_emails", found="false", expected=f"true, for {domains}"
        )


def _of_names(deployment: Deployment) -> Iterator[Finding]:
    settings = deployment.settings
    try:
        with reading(deployment) as connection:
            if connection is None or not schema.is_migrated(connection):
                yield admission.skipped("The numbers of names are not stored yet.")
                return
            names = _names(connection, settings)
            pinned = pins.all_pins(connection)
    except (DBAPIError, ModuleNotFoundError):
        yield admission.skipped("The stored numbers of names cannot be read.")
        return
    provider = None
    if lacks_credentials(settings):
        yield admission.skipped("Without our credentials the provider is not asked for names.")
    else:
        provider = ProviderNames(settings, pinned)
    yield from _of_each(names, pinned, provider)


def _names(connection: Connection, settings: AuthSettings) -> dict[Rule, list[str]]:
    """Return each name of rules and of clients' lists, with what findings about it are about."""
    names = {rule: [str(rule)] for rule in pins.named_rules(settings) if rule.names}
    for client_id, allow in _clients_with(connection, oauth_client.c.allow):
        for rule in map(rules.parse, allow):
            if rule.names:
                names.setdefault(rule, []).append(f"client {client_id}")
    return names


def _of_each(
    names: Mapping[Rule, Iterable[str]], pinned: Mapping[str, Pin], provider: ProviderNames | None
) -> Iterator[Finding]:
    for rule, places in names.items():
        today = None
        try:
            today = None if provider is None else provider.today(rule)
        except SignInFailedError as failure:
            # To wait again for each of the others would take long.
            provider = None
            yield admission.skipped(f"The provider does not say whose each name is: {failure}")
        trouble = _trouble(pinned.get(str(rule)), today)
        if trouble is None:
            continue
        for place in places:
            of_client = () if place == str(rule) else (str(rule),)
            found = ", ".join(filter(None, (*of_client, trouble.found)))
            yield replace(trouble, about=place, found=found)


def _trouble(pin: Pin | None, today: Today | None) -> Finding | None:
    """Return what is wrong with a name, from what is stored of it and what the provider shows."""
    if pin is None:
        is_nobodys = today is not None and today.number is None
        return (ADMISSION_NAME_GONE if is_nobodys else ADMISSION_NAME_UNRESOLVED).at()
    other = pin.other_number or (today and today.number)
    if other is not None and other != pin.number:
        return ADMISSION_NAME_REASSIGNED.at(
            found=f"number {other}", expected=f"number {pin.number}"
        )
    if today is None or today.number is not None:
        return None
    if today.new_name is None:
        return ADMISSION_NAME_GONE.at(expected=f"number {pin.number}")
    return ADMISSION_NAME_RENAMED.at(found=today.new_name)


_DISTRUSTED = (
    "Applications are told that no email address is verified. If the provider makes sure that an"
    " address is a person's own, set provider.trust_emails = true."
)


@subject("emails", order=19, in_order="Applications are told which email addresses are verified.")
def emails(deployment: Deployment) -> Iterator[Finding]:
    """Yield what applications are told instead, which is meant so on some servers."""
    if not deployment.settings.provider.trust_emails:
        yield emails.ok(_DISTRUSTED, about="provider.trust_emails", found="false")


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


_INTROSPECTED = "The resource server may introspect tokens for these resources."
_ALLOWED_RESOURCES = (
    "The client may have tokens for these resources. To leave it fewer, name those that it is to"
    " keep: authservice clients update CLIENT --resource URI"
)

RESOURCES_UNKNOWN = warning(
    "resources.unknown",
    "A client is registered for what the settings do not have, and is refused it.",
    "Describe it in the file of auth.resources, or take it from the client: authservice clients"
    " update CLIENT --resource URI --scope NAME, each once for all that it is to keep.",
)
RESOURCES_NOT_INTROSPECTED = warning(
    "resources.not_introspected",
    "A resource server may introspect tokens for no resource, so every token is inactive to it.",
    "Give it the resource that it serves, as auth.resources has it: authservice clients update"
    " CLIENT --resource URI",
)

_FOR_RESOURCES = select(
    oauth_client.c.client_id,
    oauth_client.c.resources,
    oauth_client.c.scopes,
    oauth_client.c.grant_types,
).order_by(oauth_client.c.client_id)


@subject("resources", order=14, in_order="No client may have or introspect tokens for a resource.")
def resources(deployment: Deployment) -> Iterator[Finding]:
    """Yield the resources of each client that may have tokens for any, or introspect them."""
    try:
        with reading(deployment) as connection:
            rows = [] if connection is None else connection.execute(_FOR_RESOURCES).all()
    except (DBAPIError, ModuleNotFoundError):
        yield resources.skipped("The registered clients cannot be read.")
        return
    named = deployment.settings.resources
    for client_id, own, scopes, grant_types in rows:
        about = f"client {client_id}"
        if grant_types == RESOURCE_SERVER:
            yield _of_resource_server(about, client_id, own or (), named)
        elif own:
            yield resources.ok(_ALLOWED_RESOURCES, about=about, found=" ".join(own))
        uris, others = in_vain(own or (), scopes or (), named)
        if unknown := [*uris, *others]:
            yield RESOURCES_UNKNOWN.at(
                about, found=" ".join(unknown), expected=" ".join(named) or "none"
            )


def _of_resource_server(
    about: str, client_id: str, own: Sequence[str], named: Mapping[str, Resource]
) -> Finding:
    asked = [uri for uri in named if may_introspect(named[uri], client_id, own)]
    if asked:
        return resources.ok(_INTROSPECTED, about=about, found=" ".join(asked))
    return RESOURCES_NOT_INTROSPECTED.at(about, expected=" ".join(named) or "none")


def _clients_with(connection: Connection, column: Column[Any]) -> Sequence[Row[str, Any]]:
    """Return the ids of the clients that have something in a column, with what they have."""
    there = select(oauth_client.c.client_id, column).where(column.is_not(None))
    return connection.execute(there.order_by(oauth_client.c.client_id)).all()
