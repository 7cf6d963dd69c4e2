"""``authservice oauth:register``: register an OAuth client, and print its secret exactly once.

There is no other way to create a client: no HTTP endpoint does. Neither AUTH_SECRET nor a
provider's secret is read, so the command can run where they are not.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from authservice.cli import client_arguments, database, without_effect
from authservice.cli.arguments import Switch, fail, misused
from authservice.services.clients import client_metadata, client_registration, clients
from authservice.services.clients.client_metadata import ClientMetadata


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run, registers=True)
    client_arguments.add_database(parser)
    client_arguments.add_dry_run(parser)
    client_arguments.add_metadata(parser, required=True)
    parser.add_argument(
        "--public", action=Switch, help="the client cannot keep a secret and gets none"
    )
    parser.add_argument(
        "--resource-server",
        action=Switch,
        help="the client is an API, which may only introspect tokens for its resources; has --name,"
        " --resource, --jwks, --jwks-uri and --requests-per-minute alone",
    )
    parser.add_argument(
        "--machine",
        action=Switch,
        help="the client is a program without a person, which gets tokens in its own name; has"
        " --name, --resource (required), --scope, --jwks, --jwks-uri and --requests-per-minute"
        " alone",
    )


def run(options: argparse.Namespace) -> None:
    """Register the client; nothing is written unless all of it is, then the secret is printed."""
    metadata = ClientMetadata(
        **client_arguments.metadata(options),
        public=options.public,
        grant_types=_grant_types(options),
    )
    problems = metadata.problems()
    if problems:
        fail("; ".join(problems))
    with database.writing(options) as transaction:
        registered_algs = clients.registered_algs(transaction.connection)
        client_id, secret = client_registration.register(transaction, metadata)
    client_arguments.remark_on_key_set(options, registered_algs)
    columns = metadata.columns()
    without_effect.remark(options, client_id, columns)
    content = client_metadata.as_registered(client_id, columns)
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
        # The next client gets another id, and a secret of its own.
        del content["client_id"]
        if options.json:
            print(json.dumps(content))
        return
    if secret is not None:
        content["client_secret"] = secret
    sys.stdout.write(_text(content, as_json=options.json))
    if secret is not None:
        sys.stderr.write(
            "The secret is shown this once: store it in the client's secret manager.\n"
        )


def _grant_types(options: argparse.Namespace) -> Sequence[str]:
    """Return those of the kind of client that is registered."""
    if options.resource_server and options.machine:
        misused("--resource-server and --machine are two clients: register each by itself")
    if options.resource_server:
        return clients.RESOURCE_SERVER
    if options.machine:
        return clients.MACHINE
    if not options.redirect_uri:
        misused(
            "--redirect-uri is missing; only an API (--resource-server) and a program without a"
            " person (--machine) need none"
        )
    return clients.FOR_PEOPLE


def _text(content: dict[str, object], *, as_json: bool) -> str:
    if as_json:
        return json.dumps(content) + "\n"
    names = [name for name in ("client_id", "client_secret") if name in content]
    return "".join(f"{name}: {content[name]}\n" for name in names)
