"""From text to typed values, one function for each kind; each raises RefusedError."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

from authservice.settings.hosts import (
    host_of,
    is_host_name,
    is_ip_address,
    is_loopback,
    origin_of,
)
from authservice.settings.problems import RefusedError

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

MAKE_A_SECRET = "make one with: openssl rand -base64 32"
_BEYOND_ASCII = r"[^\x00-\x7f\u200c\u200d]"
_JOINER = re.compile(rf"(?<={_BEYOND_ASCII})[\u200c\u200d](?={_BEYOND_ASCII})")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_HIGHEST_PORT = 65535
_SECRET_BYTES = 32
# 32 random bytes hold fewer distinct values than this about once in 10^20 draws.
_DISTINCT_BYTES = 12


def accepting(fits: Callable[[str], object], remedy: str) -> Callable[[str], str]:
    """Return what takes a text that fits as it is, and refuses every other with the remedy."""

    def read(text: str) -> str:
        if not fits(text):
            raise RefusedError(remedy)
        return text

    return read


def is_readable(text: str) -> bool:
    """Tell whether a text says something, without characters that nobody sees.

    A joiner is none of them between characters beyond ASCII: families of emoji, and words of
    Persian and Indic scripts, are spelt with it (The Unicode Standard, section 23.2).
    """
    return bool(text.strip()) and _JOINER.sub("", text).isprintable()


def words(text: str) -> list[str]:
    """Return the entries of a list: blanks, line ends and commas stand between them."""
    return text.replace(",", " ").split()


def origin(text: str) -> str:
    """Return a bare origin such as https://auth.example.com."""
    if not text:
        message = "not set; set the public address of this service"
        raise RefusedError(message)
    if not is_origin(text):
        message = (
            "must be scheme and host in lower case, with a port only when it is not the default,"
            " and nothing after it: https://auth.example.com"
        )
        raise RefusedError(message)
    return text


def is_origin(text: str) -> bool:
    """Tell whether a text is exactly an origin as a browser would write it."""
    if origin_of(text) != text:
        return False
    host = host_of(text)
    return is_loopback(host) or is_host_name(host) or is_ip_address(host)


def trusted_origin(entry: str) -> str:
    """Return an entry of a list of origins."""
    if not is_origin(entry):
        message = f"must list origins such as https://app.example.com: {entry!r}"
        raise RefusedError(message)
    return entry


def server_secret(text: str) -> bytes:
    """Return the bytes of a server secret."""
    try:
        raw = base64.b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_" if _urlsafe(text) else None, validate=True
        )
    except (binascii.Error, ValueError):
        message = f"must be base64; {MAKE_A_SECRET}"
        raise RefusedError(message) from None
    if len(raw) < _SECRET_BYTES or len(set(raw)) < _DISTINCT_BYTES:
        message = f"must hold at least 32 random bytes; {MAKE_A_SECRET}"
        raise RefusedError(message)
    return raw


def _urlsafe(text: str) -> bool:
    return "-" in text or "_" in text


def database_url(text: str) -> str:
    """Return the address of an SQLite file or of a PostgreSQL database."""
    # Imported here: it takes 0.2 s, and what only wants to know the version has no database.
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    remedy = "must be sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
    try:
        url = make_url(text)
    except ArgumentError:
        raise RefusedError(remedy) from None
    if url.drivername in {"sqlite", "sqlite+pysqlite"}:
        if not url.database or url.database == ":memory:" or url.query:
            message = "must name an SQLite file: sqlite:///FILE"
            raise RefusedError(message)
    elif url.drivername != "postgresql+psycopg":
        raise RefusedError(remedy)
    return text


def web_address(text: str) -> str:
    """Return an https address, or an http one on loopback, without query and fragment."""
    text = text.rstrip("/")
    address = origin_of(text) if text.isprintable() and " " not in text else None
    plain = address is not None and (
        address.startswith("https://") or is_loopback(host_of(address))
    )
    parts = urlsplit(text) if address else None
    if not plain or parts is None or parts.query or parts.fragment or "@" in parts.netloc:
        message = "must be an https address without user, query and fragment"
        raise RefusedError(message)
    return text


counts_storage = accepting(
    lambda text: text == "memory://" or text.startswith(("redis://", "rediss://")),
    "must be memory:// or redis://HOST:PORT/DATABASE",
)


def whole_number(*, at_least: int = 1, at_most: int, unit: str = "") -> Callable[[str], int]:
    """Return what reads a whole number between two limits."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else -1  # noqa: PLR2004
        if not at_least <= number <= at_most:
            message = f"must be a whole number{unit} from {at_least} to {at_most}"
            raise RefusedError(message)
        return number

    return read


def seconds(*, at_least: int = 1, at_most: int) -> Callable[[str], timedelta]:
    """Return what reads a duration between two limits, all in seconds."""
    number = whole_number(at_least=at_least, at_most=at_most, unit=" of seconds")
    return lambda text: timedelta(seconds=number(text))


def choice(*values: str) -> Callable[[str], str]:
    """Return what takes one of these texts."""
    return accepting(values.__contains__, f"must be {' or '.join(values)}")


def yes_or_no(text: str) -> bool:
    """Return whether it is true."""
    return choice("true", "false")(text) == "true"


def matching(pattern: str) -> Callable[[str], str]:
    """Return what takes a text that a pattern fits as a whole."""
    return accepting(re.compile(pattern).fullmatch, f"must match {pattern}")


def listen_address(text: str) -> tuple[str, int]:
    """Return an IP address and a port to listen on."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if is_ip_address(host) and _PORT.fullmatch(port) and int(port) <= _HIGHEST_PORT:
        return host, int(port)
    message = "must be an IP address and a port: 127.0.0.1:9464"
    raise RefusedError(message)


def network(entry: str) -> IPNetwork:
    """Return an entry of a list of IP networks."""
    try:
        return ipaddress.ip_network(entry)
    except ValueError:
        message = f"must list IP addresses or networks such as 10.0.0.0/8: {entry!r}"
        raise RefusedError(message) from None
