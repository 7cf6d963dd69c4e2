"""The redirect to the identity provider: its client id, and the callback address that it names."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from authservice.diagnosis.before.secrets import is_placeholder
from authservice.diagnosis.finding import Finding, error, ok, skipped
from authservice.diagnosis.site import Site, content, described

IN_ORDER = "The identity provider must know this callback address; compare it with its page."

PROVIDER_UNKNOWN = error(
    "callback.provider_unknown",
    "The callback address ends with an id that is not the service's identity provider.",
    "End the address with provider.id: --callback URL/api/auth/callback/PROVIDER_ID",
)
NOT_BEGUN = error(
    "callback.not_begun",
    "A sign-in cannot begin.",
    "Read the log of the service. Status 503 means that the database does not answer.",
)
CLIENT_ID = error(
    "callback.client_id",
    "The service sends a placeholder as its client id to the identity provider.",
    "Set PROVIDER_CLIENT_ID to the client id on the application's page there, and restart.",
)
DIFFERENT = error(
    "callback.different",
    "The service sends another callback address than the identity provider knows, and is refused.",
    "Register the address that the service sends at the provider, or correct AUTH_URL and"
    " provider.id.",
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
    query = parse_qs(urlsplit(leaving).query)
    client_id, callback = query.get("client_id", [""])[0], query.get("redirect_uri", [""])[0]
    host = urlsplit(leaving).netloc
    if is_placeholder(client_id):
        yield CLIENT_ID.at(host, found=client_id)
    if callback != site.callback:
        yield DIFFERENT.at(host, found=callback, expected=site.callback)
    else:
        yield ok("callback", IN_ORDER, about=host, found=callback)
