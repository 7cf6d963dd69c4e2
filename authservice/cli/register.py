"""``authservice-register``: register an OAuth client, and print its secret exactly once.

There is no other way to create a client: no HTTP endpoint does. Neither AUTH_SECRET nor a
provider's secret is read, so the command can run where they are not.
"""

import argparse
import json
import sys

from authservice.cli import database
from authservice.cli.arguments import Once, Parser, Switch, fail
from authservice.services import client_registration
from authservice.services.clients import SCOPES, ClientRegistration

SUMMARY = "register an OAuth client"


def main(arguments: list[str] | None = None) -> None:
    """Run ``authservice-register``."""
    parser = Parser(prog="authservice-register", description=SUMMARY, allow_abbrev=False)
    add_arguments(parser)
    run(parser.parse_args(sys.argv[1:] if arguments is None else arguments))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--remote", action=Switch, help="use AUTH_REMOTE_DATABASE_URL, and no other setting")
    add("--config", action=Once, metavar="INI", help="the ini file (./local.ini)")
    add("--name", action=Once, required=True, help="the name that people are shown")
    add(
        "--redirect-uri",
        action="append",
        required=True,
        metavar="URI",
        help="where answers may be sent, exactly; repeatable",
    )
    add(
        "--post-logout-redirect-uri",
        action="append",
        default=[],
        metavar="URI",
        help="where people may be sent after signing out, exactly; repeatable",
    )
    add("--skip-consent", action=Switch, help="never ask; only for applications of your own")
    add("--enable-end-session", action=Switch, help="let the client sign people out")
    add("--public", action=Switch, help="the client cannot keep a secret and gets none")
    add("--json", action=Switch, help="print one JSON object")


def run(options: argparse.Namespace) -> None:
    """Register the client; nothing is written unless all of it is, then the secret is printed."""
    registration = ClientRegistration(
        name=options.name,
        redirect_uris=options.redirect_uri,
        post_logout_redirect_uris=options.post_logout_redirect_uri,
        skip_consent=options.skip_consent,
        enable_end_session=options.enable_end_session,
        public=options.public,
    )
    problems = registration.problems()
    if problems:
        fail("; ".join(problems))
    if options.remote and options.config:
        fail("--config does not go with --remote, which reads AUTH_REMOTE_DATABASE_URL only")
    source = (
        database.remote_database() if options.remote else database.local_database(options.config)
    )
    with source as opened:
        database.require_migrated(opened)
        with opened.transaction() as connection:
            client_id, secret = client_registration.register(connection, registration)
    sys.stdout.write(
        _as_json(registration, client_id, secret) if options.json else _as_text(client_id, secret)
    )
    if secret is not None:
        sys.stderr.write(
            "The secret is shown this once: store it in the client's secret manager.\n"
        )


def _as_text(client_id: str, secret: str | None) -> str:
    lines = [f"client_id: {client_id}\n"]
    if secret is not None:
        lines.append(f"client_secret: {secret}\n")
    return "".join(lines)


def _as_json(registration: ClientRegistration, client_id: str, secret: str | None) -> str:
    content = {
        "client_id": client_id,
        **({"client_secret": secret} if secret is not None else {}),
        "client_name": registration.name.strip(),
        "redirect_uris": registration.redirect_uris,
        "post_logout_redirect_uris": registration.post_logout_redirect_uris,
        "token_endpoint_auth_method": "none" if registration.public else "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": " ".join(SCOPES),
        "skip_consent": registration.skip_consent,
        "enable_end_session": registration.enable_end_session,
        "require_pkce": True,
    }
    return json.dumps(content) + "\n"
