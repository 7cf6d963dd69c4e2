"""The published keys: clients can read them, and verify with them what the service signs."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from authservice.crypto.signing_keys import verification_keys
from authservice.diagnosis.finding import Finding, error, ok
from authservice.diagnosis.site import Site, content, described
from authservice.httpclient import TooManyRedirectsError

IN_ORDER = "The published keys can be used."

MISSING = error(
    "jwks.missing",
    "The key set is missing at its address, so no client can verify a token.",
    "Let the proxy pass /api/auth/jwks on. Status 503 means that the database does not answer.",
)
UNUSABLE = error(
    "jwks.unusable",
    "A published key cannot be read, or does not have its own id.",
    "Read the log of the service, and let the proxy pass answers on unchanged.",
)
NO_RS256 = error(
    "jwks.no_rs256",
    "There is no key for RS256, which every client expects (OpenID Connect Core, section 15.1).",
    "Read in the log of the service why it could not make its keys.",
)
PRIVATE = error(
    "jwks.private",
    "A private key is published.",
    "Stop what answers here at once: it is not this service. Anyone with the key can sign tokens.",
)

_PATH = "/api/auth/jwks"
_PRIVATE_MEMBERS = {"d", "p", "q", "k"}


def examine(site: Site) -> Iterator[Finding]:
    """Yield what is wrong with the set (RFC 7517)."""
    try:
        answer = site.get(_PATH)
    except TooManyRedirectsError:
        yield MISSING.at(f"{site.url}{_PATH}", found="a redirect")
        return
    document = content(answer)
    keys = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        yield MISSING.at(f"{site.url}{_PATH}", found=described(answer), expected="JSON")
        return
    members = [key for key in keys if isinstance(key, dict)]
    if any(_PRIVATE_MEMBERS & key.keys() for key in members):
        yield PRIVATE.at(f"{site.url}{_PATH}")
    elif len(members) < len(keys) or not _usable(members):
        yield UNUSABLE.at(f"{site.url}{_PATH}", found=f"{len(keys)} keys")
    elif all(key.get("alg") != "RS256" for key in members):
        found = ", ".join(str(key.get("alg")) for key in members) or "no keys"
        yield NO_RS256.at(f"{site.url}{_PATH}", found=found)
    else:
        yield ok("jwks", IN_ORDER, found=", ".join(str(key.get("alg")) for key in members))


def _usable(keys: list[dict[str, Any]]) -> bool:
    ids = Counter(str(key.get("kid", "")) for key in keys)
    if "" in ids or any(times > 1 for times in ids.values()):
        return False
    try:
        verification_keys(keys)
    except Exception:  # noqa: BLE001  (whatever the library makes of what a stranger sent)
        return False
    return True
