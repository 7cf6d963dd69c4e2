"""What commands say of a client's metadata where the settings leave it without effect."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from authservice.cli import ini_file
from authservice.services.admission.client_rules import WhatIsRead
from authservice.services.clients.clients import RESOURCE_SERVER, in_vain, may_introspect
from authservice.settings import SettingsError, load_resources, load_what_rules_go_by


def remark(options: argparse.Namespace, client_id: str, columns: Mapping[str, Any]) -> None:
    """Say on standard error what a client has in vain, if the settings can be read here."""
    if options.remote:
        return
    ini = ini_file.chosen(options).settings()
    _remark_on_people(ini, columns["allow"] or ())
    # Without a file nothing says which resources there are.
    if ini:
        _remark_on_resources(ini, client_id, columns)


def _remark_on_resources(
    ini: Mapping[str, str], client_id: str, columns: Mapping[str, Any]
) -> None:
    own, is_server = columns["resources"] or (), columns["grant_types"] == RESOURCE_SERVER
    if not (own or is_server):
        return
    try:
        described = load_resources(ini, os.environ)
    except SettingsError:
        # The start of the service says what is wrong with them.
        return
    uris, others = in_vain(own, columns["scopes"], described)
    for uri in uris:
        sys.stderr.write(f"No tokens are issued for {uri}: auth.resources does not have it.\n")
    for scope in others:
        sys.stderr.write(f"{scope} is ignored: it is no scope of a resource of the client.\n")
    if is_server and not any(may_introspect(each, client_id, own) for each in described.values()):
        sys.stderr.write(
            "This resource server may introspect no tokens: give it a resource of auth.resources"
            " with --resource URI.\n"
        )


def _remark_on_people(ini: Mapping[str, str], allow: Sequence[str]) -> None:
    if not allow:
        return
    try:
        organizations, trust_emails = load_what_rules_go_by(ini, os.environ)
    except SettingsError:
        # The start of the service says what is wrong with them.
        return
    read = WhatIsRead(organizations, trust_emails)
    for rule in read.unread(allow):
        sys.stderr.write(
            f"{rule} lets nobody in: neither admission.organizations nor claims.groups_from names"
            f" {rule.organization}.\n"
        )
    for rule in read.distrusted(allow):
        sys.stderr.write(f"{rule} lets nobody in: provider.trust_emails is not true.\n")
