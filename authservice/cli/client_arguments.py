"""The flags that describe a client, shared by registering and updating one."""

import argparse
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from authservice.cli import ini_file
from authservice.cli.arguments import Once, Switch, fail
from authservice.crypto.algorithms import ALGORITHMS, DEFAULT_ALG
from authservice.services.clients.clients import SCOPES


def add_database(parser: argparse.ArgumentParser) -> None:
    """Declare which database a command works on, and how it prints."""
    parser.add_argument(
        "--remote", action=Switch, help="use AUTH_REMOTE_DATABASE_URL, and no other setting"
    )
    ini_file.add_arguments(parser)


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """Declare the switch that tries a change without keeping it."""
    parser.add_argument("--dry-run", action=Switch, help="check everything, write nothing")


def add_metadata(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declare the flags of a client's metadata."""
    add = parser.add_argument
    add("--name", action=Once, required=required, help="the name that people are shown")
    add(
        "--redirect-uri",
        action="append",
        metavar="URI",
        help="where answers may be sent, exactly; repeatable"
        + (" (required without --resource-server and --machine)" if required else ""),
    )
    add(
        "--post-logout-redirect-uri",
        action="append",
        metavar="URI",
        help="where people may be sent after signing out, exactly; repeatable",
    )
    add(
        "--scope",
        action="append",
        metavar="NAME",
        help=f"what it may ask for ({' '.join(SCOPES)}, and all of its resources); repeatable",
    )
    add(
        "--resource",
        action="append",
        metavar="URI",
        help="what it may have tokens for, or introspect them as a resource server, of"
        " auth.resources (none; '' for none); repeatable",
    )
    add(
        "--allow",
        action="append",
        metavar="ENTRY",
        help="whom it is for, besides what admission says: org:NAME, team:ORGANIZATION/TEAM,"
        " user:LOGIN, id:NUMBER or domain:NAME (everyone; '' for everyone); repeatable",
    )
    add(
        "--jwks",
        action=Once,
        metavar="FILE",
        help="its public keys, a JSON Web Key Set: it proves itself with a private one"
        " (private_key_jwt), and has no secret",
    )
    add("--jwks-uri", action=Once, metavar="URL", help="where its public keys are instead")
    add("--id-token-alg", action=Once, choices=ALGORITHMS, help="signs its ID tokens (RS256)")
    add("--userinfo-alg", action=Once, choices=ALGORITHMS, help="signs userinfo as a JWT")
    add("--backchannel-logout-uri", action=Once, metavar="URI", help="told when a session ends")
    add(
        "--requests-per-minute",
        action=Once,
        type=int,
        metavar="N",
        help="how often it may ask each endpoint with success (600)",
    )
    for name, help_text in _SWITCHES.items():
        action = Switch if required else argparse.BooleanOptionalAction
        add(f"--{name}", action=action, help=help_text)


_SWITCHES = {
    "skip-consent": "never ask for consent; only for your own applications, and none on devices",
    "enable-end-session": "let the client sign people out",
    "minimal-id-token": "leave profile, email and groups to userinfo",
    "groups": "let it ask for the scope groups: the organizations and teams of a person",
}


def metadata(options: argparse.Namespace) -> dict[str, Any]:
    """Return the metadata that was given, and nothing that was not."""
    given = {
        "name": options.name,
        "redirect_uris": options.redirect_uri,
        "post_logout_redirect_uris": options.post_logout_redirect_uri,
        "scopes": None if options.scope is None else tuple(" ".join(options.scope).split()),
        "resources": None if options.resource is None else tuple(filter(None, options.resource)),
        "allow": None if options.allow is None else _entries(options.allow),
        "id_token_signed_response_alg": options.id_token_alg,
        "userinfo_signed_response_alg": options.userinfo_alg,
        "backchannel_logout_uri": options.backchannel_logout_uri,
        "requests_per_minute": options.requests_per_minute,
        "skip_consent": options.skip_consent,
        "enable_end_session": options.enable_end_session,
        "minimal_id_token": options.minimal_id_token,
        "groups": options.groups,
        "jwks": None if options.jwks is None else _key_set(options.jwks),
        "jwks_uri": options.jwks_uri,
    }
    return {name: value for name, value in given.items() if value is not None}


def remark_on_key_set(options: argparse.Namespace, registered_algs: Collection[str]) -> None:
    """Say on standard error which keys no client needed so far, and when all will know them."""
    chosen = {options.id_token_alg, options.userinfo_alg} - {None, DEFAULT_ALG, *registered_algs}
    for alg in sorted(chosen):
        sys.stderr.write(
            f"{alg} is new to the key set: it is there within a minute, but copies without it may"
            " be cached for ten minutes more, and by some clients for an hour.\n"
        )


def _entries(allowed: list[str]) -> tuple[str, ...]:
    """Return the entries of a list; a blank one alone empties it, beside others it is a mistake."""
    return () if allowed == [""] else tuple(allowed)


def _key_set(file: str) -> object:
    """Return the JSON of a file; ends the program where there is none."""
    # Imported when it is needed: the library takes as long as a whole command.
    from authservice.crypto import public_keys  # noqa: PLC0415

    try:
        return public_keys.read(Path(file).read_bytes())
    except OSError as error:
        fail(f"--jwks {file!r} cannot be read: {error.strerror}")
    except ValueError as error:
        fail(f"--jwks {file!r}: {error}")
