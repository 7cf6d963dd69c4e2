"""What clients read: health, metadata, keys, and how the service begins a sign-in."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from authservice.crypto.signing_keys import verification_keys
from authservice.diagnosis.before.configuration import is_placeholder
from authservice.diagnosis.finding import Finding, error, subject
from authservice.diagnosis.site import TOO_FAR, Site, clock_ahead, content, described, in_words
from authservice.httpclient import RedirectError

HEALTH_NO_SERVICE = error(
    "health.no_service",
    "The proxy answers, but cannot reach the service.",
    "Start the service, and give the proxy the address in listen_host and listen_port.",
)
HEALTH_LOCAL_MODE = error(
    "health.local_mode",
    "The service runs in local mode, in which any visitor can sign in with one click.",
    "Stop it at once. Start it with production.ini, where auth.mode = production.",
)
HEALTH_REDIRECTS = error(
    "health.redirects",
    "The address redirects to another host, but issuer and cookies are for one host only.",
    "Let the proxy pass requests of this host on to the service, or verify the other address.",
)
HEALTH_ANOTHER_SITE = error(
    "health.another_site",
    "Another program answers at this address.",
    "Let the proxy pass all paths of this host on to the service: location / { proxy_pass …; }",
)

_HEALTH = "/api/health"
_FROM_THE_PROXY = {502, 503, 504}


@subject("health", order=4, in_order="The service runs.")
def health(site: Site) -> Iterator[Finding]:
    """Yield what answers instead of the service, or that it is the service."""
    try:
        answer = site.get(_HEALTH)
    except RedirectError:
        yield HEALTH_REDIRECTS.at(f"{site.url}{_HEALTH}")
        return
    said = content(answer)
    if answer.status_code in _FROM_THE_PROXY:
        yield HEALTH_NO_SERVICE.at(f"{site.url}{_HEALTH}", found=described(answer))
    elif isinstance(said, dict) and said.get("code") == "HOST_NOT_ALLOWED":
        yield HEALTH_LOCAL_MODE.at(f"{site.url}{_HEALTH}", found=described(answer))
    elif not isinstance(said, dict) or said.get("status") != "ok" or "service" not in said:
        yield HEALTH_ANOTHER_SITE.at(f"{site.url}{_HEALTH}", found=described(answer))
    else:
        yield health.ok(found=str(said["service"]))


METADATA_MISSING = error(
    "metadata.missing",
    "The metadata is missing at an address where clients look for it.",
    "Let the proxy pass this path on too; often a location for /.well-known/ intercepts it.",
)
METADATA_ISSUER = error(
    "metadata.issuer",
    "The service names another address as its issuer, so clients refuse its tokens.",
    "Set AUTH_URL to the address at which clients reach the service, and restart it.",
)
METADATA_ENDPOINT = error(
    "metadata.endpoint",
    "An endpoint in the metadata is not at this address.",
    "Let the proxy pass answers on unchanged.",
)
METADATA_DIFFERENT = error(
    "metadata.different",
    "The metadata differs from one of its addresses to another.",
    "Let the proxy pass all of them on to the same service, without a cache.",
)

METADATA_PATHS = (
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/auth",
)


@subject(
    "metadata",
    order=5,
    in_order="The metadata is at its three addresses, and true of this address.",
)
def metadata(site: Site) -> Iterator[Finding]:
    """Yield where the metadata is missing or wrong."""
    documents: list[dict[str, Any]] = []
    for path in METADATA_PATHS:
        try:
            answer = site.get(path)
        except RedirectError:
            yield METADATA_MISSING.at(f"{site.url}{path}", found="a redirect")
            continue
        document = content(answer)
        if isinstance(document, dict) and "issuer" in document:
            documents.append(document)
        else:
            yield METADATA_MISSING.at(f"{site.url}{path}", found=described(answer), expected="JSON")
    issuer = f"{site.url}/api/auth"
    wrong = [document["issuer"] for document in documents if document["issuer"] != issuer]
    if wrong:
        yield METADATA_ISSUER.at("issuer", found=str(wrong[0]), expected=issuer)
    elif documents:
        yield from _endpoints(site, documents[0])
    if any(document != documents[0] for document in documents):
        yield METADATA_DIFFERENT.at(site.url)


def _endpoints(site: Site, document: dict[str, Any]) -> Iterator[Finding]:
    for name, value in document.items():
        addresses = name == "jwks_uri" or name.endswith("_endpoint")
        if addresses and not str(value).startswith(f"{site.url}/"):
            yield METADATA_ENDPOINT.at(name, found=str(value), expected=f"{site.url}/…")


JWKS_MISSING = error(
    "jwks.missing",
    "The key set is missing at its address, so no client can verify a token.",
    "Let the proxy pass /api/auth/jwks on. Status 503 means that the database does not answer.",
)
JWKS_UNUSABLE = error(
    "jwks.unusable",
    "A published key cannot be read, or does not have its own id.",
    "Read the log of the service, and let the proxy pass answers on unchanged.",
)
JWKS_NO_RS256 = error(
    "jwks.no_rs256",
    "There is no key for RS256, which every client expects (OpenID Connect Core, section 15.1).",
    "Read in the log of the service why it could not make its keys.",
)
JWKS_PRIVATE = error(
    "jwks.private",
    "A private key is published.",
    "Stop what answers here at once: it is not this service. Anyone with the key can sign tokens.",
)

_JWKS = "/api/auth/jwks"
_PRIVATE_MEMBERS = {"d", "p", "q", "k"}


@subject("jwks", order=6, in_order="The published keys can be used.")
def jwks(site: Site) -> Iterator[Finding]:
    """Yield what is wrong with the set (RFC 7517)."""
    try:
        answer = site.get(_JWKS)
    except RedirectError:
        yield JWKS_MISSING.at(f"{site.url}{_JWKS}", found="a redirect")
        return
    document = content(answer)
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        yield JWKS_MISSING.at(f"{site.url}{_JWKS}", found=described(answer), expected="JSON")
        return
    members = [key for key in keys if isinstance(key, dict)]
    if any(_PRIVATE_MEMBERS & key.keys() for key in members):
        yield JWKS_PRIVATE.at(f"{site.url}{_JWKS}")
    elif len(members) < len(keys) or not _usable(members):
        yield JWKS_UNUSABLE.at(f"{site.url}{_JWKS}", found=f"{len(keys)} keys")
    elif all(key.get("alg") != "RS256" for key in members):
        algorithms = ", ".join(str(key.get("alg")) for key in members) or "no keys"
        yield JWKS_NO_RS256.at(f"{site.url}{_JWKS}", found=algorithms)
    else:
        yield jwks.ok(found=", ".join(str(key.get("alg")) for key in members))


def _usable(keys: list[dict[str, Any]]) -> bool:
    ids = Counter(str(key.get("kid", "")) for key in keys)
    if "" in ids or any(times > 1 for times in ids.values()):
        return False
    try:
        verification_keys(keys)
    except Exception:  # noqa: BLE001  (whatever the library makes of what a stranger sent)
        return False
    return True


LONG_REQUESTS_ADDRESS = error(
    "long_requests.address",
    "The proxy refuses long addresses, but authorization requests need them.",
    "Allow them: large_client_header_buffers 4 32k;",
)

_LENGTH = 16 * 1024
_OK = 200


@subject("long_requests", order=12, in_order="Addresses of 16 KiB pass the proxy.")
def long_requests(site: Site) -> Iterator[Finding]:
    """Yield whether a long address is refused on the way."""
    answer = site.get(_HEALTH, padding="x" * _LENGTH)
    if answer.status_code != _OK:
        yield LONG_REQUESTS_ADDRESS.at(
            f"{_LENGTH} bytes", found=described(answer), expected="status 200"
        )


CALLBACK_PROVIDER_UNKNOWN = error(
    "callback.provider_unknown",
    "The callback address ends with an id that is not the service's identity provider.",
    "End the address with provider.id: --callback URL/api/auth/callback/PROVIDER_ID",
)
CALLBACK_NOT_BEGUN = error(
    "callback.not_begun",
    "A sign-in cannot begin.",
    "Read the log of the service. Status 503 means that the database does not answer.",
)
CALLBACK_CLIENT_ID = error(
    "callback.client_id",
    "The service sends a placeholder as its client id to the identity provider.",
    "Set PROVIDER_CLIENT_ID to the client id on the application's page there, and restart.",
)
CALLBACK_DIFFERENT = error(
    "callback.different",
    "The service sends another callback address than the identity provider knows, and is refused.",
    "Register the address that the service sends at the provider, or correct AUTH_URL and"
    " provider.id.",
)


@subject(
    "callback",
    order=13,
    in_order="The identity provider must know this callback address; compare it with its page.",
)
def callback(site: Site) -> Iterator[Finding]:
    """Yield what the provider would be told; this begins a sign-in, which expires by itself."""
    provider = site.callback.rpartition("/")[2]
    answer = site.post("/api/auth/sign-in/social", {"provider": provider})
    said = content(answer)
    if isinstance(said, dict) and said.get("code") == "PROVIDER_NOT_FOUND":
        yield CALLBACK_PROVIDER_UNKNOWN.at(site.callback, found=provider)
        return
    address = said.get("url") if isinstance(said, dict) else None
    if not isinstance(address, str):
        yield CALLBACK_NOT_BEGUN.at(f"{site.url}/api/auth/sign-in/social", found=described(answer))
        return
    begin = urlsplit(address)
    if begin.path == "/sign-in":
        yield callback.skipped("Local mode asks no identity provider.")
        return
    # Checked here also where the service believes to be elsewhere.
    leaving = site.leads_to(begin._replace(scheme="", netloc="").geturl())
    if leaving is None:
        yield CALLBACK_NOT_BEGUN.at(f"{site.url}{begin.path}", found="no redirect")
        return
    query = parse_qs(urlsplit(leaving).query)
    client_id, sent = query.get("client_id", [""])[0], query.get("redirect_uri", [""])[0]
    host = urlsplit(leaving).netloc
    if is_placeholder(client_id):
        yield CALLBACK_CLIENT_ID.at(host, found=client_id)
    if sent != site.callback:
        yield CALLBACK_DIFFERENT.at(host, found=sent, expected=site.callback)
    else:
        yield callback.ok(about=host, found=sent)


CLOCK_DIFFERENT = error(
    "clock.different",
    "The clocks of the server and of this machine differ, so one of them is wrong.",
    "Set both from the network: timedatectl set-ntp true",
)


@subject("clock", order=14, in_order="The server's clock agrees with that of this machine.")
def clock(site: Site) -> Iterator[Finding]:
    """Yield by how much the clocks differ."""
    ahead = clock_ahead(site.get(_HEALTH))
    if ahead is None:
        yield clock.skipped("The server sends no date with which to compare clocks.")
    elif abs(ahead) > TOO_FAR:
        yield CLOCK_DIFFERENT.at(site.host, found=f"this one is {in_words(ahead)}")
