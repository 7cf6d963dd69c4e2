"""TLS: how long the certificate still holds, and which versions the server takes."""

import socket
import ssl
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from authservice import clock
from authservice.diagnosis.finding import Finding, ok, skipped, warning
from authservice.diagnosis.site import Site

IN_ORDER = "Only present versions of TLS are taken."

EXPIRES_SOON = warning(
    "tls.expires_soon",
    "The certificate expires soon and has not been renewed.",
    "See why the renewal has not run, for example with: certbot renew --dry-run",
)
OLD_VERSION = warning(
    "tls.old_version",
    "The server still accepts a version of TLS that is insecure and withdrawn (RFC 8996).",
    "Allow the present ones only: ssl_protocols TLSv1.2 TLSv1.3;",
)

_SOON = timedelta(days=14)
_SECONDS = 5


def examine(site: Site) -> Iterator[Finding]:
    """Yield what is old, or soon will be."""
    if not site.https:
        yield skipped("tls", "Local mode has no TLS.")
        return
    end = _end_of_certificate(site)
    if end is None:
        yield skipped("tls", "The connection broke off in the handshake.")
    elif end - clock.now() < _SOON:
        yield EXPIRES_SOON.at(site.host, found=f"{end:%Y-%m-%d %H:%M} UTC")
    else:
        yield ok("tls", IN_ORDER, found=f"the certificate expires on {end:%Y-%m-%d}")
    if _takes_tls_1_1(site):
        yield OLD_VERSION.at(site.host, found="TLS 1.1", expected="TLS 1.2 or newer")


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
