"""Values of the shipped files that are still to be replaced."""

from collections.abc import Iterator

from authservice.diagnosis.before.secrets import is_placeholder
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error
from authservice.settings.hosts import host_of, origin_of, within_domain

IN_ORDER = "No value is a placeholder."

CLIENT_ID = error(
    "placeholders.client_id",
    "The client id is still the placeholder of the shipped file.",
    "Copy the client id from the application's page at the identity provider.",
)
RULE = error(
    "placeholders.rule",
    "A rule of admission is still an example from the documentation.",
    "Name your own organization, accounts or domain there.",
)
EXAMPLE_HOST = error(
    "placeholders.example_host",
    "The host is an example from the documentation. Browsers cannot reach this service there.",
    "Put your own domain there.",
)

# RFC 2606 section 3, RFC 6761 sections 6.4 and 6.5.
_EXAMPLES = ("example.com", "example.net", "example.org", "example", "invalid")


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield each placeholder that is left."""
    settings = deployment.settings
    if settings.local_mode:
        return
    if is_placeholder(settings.provider.client_id):
        yield CLIENT_ID.at("provider.client_id", found=settings.provider.client_id)
    for rule in settings.admission.rules:
        named = rule.value.split("/")
        if any(is_placeholder(name) for name in named) or is_example(rule.value):
            yield RULE.at("admission", found=str(rule))
    addresses = {
        "auth.url": settings.auth_url,
        "provider.authorize_url": settings.provider.authorize_url,
        "provider.token_url": settings.provider.token_url,
        "provider.api_url": settings.provider.api_url,
    }
    for name, address in addresses.items():
        if is_example(address):
            yield EXAMPLE_HOST.at(name, found=address)


def is_example(address: str) -> bool:
    """Tell whether an address is at a host that only documentation uses."""
    host = host_of(origin_of(address) or address)
    return any(within_domain(host, example) for example in _EXAMPLES)
