"""Values of the shipped files that nobody has replaced."""

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
EXAMPLE_HOST = error(
    "placeholders.example_host",
    "The host is one that documentation uses; nobody reaches this service under it.",
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
