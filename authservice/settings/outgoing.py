"""How others are reached: the authorities to trust, and the proxy on the way, both checked."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from authservice.settings.hosts import host_of, is_host_name, is_ip_address, origin_of
from authservice.settings.problems import RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingSettings:
    """How outgoing calls are made: with which additional authorities, and through which proxy."""

    ca_bundle: str | None = None
    proxy: str | None = field(default=None, repr=False)
    """An http or https address; a password in it comes from the environment only."""


def ca_bundle(file: str) -> str:
    """Return a file of certificates; raises RefusedError for one that cannot be used."""
    # Imported when it is needed: local mode, which makes no outgoing calls, does without.
    import ssl  # noqa: PLC0415

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except (ssl.SSLError, ValueError):
        # OpenSSL's words for a file without certificates do not help.
        reason = "it holds no certificates"
    except OSError as error:
        reason = str(error.strerror)
    else:
        return file
    message = (
        f"must name a PEM file with certificates of authorities: {file} cannot be used ({reason})"
    )
    raise RefusedError(message)


def proxy(text: str) -> str:
    """Return the address of a proxy; raises RefusedError."""
    text = text.rstrip("/")
    origin = origin_of(text) if text.isascii() and text.isprintable() and " " not in text else None
    parts = urlsplit(text) if origin else None
    if origin is None or parts is None or parts.path or parts.query or parts.fragment:
        # What was given may hold a password, so it is not repeated.
        message = "must be scheme, host and port only: http://proxy.example.com:3128"
        raise RefusedError(message)
    host = host_of(origin)
    if not (is_host_name(host) or is_ip_address(host)):
        message = "must name a host, as a DNS name or an IP address"
        raise RefusedError(message)
    return text
