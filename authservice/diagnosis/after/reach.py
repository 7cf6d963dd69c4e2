"""Reaching the service: name, connection, certificate, plain HTTP, and who counts as the sender."""

import socket
import ssl
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from authservice import clock
from authservice.diagnosis.before.network import resolves
from authservice.diagnosis.finding import Finding, Kind, error, subject, warning
from authservice.diagnosis.site import Site, TooManyRequestsError, content
from authservice.httpclient import (
    BodyTooLargeError,
    Method,
    RedirectError,
    Request,
    SendError,
    SendTimeoutError,
    TlsError,
)

REACH_UNRESOLVED = error(
    "reach.unresolved",
    "The host has no address, so browsers cannot find it.",
    "Add its record to your domain's name server, and wait until other name servers have it.",
)
REACH_UNREACHABLE = error(
    "reach.unreachable",
    "Nothing accepts connections at this address.",
    "Start the proxy, let it listen on the port, and open the port in the firewall.",
)
REACH_TOO_SLOW = error(
    "reach.too_slow",
    "There is no answer in time.",
    "Look for a firewall that drops packets silently, or a service that hangs behind its proxy.",
)
REACH_NOT_TLS = error(
    "reach.not_tls",
    "The port does not speak TLS.",
    "Let the proxy end TLS there: listen 443 ssl;",
)
REACH_OLD_TLS = error(
    "reach.old_tls",
    "The server offers only TLS versions that clients no longer accept.",
    "Allow the present ones in the proxy: ssl_protocols TLSv1.2 TLSv1.3;",
)
REACH_CERTIFICATE_EXPIRED = error(
    "reach.certificate_expired",
    "The certificate has expired; browsers refuse the service.",
    "Renew it, reload the proxy, and automate both from now on.",
)
REACH_CERTIFICATE_OF_ANOTHER_HOST = error(
    "reach.certificate_of_another_host",
    "The certificate is for another host.",
    "Get a certificate for this name, and name it in the proxy's server block of this host.",
)
REACH_CERTIFICATE_SELF_SIGNED = error(
    "reach.certificate_self_signed",
    "The certificate is self-signed, and browsers refuse it.",
    "Get one from a certificate authority. For your own authority, name its file in --ca-bundle.",
)
REACH_CERTIFICATE_INCOMPLETE = error(
    "reach.certificate_incomplete",
    "The certificate does not lead to a known authority: a part of the chain is missing.",
    "Give the proxy the full chain (fullchain.pem). Name your own authority in --ca-bundle.",
)
REACH_CERTIFICATE_MALFORMED = error(
    "reach.certificate_malformed",
    "The certificate, or that of its authority, lacks required extensions (RFC 5280).",
    "Issue it again with what is missing; docs/deployment has the commands for an authority of your"
    " own.",
)
REACH_TLS_REFUSED = error(
    "reach.tls_refused",
    "No encrypted connection can be made.",
    "Look into the proxy's error log, and begin with the TLS settings of docs/deployment.",
)
REACH_BROKEN = error(
    "reach.broken",
    "The connection broke off during an answer.",
    "Read what the logs of the proxy and the service say about this moment.",
)
REACH_TOO_LONG = error(
    "reach.too_long",
    "An answer is longer than 10 MB, so it is not that of the service.",
    "Look at what the proxy serves at this address.",
)
REACH_LIMITED = error(
    "reach.limited",
    "This machine has exceeded a rate limit, and the service answers nothing else for a while.",
    "Wait a minute and verify again.",
)

# OpenSSL's words for what was wrong.
_CERTIFICATES = {
    "expired": REACH_CERTIFICATE_EXPIRED,
    "Hostname mismatch": REACH_CERTIFICATE_OF_ANOTHER_HOST,
    "IP address mismatch": REACH_CERTIFICATE_OF_ANOTHER_HOST,
    "self-signed": REACH_CERTIFICATE_SELF_SIGNED,
    "self signed": REACH_CERTIFICATE_SELF_SIGNED,
    "unable to get": REACH_CERTIFICATE_INCOMPLETE,
    # Whatever else is wrong with one.
    "the certificate is not accepted": REACH_CERTIFICATE_MALFORMED,
    "WRONG_VERSION_NUMBER": REACH_NOT_TLS,
    "RECORD_LAYER_FAILURE": REACH_NOT_TLS,
    "PROTOCOL_VERSION": REACH_OLD_TLS,
    "UNSUPPORTED_PROTOCOL": REACH_OLD_TLS,
}


@subject("reach", order=1, in_order="The host can be reached, and its certificate is accepted.")
def reach(site: Site) -> Iterator[Finding]:
    """Yield why no answer comes back."""
    if not resolves(site.host):
        yield REACH_UNRESOLVED.at(site.url, found=site.host)
        return
    try:
        site.get("/api/health")
    except (RedirectError, TooManyRequestsError):
        return  # an answer, if not the one expected
    except SendError as failure:
        yield _kind(failure).at(site.url, found=failure.reason)


def _kind(failure: SendError) -> Kind:
    if isinstance(failure, TlsError):
        words = (kind for phrase, kind in _CERTIFICATES.items() if phrase in failure.reason)
        return next(words, REACH_TLS_REFUSED)
    if isinstance(failure, BodyTooLargeError):
        return REACH_TOO_LONG
    return REACH_TOO_SLOW if isinstance(failure, SendTimeoutError) else REACH_UNREACHABLE


def broken_off(failure: SendError) -> Finding:
    """Return why an answer did not come, of a service that others came from."""
    kind = REACH_TOO_LONG if isinstance(failure, BodyTooLargeError) else REACH_BROKEN
    return kind.at(failure.url, found=failure.reason)


TLS_EXPIRES_SOON = warning(
    "tls.expires_soon",
    "The certificate expires soon and has not been renewed.",
    "See why the renewal has not run, for example with: certbot renew --dry-run",
)
TLS_OLD_VERSION = warning(
    "tls.old_version",
    "The server still accepts a version of TLS that is insecure and withdrawn (RFC 8996).",
    "Allow the present ones only: ssl_protocols TLSv1.2 TLSv1.3;",
)

_SOON = timedelta(days=14)
_SECONDS = 5


@subject("tls", order=2, in_order="Only present versions of TLS are taken.")
def tls(site: Site) -> Iterator[Finding]:
    """Yield what is old, or soon will be."""
    if not site.https:
        yield tls.skipped("Local mode has no TLS.")
        return
    end = _end_of_certificate(site)
    if end is None:
        yield tls.skipped("The connection broke off in the handshake.")
    elif end - clock.now() < _SOON:
        yield TLS_EXPIRES_SOON.at(site.host, found=f"{end:%Y-%m-%d %H:%M} UTC")
    else:
        yield tls.ok(found=f"the certificate expires on {end:%Y-%m-%d}")
    if _takes_tls_1_1(site):
        yield TLS_OLD_VERSION.at(site.host, found="TLS 1.1", expected="TLS 1.2 or newer")


def _end_of_certificate(site: Site) -> datetime | None:
    context = ssl.create_default_context(cafile=site.ca_bundle)
    if site.ca_bundle is None:
        # The HTTP client has accepted it; authorities of this machine do not matter here.
        context.load_default_certs()
    try:
        with (
            socket.create_connection((site.host, site.port), timeout=_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=site.host) as encrypted,
        ):
            certificate = encrypted.getpeercert() or {}
    except OSError:
        return None
    return parsedate_to_datetime(str(certificate["notAfter"])).astimezone(UTC)


def _takes_tls_1_1(site: Site) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Only whether it is taken matters: nothing is sent, and no certificate is believed.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        # Python warns of the very thing that is to be found.
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1_1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    try:
        with (
            socket.create_connection((site.host, site.port), timeout=_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=site.host),
        ):
            return True
    except OSError:
        return False


PLAIN_HTTP_SERVED = error(
    "plain_http.served",
    "The service answers over plain HTTP, which others in the network can read and change.",
    "Let the proxy redirect: server { listen 80; return 301 https://HOST$request_uri; }",
)
PLAIN_HTTP_OTHER_SITE = error(
    "plain_http.other_site",
    "Plain HTTP at this name leads to another site.",
    "Name the host in the proxy's redirect from port 80 to https.",
)

_HTTPS = 443


@subject("plain_http", order=3, in_order="Plain HTTP is closed, or leads to https.")
def plain_http(site: Site) -> Iterator[Finding]:
    """Yield what plain HTTP gives away."""
    if not site.https or site.port != _HTTPS:
        yield plain_http.skipped("The service is not at the default port of https.")
        return
    address = f"http://{site.url.removeprefix('https://')}/api/health"
    try:
        answer = site.client.send(Request(Method.GET, address))
    except RedirectError:
        return
    except SendError:
        return  # closed
    kind = PLAIN_HTTP_SERVED if b'"status"' in answer.body else PLAIN_HTTP_OTHER_SITE
    yield kind.at(address, found=f"status {answer.status_code}", expected="a redirect to https")


_APPEND = (
    "Let the proxy append the sender, in nginx:"
    " proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
)
SENDERS_UNKNOWN = error(
    "senders.unknown",
    "The service does not learn the address of who sends a request, so people count together.",
    f"{_APPEND} and name its address in auth.trusted_proxies.",
)
SENDERS_FORGED = error(
    "senders.forged",
    "The proxy passes on X-Forwarded-For from senders, so they can pretend to be others.",
    _APPEND,
)
SENDERS_UNDERSCORES = error(
    "senders.underscores",
    "X_Forwarded_For counts as X-Forwarded-For, so senders can pretend to be others.",
    "Let the proxy drop headers with an underscore in their names, in nginx:"
    " underscores_in_headers off;",
)

_READY = "/api/ready"
# A trusted machine that asks for itself is told more; no machine outside is one.
_LOCAL = "127.0.0.1"
_TOLD = "version"


@subject("senders", order=8, in_order="The service learns from the proxy who asks.")
def senders(site: Site) -> Iterator[Finding]:
    """Yield what the service is not told, or told by any sender."""
    said = content(site.get(_READY))
    if not isinstance(said, dict) or not isinstance(said.get("sender_known"), bool):
        yield senders.skipped(f"{_READY} does not say whether senders are known.")
        return
    if not said["sender_known"]:
        yield SENDERS_UNKNOWN.at(f"{site.url}{_READY}")
    for name, kind in (
        ("X-Forwarded-For", SENDERS_FORGED),
        ("X_Forwarded_For", SENDERS_UNDERSCORES),
    ):
        claimed = content(site.get(_READY, {name: _LOCAL}))
        if _TOLD not in said and isinstance(claimed, dict) and _TOLD in claimed:
            yield kind.at(f"{site.url}{_READY}")
