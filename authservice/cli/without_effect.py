"""What commands say of a client's metadata where the settings leave it without effect."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from authservice.cli import ini_file
from authservice.services.admission.client_rules import WhatIsRead
from authservice.services.clients.clients import in_vain
from authservice.settings import SettingsError, load_resources, load_what_rules_go_by


def remark(options: argparse.Namespace, columns: Mapping[str, Any]) -> None:
    """Say on standard error what a client has in vain, if the settings can be read here."""
    if options.remote:
        return
    ini = ini_file.chosen(options).settings()
    _remark_on_people(ini, columns["allow"] or ())
    # Without a file nothing says which resources there are.
    if ini and columns["resources"]:
        _remark_on_resources(ini, columns["resources"], columns["scopes"])


def _remark_on_resources(
    ini: Mapping[str, str], resources: Sequence[str], scopes: Sequence[str]
) -> None:
    try:
        described = load_resources(ini, os.environ)
    except SettingsError:
        # The start of the service says what is wrong with them.
        return
    uris, others = in_vain(resources, scopes, described)
    for uri in uris:
        sys.stderr.write(f"No tokens are issued for {uri}: auth.resources does not have it.\n")
    for scope in others:
        sys.stderr.write(f"{scope} is ignored: it is no scope of a resource of the client.\n")


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
