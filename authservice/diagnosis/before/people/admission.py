"""Who may sign in: whether the rules mean what the operator thinks, and whom they mean."""

from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError

from authservice.database import schema
from authservice.diagnosis.before.database import reading
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, ok, skipped, warning
from authservice.services.admission import pins
from authservice.services.admission.decision import Pin
from authservice.settings import AdmissionSettings
from authservice.settings.admission.rules import Rule, RuleKind

IN_ORDER = "The rules say who may sign in, and every name in them has its number."

NAME_REASSIGNED = error(
    "admission.name_reassigned",
    "A name in a rule means another account, organization or team than at first. A stranger may"
    " have taken it, so the rule admits nobody any more.",
    "Find out whose it is. If you mean that one: authservice admission pin RULE; otherwise correct"
    " the rule.",
)
EVERYONE = warning(
    "admission.everyone",
    "Everyone who has an account at the identity provider may sign in.",
    "If that is not what you want, remove admission.everyone and set admission.organizations,"
    " admission.users or admission.email_domains.",
)
LEAVING_IS_NOT_NOTICED = warning(
    "admission.email_domains",
    "Whom the domain of an address let in stays in: nothing tells the service that a person has"
    " left the company.",
    "Prefer admission.organizations, which people leave at the provider too.",
)
ADDRESSES_NOT_TRUSTED = error(
    "admission.trust_emails",
    "No rule about a domain lets anyone in: addresses of this provider do not count.",
    "Set provider.trust_emails = true if the provider makes sure that an address is a person's own;"
    " otherwise use other rules.",
)


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield what the rules of admission mean beyond their words."""
    admission = deployment.settings.admission
    if deployment.settings.local_mode:
        yield skipped("admission", "Local mode has accounts of its own.")
        return
    if admission.everyone:
        yield EVERYONE.at("admission.everyone")
        return
    yield from _of_domains(deployment, _values(admission, RuleKind.DOMAIN))
    names = [rule for rule in admission.rules if rule.names]
    if names:
        yield from _of_names(deployment, names)


def _of_domains(deployment: Deployment, domains: str) -> Iterator[Finding]:
    if not domains:
        return
    if deployment.settings.provider.trust_emails:
        yield LEAVING_IS_NOT_NOTICED.at("admission.email_domains", found=domains)
    else:
        yield ADDRESSES_NOT_TRUSTED.at(
            "provider.trust_emails", found="false", expected=f"true, for {domains}"
        )


def _of_names(deployment: Deployment, names: list[Rule]) -> Iterator[Finding]:
    try:
        with reading(deployment) as connection:
            if connection is None or not schema.is_migrated(connection):
                yield skipped("admission", "The numbers of names are not stored yet.")
                return
            pinned = pins.of_rules(connection, names)
    except (DBAPIError, ModuleNotFoundError):
        yield skipped("admission", "The stored numbers of names cannot be read.")
        return
    yield from _reassigned(pinned)
    unpinned = [str(rule) for rule in names if str(rule) not in pinned]
    if unpinned:
        yield ok(
            "admission",
            "These names have no number yet: the first person whom they let in pins it, or"
            " authservice admission pin.",
            found=", ".join(unpinned),
        )


def _reassigned(pinned: dict[str, Pin]) -> Iterator[Finding]:
    for rule, pin in sorted(pinned.items()):
        if pin.other_number is not None:
            yield NAME_REASSIGNED.at(
                rule, found=f"number {pin.other_number}", expected=f"number {pin.number}"
            )


def _values(admission: AdmissionSettings, kind: RuleKind) -> str:
    return ", ".join(rule.value for rule in admission.rules if rule.kind is kind)
