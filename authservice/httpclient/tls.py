"""Whom the client trusts on an https connection."""

import ssl
from os import PathLike

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from authservice.httpclient.sockets import DeadlineTlsSocket


def tls_context(ca_bundle: str | PathLike[str] | None) -> ssl.SSLContext:
    """Return a context that demands a valid certificate for the host's name, TLS 1.2 or newer.

    ``ca_bundle`` is a PEM file of the authorities to trust instead of the public ones. It is
    built by hand because the usual constructors obey SSLKEYLOGFILE and SSL_CERT_FILE; the
    flags are the defaults of Python 3.13, for every version.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Early Python 3.11 takes a connection that was cut for a body that ended (RFC 9112, 9.8).
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(ca_bundle or DEFAULT_CA_BUNDLE_PATH)
    context.sslsocket_class = DeadlineTlsSocket
    return context
