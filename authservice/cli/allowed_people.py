"""What commands say of a client's list where the settings leave entries without effect."""

import argparse
import os
import sys
from collections.abc import Sequence

from authservice.cli import ini_file
from authservice.services.admission.client_rules import WhatIsRead
from authservice.settings import SettingsError, load_what_rules_go_by


def remark(options: argparse.Namespace, allow: Sequence[str]) -> None:
    """Say on standard error which entries let nobody in, if the settings can be read here."""
    if options.remote or not allow:
        return
    try:
        organizations, trust_emails = load_what_rules_go_by(
            ini_file.chosen(options).settings(), os.environ
        )
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
