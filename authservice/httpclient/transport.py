"""requests' adapter on our connections, and whom it trusts on an encrypted one.

There is no ``requests.Session``: a session keeps cookies, looks into ~/.netrc and the environment,
and reads the bodies of redirects without limit. The adapter below it does none of that.
"""

import re
import socket
import ssl
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from authservice.httpclient.connections import POOL_CLASSES, DeadlineTlsSocket

# Where systems keep the authorities that their administrators chose, if OpenSSL was built to look
# elsewhere: Debian and Alpine, Fedora and its kin, the BSDs and macOS.
_SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
# A file in a folder of authorities, by the hash under which OpenSSL looks for it.
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")


class Transport(HTTPAdapter):
    """Sends prepared requests over pooled connections; usable from several threads."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def init_poolmanager(
        self,
        connections: int,
        maxsize: int,
        block: bool = False,  # noqa: FBT001, FBT002  (the library's signature)
        **pool_kwargs: Any,  # noqa: ANN401  (as above)
    ) -> None:
        """Make the manager of the pools for direct connections."""
        super().init_poolmanager(
            connections, maxsize, block=block, ssl_context=self._context, **pool_kwargs
        )
        self.poolmanager.pool_classes_by_scheme = POOL_CLASSES

    def proxy_manager_for(self, proxy: str, **proxy_kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Return the manager of the pools for connections through this proxy."""
        manager = super().proxy_manager_for(
            proxy, ssl_context=self._context, proxy_ssl_context=self._context, **proxy_kwargs
        )
        manager.pool_classes_by_scheme = POOL_CLASSES
        return manager

    def encrypted(self, connection: socket.socket, host: str) -> ssl.SSLSocket:
        """Return a connection of ours encrypted, to a host that has proved its name."""
        # A name has no dot last in a certificate (RFC 6066, section 3).
        return self._context.wrap_socket(connection, server_hostname=host.rstrip("."))

    def cert_verify(self, conn: object, url: str, verify: object, cert: object) -> None:
        """Leave the decision to the context: the library would add its own bundle to it."""


def tls_context(
    ca_bundle: str | PathLike[str] | None, *, system_authorities: bool = False
) -> ssl.SSLContext:
    """Return a context that demands a valid certificate for the host's name, TLS 1.2 or newer.

    ``ca_bundle`` is a PEM file of the authorities to trust instead of the public ones, or beside
    those of this machine with ``system_authorities``. It is built by hand because the usual
    constructors obey SSLKEYLOGFILE and SSL_CERT_FILE; the flags are the defaults of Python 3.13,
    for every version.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Early Python 3.11 takes a connection that was cut for a body that ended (RFC 9112, 9.8).
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    if system_authorities:
        if not _load_system_authorities(context):
            # A small container has none of its own.
            context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        if ca_bundle is not None:
            context.load_verify_locations(ca_bundle)
    else:
        context.load_verify_locations(ca_bundle or DEFAULT_CA_BUNDLE_PATH)
    context.sslsocket_class = DeadlineTlsSocket
    return context


def _load_system_authorities(context: ssl.SSLContext) -> bool:
    """Let a context trust those that this machine trusts; tell whether it has any."""
    # As OpenSSL was built, whatever the environment says.
    built = ssl.get_default_verify_paths()
    has_authorities = False
    with suppress(OSError):
        if any(_HASHED.fullmatch(file.name) for file in Path(built.openssl_capath).iterdir()):
            # Looked up one by one, when a certificate names them.
            context.load_verify_locations(capath=built.openssl_capath)
            has_authorities = True
    for file in (built.openssl_cafile, *_SYSTEM_BUNDLES):
        if has_authorities:
            break
        with suppress(OSError):
            context.load_verify_locations(file)
            has_authorities = True
    return has_authorities
