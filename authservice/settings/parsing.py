"""From text to typed values, one function for each kind; what cannot be read is noted."""

import base64
import binascii
import ipaddress
import re
from urllib.parse import urlsplit

from authservice.settings.hosts import (
    host_of,
    is_host_name,
    is_ip_address,
    is_loopback,
    origin_of,
)
from authservice.settings.sources import Source

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_PORT = re.compile(r"[1-9][0-9]{0,4}")
_HIGHEST_PORT = 65535
_SECRET_BYTES = 32
# 32 random bytes hold fewer distinct values than this about once in 10^20 draws.
_DISTINCT_BYTES = 12
_MAKE_A_SECRET = "make one with: openssl rand -base64 32"


def origin(source: Source, key: str) -> str:
    """Return a bare origin such as https://auth.example.com."""
    text = source.text(key)
    if not text:
        source.refuse(source.name(key), "is missing; set the public address of this service")
    elif not is_origin(text):
        source.refuse(
            source.name(key),
            "must be scheme and host in lower case, with a port only when it is not the default,"
            " and nothing after it: https://auth.example.com",
        )
    return text


def is_origin(text: str) -> bool:
    """Tell whether a text is exactly an origin as a browser would write it."""
    if origin_of(text) != text:
        return False
    host = host_of(text)
    return is_loopback(host) or is_host_name(host) or is_ip_address(host)


def server_secret(source: Source, variable: str, *, required: bool) -> bytes | None:
    """Return a server secret's bytes, or None when there is none."""
    text = source.secret(variable)
    if not text:
        if required and text is not None:
            source.refuse(variable, f"is missing; {_MAKE_A_SECRET}")
        return None
    try:
        raw = base64.b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_" if _urlsafe(text) else None, validate=True
        )
    except (binascii.Error, ValueError):
        source.refuse(variable, f"must be base64; {_MAKE_A_SECRET}")
        return None
    if len(raw) < _SECRET_BYTES or len(set(raw)) < _DISTINCT_BYTES:
        source.refuse(variable, f"must hold at least 32 random bytes; {_MAKE_A_SECRET}")
        return None
    return raw


def _urlsafe(text: str) -> bool:
    return "-" in text or "_" in text


def database_url(source: Source, key: str, default: str) -> str:
    """Return the address of an SQLite file or of a PostgreSQL database."""
    text = source.text(key, default)
    # Imported here: it takes 0.2 s, and what only wants to know the version has no database.
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    remedy = "must be sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
    try:
        url = make_url(text)
    except ArgumentError:
        source.refuse(source.name(key), remedy)
        return text
    if url.drivername in {"sqlite", "sqlite+pysqlite"}:
        if not url.database or url.database == ":memory:" or url.query:
            source.refuse(source.name(key), "must name an SQLite file: sqlite:///FILE")
    elif url.drivername != "postgresql+psycopg":
        source.refuse(source.name(key), remedy)
    return text


def web_address(source: Source, key: str, default: str) -> str:
    """Return an https address, or an http one on loopback, without query and fragment."""
    text = source.text(key, default).rstrip("/")
    address = origin_of(text) if text.isprintable() and " " not in text else None
    plain = address is not None and (
        address.startswith("https://") or is_loopback(host_of(address))
    )
    parts = urlsplit(text) if address else None
    if not plain or parts is None or parts.query or parts.fragment or "@" in parts.netloc:
        source.refuse(source.name(key), "must be an https address without user, query and fragment")
    return text


def whole_number(
    source: Source, key: str, default: int, *, at_least: int = 1, at_most: int, unit: str = ""
) -> int:
    """Return a whole number between two limits."""
    text = source.text(key, str(default))
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0  # noqa: PLR2004
    if not at_least <= number <= at_most:
        source.refuse(key, f"must be a whole number{unit} from {at_least} to {at_most}")
        return default
    return number


def choice(source: Source, key: str, values: tuple[str, ...], default: str = "") -> str:
    """Return one of the named values."""
    text = source.text(key, default)
    if text not in values:
        source.refuse(source.name(key), f"must be {' or '.join(values)}")
    return text


def listen_address(source: Source, key: str) -> tuple[str, int] | None:
    """Return an IP address and a port to listen on, or None when there is none."""
    text = source.text(key)
    if not text:
        return None
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if is_ip_address(host) and _PORT.fullmatch(port) and int(port) <= _HIGHEST_PORT:
        return host, int(port)
    source.refuse(key, "must be an IP address and a port: 127.0.0.1:9464")
    return None


def networks(source: Source, key: str) -> tuple[IPNetwork, ...]:
    """Return the IP networks that a setting lists."""
    networks = []
    for word in source.text(key).replace(",", " ").split():
        try:
            networks.append(ipaddress.ip_network(word))
        except ValueError:
            source.refuse(key, f"must list IP addresses or networks such as 10.0.0.0/8: {word!r}")
    return tuple(networks)
