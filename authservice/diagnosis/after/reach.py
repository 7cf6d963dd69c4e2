"""Reaching the service: its name, the connection, and the certificate."""

from collections.abc import Iterator

from authservice.diagnosis.before.address import resolves
from authservice.diagnosis.finding import Finding, Kind, error
from authservice.diagnosis.site import Site
from authservice.httpclient import (
    SendError,
    SendTimeoutError,
    TlsError,
    TooManyRedirectsError,
)

IN_ORDER = "The service can be reached, and its certificate is accepted."

UNRESOLVED = error(
    "reach.unresolved",
    "The host has no address, so browsers cannot find it.",
    "Add its record to your domain's name server, and wait until other name servers have it.",
)
UNREACHABLE = error(
    "reach.unreachable",
    "Nothing accepts connections at this address.",
    "Start the proxy, let it listen on the port, and open the port in the firewall.",
)
TOO_SLOW = error(
    "reach.too_slow",
    "There is no answer in time.",
    "Look for a firewall that drops packets silently, or a service that hangs behind its proxy.",
)
NOT_TLS = error(
    "reach.not_tls",
    "The port does not speak TLS.",
    "Let the proxy end TLS there: listen 443 ssl;",
)
OLD_TLS = error(
    "reach.old_tls",
    "The server offers only TLS versions that clients no longer accept.",
    "Allow the present ones in the proxy: ssl_protocols TLSv1.2 TLSv1.3;",
)
EXPIRED = error(
    "reach.certificate_expired",
    "The certificate has expired; browsers refuse the service.",
    "Renew it, reload the proxy, and automate both from now on.",
)
WRONG_HOST = error(
    "reach.certificate_of_another_host",
    "The certificate is for another host.",
    "Get a certificate for this name, and name it in the proxy's server block of this host.",
)
SELF_SIGNED = error(
    "reach.certificate_self_signed",
    "The certificate is self-signed, and browsers refuse it.",
    "Get one from a certificate authority. For your own authority, name its file in --ca-bundle.",
)
INCOMPLETE = error(
    "reach.certificate_incomplete",
    "The certificate does not lead to a known authority: a part of the chain is missing.",
    "Give the proxy the full chain (fullchain.pem). Name your own authority in --ca-bundle.",
)
MALFORMED = error(
    "reach.certificate_malformed",
    "The certificate, or that of its authority, lacks required extensions (RFC 5280).",
    "Issue it again with what is missing; docs/deployment has the commands for an authority of your"
    " own.",
)
REFUSED = error(
    "reach.tls_refused",
    "No encrypted connection can be made.",
    "Look into the proxy's error log, and begin with the TLS settings of docs/deployment.",
)
BROKEN = error(
    "reach.broken",
    "The connection broke off during an answer.",
    "Read what the logs of the proxy and the service say about this moment.",
)
LIMITED = error(
    "reach.limited",
    "This machine has exceeded a rate limit, and the service answers nothing else for a while.",
    "Wait a minute and verify again.",
)

# OpenSSL's words for what was wrong.
_CERTIFICATES = {
    "expired": EXPIRED,
    "Hostname mismatch": WRONG_HOST,
    "IP address mismatch": WRONG_HOST,
    "self-signed": SELF_SIGNED,
    "self signed": SELF_SIGNED,
    "unable to get": INCOMPLETE,
    # Whatever else is wrong with one.
    "the certificate is not accepted": MALFORMED,
    "WRONG_VERSION_NUMBER": NOT_TLS,
    "RECORD_LAYER_FAILURE": NOT_TLS,
    "PROTOCOL_VERSION": OLD_TLS,
    "UNSUPPORTED_PROTOCOL": OLD_TLS,
}


def examine(site: Site) -> Iterator[Finding]:
    """Yield why no answer comes back."""
    if not resolves(site.host):
        yield UNRESOLVED.at(site.url, found=site.host)
        return
    try:
        site.get("/api/health")
    except TooManyRedirectsError:
        return  # an answer, if not the one expected
    except SendError as failure:
        yield _kind(failure).at(site.url, found=failure.reason)


def _kind(failure: SendError) -> Kind:
    if isinstance(failure, TlsError):
        words = (kind for phrase, kind in _CERTIFICATES.items() if phrase in failure.reason)
        return next(words, REFUSED)
    return TOO_SLOW if isinstance(failure, SendTimeoutError) else UNREACHABLE
