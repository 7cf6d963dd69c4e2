"""``authservice verify``: whether a deployed service works, as seen from outside."""

import argparse
import ssl

from authservice.cli import findings
from authservice.cli.arguments import Once
from authservice.settings.hosts import host_of, is_loopback
from authservice.settings.parsing import is_origin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("url", type=_address, help="its public address, https://auth.example.com")
    parser.add_argument(
        "--callback",
        action=Once,
        type=_callback,
        metavar="URL",
        help="the callback address that the identity provider knows"
        " (the public address with /api/auth/callback/github)",
    )
    parser.add_argument(
        "--ca-bundle",
        action=Once,
        type=_authorities,
        metavar="FILE",
        help="PEM file of the authorities to trust instead of the public ones",
    )
    findings.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Examine everything, and end with status 1 where the service does not work."""
    # Imported here: the other commands need no HTTP client.
    from authservice.diagnosis import after  # noqa: PLC0415
    from authservice.diagnosis.site import Site  # noqa: PLC0415

    callback = options.callback or f"{options.url}/api/auth/callback/github"
    with Site.at(options.url, callback, options.ca_bundle) as site:
        results = after.examine(site)
    findings.report(results, options)


def _address(text: str) -> str:
    url = text.rstrip("/")
    local = is_origin(url) and is_loopback(host_of(url))
    if not is_origin(url) or not (url.startswith("https://") or local):
        message = "must be scheme and host only, such as https://auth.example.com"
        raise argparse.ArgumentTypeError(message)
    return url


def _callback(text: str) -> str:
    if not text.startswith(("https://", "http://")) or "/api/auth/callback/" not in text:
        message = "must be an address such as https://auth.example.com/api/auth/callback/github"
        raise argparse.ArgumentTypeError(message)
    return text


def _authorities(file: str) -> str:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError as error:
        # OpenSSL's words for a file without certificates do not help.
        reason = "it holds no certificates" if isinstance(error, ssl.SSLError) else error.strerror
        raise argparse.ArgumentTypeError(f"{file} cannot be used: {reason}") from None
    return file
