"""How others are reached: the authorities to trust, and the proxy on the way, both checked."""

from urllib.parse import urlsplit

from authservice.settings.auth_settings import OutgoingSettings
from authservice.settings.hosts import host_of, is_host_name, is_ip_address, origin_of
from authservice.settings.sources import Source

_CA_BUNDLE = "outgoing.ca_bundle"
_PROXY = "outgoing.proxy"


def outgoing(source: Source) -> OutgoingSettings:
    """Return what the settings say; what cannot be used is noted."""
    return OutgoingSettings(ca_bundle=_ca_bundle(source), proxy=_proxy(source))


def _ca_bundle(source: Source) -> str | None:
    file = source.text(_CA_BUNDLE)
    if not file:
        return None
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
    source.refuse(
        _CA_BUNDLE,
        f"must name a PEM file with certificates of authorities: {file} cannot be used ({reason})",
    )
    return None


def _proxy(source: Source) -> str | None:
    text = source.text(_PROXY).rstrip("/")
    if not text:
        return None
    name = source.name(_PROXY)
    origin = origin_of(text) if text.isascii() and text.isprintable() and " " not in text else None
    parts = urlsplit(text) if origin else None
    if origin is None or parts is None or parts.path or parts.query or parts.fragment:
        # What was given may hold a password, so it is not repeated.
        source.refuse(name, "must be scheme, host and port only: http://proxy.example.com:3128")
        return None
    host = host_of(origin)
    if not (is_host_name(host) or is_ip_address(host)):
        source.refuse(name, "must name a host, as a DNS name or an IP address")
        return None
    if "@" in parts.netloc and not source.is_in_environment(_PROXY):
        source.refuse(name, "a password never stands in an ini file; set OUTGOING_PROXY")
        return None
    return text
