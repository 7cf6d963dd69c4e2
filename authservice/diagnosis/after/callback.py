"""The way to the identity provider and back: whom it is told we are, and where it will answer."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from authservice.diagnosis.before.secrets import is_placeholder
from authservice.diagnosis.finding import Finding, error, ok, skipped
from authservice.diagnosis.site import Site, content, described

IN_ORDER = "The identity provider must know this callback address; compare it with its page."

PROVIDER_UNKNOWN = error(
    "callback.provider_unknown",
    "The service has no identity provider of the id that the callback address ends with.",
    "Name the address as provider.id makes it: --callback URL/api/auth/callback/PROVIDER_ID",
)
NOT_BEGUN = error(
    "callback.not_begun",
    "A sign-in cannot be begun.",
    "Look into the log of the service; a status of 503 comes from a database that is away.",
)
CLIENT_ID = error(
    "callback.client_id",
    "The identity provider is told a placeholder for our client id.",
    "Set PROVIDER_CLIENT_ID to what the application's page at the provider says, and restart.",
)
DIFFERENT = error(
    "callback.different",
    "The identity provider is told another callback address than it knows, and refuses to answer.",
    "Register the address that was found at the provider, or correct AUTH_URL and provider.id.",
)


def examine(site: Site) -> Iterator[Finding]:
    """Yield what the provider would be told; this begins a sign-in, which expires by itself."""
    provider = site.callback.rpartition("/")[2]
    answer = site.post("/api/auth/sign-in/social", {"provider": provider})
    said = content(answer)
    if isinstance(said, dict) and said.get("code") == "PROVIDER_NOT_FOUND":
        yield PROVIDER_UNKNOWN.at(site.callback, found=provider)
        return
    address = said.get("url") if isinstance(said, dict) else None
    if not isinstance(address, str):
        yield NOT_BEGUN.at(f"{site.url}/api/auth/sign-in/social", found=described(answer))
        return
    begin = urlsplit(address)
    if begin.path == "/sign-in":
        yield skipped("callback", "Local mode asks no identity provider.")
        return
    # Asked here also where the service believes to be elsewhere.
    leaving = site.leads_to(begin._replace(scheme="", netloc="").geturl())
    if leaving is None:
        yield NOT_BEGUN.at(f"{site.url}{begin.path}", found="no redirect")
        return
    asked = parse_qs(urlsplit(leaving).query)
    client_id, callback = asked.get("client_id", [""])[0], asked.get("redirect_uri", [""])[0]
    host = urlsplit(leaving).netloc
    if is_placeholder(client_id):
        yield CLIENT_ID.at(host, found=client_id)
    if callback != site.callback:
        yield DIFFERENT.at(host, found=callback, expected=site.callback)
    else:
        yield ok("callback", IN_ORDER, about=host, found=callback)
