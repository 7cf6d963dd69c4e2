"""``authservice verify``: whether a deployed service works, and an application behind it is closed.

Both are seen from outside.
"""

import argparse
import re
import ssl

from authservice.cli import findings
from authservice.cli.arguments import Once, misused
from authservice.settings.hosts import host_of, is_loopback, is_own_machine
from authservice.settings.parsing import is_origin

# What http.client sends as it is.
_APPLICATION = re.compile(r"([a-z]+://[^/?#]*)(/[^?#\x00-\x20\x7f-\U0010ffff]*)?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "url",
        nargs="?",
        type=_address,
        help="the public address of the service, https://auth.example.com",
    )
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
    parser.add_argument(
        "--forward",
        action=Once,
        type=_application,
        metavar="URL",
        help="an application behind forward authentication, https://app.example.com/:"
        " whether it is really closed",
    )
    parser.add_argument(
        "--upstream",
        action=Once,
        type=_host_and_port,
        metavar="HOST:PORT",
        help="where that application itself listens, as other machines would reach it",
    )
    findings.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Examine everything; end with status 1 where the service fails or the application is open."""
    # Imported here: the other commands need no HTTP client.
    from authservice.diagnosis import after, closed_application  # noqa: PLC0415
    from authservice.diagnosis.site import Site  # noqa: PLC0415

    if options.url is None and options.forward is None:
        misused("verify needs the public address of the service, --forward URL, or both")
    if options.callback is not None and options.url is None:
        misused("--callback needs the public address of the service")
    if options.upstream is not None and options.forward is None:
        misused("--upstream needs --forward URL")
    results = []
    if options.url is not None:
        callback = options.callback or f"{options.url}/api/auth/callback/github"
        with Site.at(options.url, options.ca_bundle, callback=callback) as site:
            results += after.examine(site)
    if options.forward is not None:
        origin, path = options.forward
        with Site.at(origin, options.ca_bundle) as site:
            examined = closed_application.ClosedApplication(
                site=site, path=path, service=options.url, upstream=options.upstream
            )
            results += closed_application.examine(examined)
    findings.report(results, options)


def _address(text: str) -> str:
    url = text.rstrip("/")
    if not _is_safe_origin(url):
        message = "must be scheme and host only, such as https://auth.example.com"
        raise argparse.ArgumentTypeError(message)
    return url


def _is_safe_origin(text: str) -> bool:
    return is_origin(text) and (text.startswith("https://") or is_loopback(host_of(text)))


def _application(text: str) -> tuple[str, str]:
    parts = _APPLICATION.fullmatch(text)
    if parts is None or not _is_safe_origin(parts[1]):
        message = "must be an https address without a query, such as https://app.example.com/"
        raise argparse.ArgumentTypeError(message)
    return parts[1], parts[2] or "/"


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    # An origin does not name the port that is usual for its scheme.
    if not port.isdecimal() or not any(is_origin(f"{each}://{text}") for each in ("http", "https")):
        raise argparse.ArgumentTypeError("must be host and port, such as app.example.com:3000")
    if is_own_machine(host):
        raise argparse.ArgumentTypeError("must be a host that other machines can reach")
    return host.strip("[]"), int(port)


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
