"""``authservice admission``: renew the numbers of names in rules, and test the rules."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection

from authservice.cli import confirmation, database, ini_file, rule_decisions
from authservice.cli.arguments import Once, fail, misused
from authservice.cli.client_arguments import add_dry_run
from authservice.cli.commands import event_log
from authservice.cli.ini_file import IniFile
from authservice.cli.rule_decisions import RuleDecision, Says
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app.app_memberships import AppMemberships
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.public_api import PublicApi
from authservice.services.admission import client_rules, pins, stored_people
from authservice.services.admission.decision import Pin
from authservice.services.admission.pins import Renewal
from authservice.services.admission.stored_people import StoredPerson
from authservice.services.people.memberships import Group, Memberships
from authservice.settings import AuthSettings, SettingsError, load_settings
from authservice.settings.admission import rules
from authservice.settings.admission.rules import Rule, RuleError, RuleKind


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands and their arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    pinning = commands.add_parser(
        "pin",
        help="ask the provider for the number that a name has now, and pin it",
        allow_abbrev=False,
    )
    pinning.add_argument(
        "rule",
        nargs="*",
        metavar="RULE",
        help="such as org:acme; without one, those of the settings and of clients",
    )
    pinning.add_argument(
        "--number",
        action=Once,
        metavar="NUMBER",
        help="pin this number and ask nobody, for a name that the provider does not show",
    )
    ini_file.add_arguments(pinning)
    add_dry_run(pinning)
    confirmation.add_arguments(pinning)
    pinning.set_defaults(run=_pin)
    testing = commands.add_parser(
        "test", help="what each rule says to an account, and why", allow_abbrev=False
    )
    testing.add_argument("login", metavar="LOGIN", help="the account's login at the provider")
    ini_file.add_arguments(testing)
    testing.set_defaults(run=_test)


def _pin(options: argparse.Namespace) -> None:
    ini = ini_file.chosen(options)
    named = [_named(entry) for entry in dict.fromkeys(options.rule)]
    if options.number is not None:
        _require_number_of_one(named, options.number)
    settings = _settings(ini)
    with database.local_database(ini, writes=True) as opened:
        event_log.begin(ini.path)
        database.require_migrated(opened, ini)
        wanted = named or _all_names(settings, opened.reader)
        stored = pins.all_pins(opened.reader)
        with _asking():
            # Before anything is written: no other writer waits for the provider.
            numbers = _Numbers(settings, stored)
            planned = [
                Renewal(rule, stored.get(str(rule)), options.number or numbers.now(rule))
                for rule in wanted
            ]
        hidden = [each for each in planned if each.number is None]
        if named and hidden:
            fail(f"{hidden[0]}; nothing was written")
        changes = [each for each in planned if each.changes]
        if any(each.takes_back for each in changes):
            confirmation.confirm(options, _what_happens(changes))
        with opened.begin(dry_run=options.dry_run) as transaction:
            for each in changes:
                number = str(each.number)
                if not pins.renew(transaction.connection, each.rule, each.stored, number):
                    fail(f"{each.rule} was changed meanwhile; nothing was written")
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
    if options.json:
        print(json.dumps([each.content() for each in planned]))
        return
    for each in planned:
        print(each)


def _require_number_of_one(named: Sequence[Rule], number: str) -> None:
    if len(named) != 1:
        misused("--number is that of one RULE, which has to be named")
    try:
        rules.parse(f"{RuleKind.ID}:{number}")
    except RuleError:
        misused(f"--number {number!r} must be a number of the identity provider, such as 583231")


def _all_names(settings: AuthSettings, reader: Connection) -> list[Rule]:
    of_settings = [rule for rule in pins.named_rules(settings) if rule.names]
    return list(dict.fromkeys((*of_settings, *client_rules.names(reader))))


class _Numbers:
    """Asks which numbers names have now."""

    def __init__(self, settings: AuthSettings, stored: Mapping[str, Pin]) -> None:
        self._public = PublicApi(settings)
        self._app = AppMemberships.of(settings, lambda: stored)

    def now(self, rule: Rule) -> str | None:
        """Return the number of a name; None for a team, where no GitHub App can read it."""
        if rule.kind is not RuleKind.TEAM:
            number = self._public.number_of(rule)
        elif self._app is None:
            return None
        else:
            calls = self._app.installations.calls(_APP_SECONDS)
            try:
                number = self._app.number_of_team(calls, rule)
            except UnreadableError as error:
                why = f"the GitHub App cannot read the organization ({error.reason})"
                fail(f"{rule}: {why}; nothing was written")
        if number is None:
            fail(f"{rule}: nobody has that name at the identity provider; nothing was written")
        return number


def _what_happens(changes: Sequence[Renewal]) -> str:
    return "\n".join(
        (
            "Make sure that these names are the ones you mean:",
            *(f"  {each}" for each in changes),
            "Those whom they let in under the former number have to be confirmed again.",
        )
    )


def _test(options: argparse.Namespace) -> None:
    ini = ini_file.chosen(options)
    settings = _settings(ini)
    with database.local_database(ini, writes=False) as opened, _asking():
        database.require_migrated(opened, ini)
        provider = PublicApi(settings)
        account = provider.account(options.login)
        if account is None:
            fail(f"there is no account {options.login} at the identity provider")
        known = stored_people.find(opened.reader, settings.provider.id, account.number)
        stored = pins.all_pins(opened.reader)
        shown = _seen_by_app(settings, stored, account)
        given = rule_decisions.of_rules(settings, stored, account, known, provider, shown)
    if options.json:
        print(json.dumps(_content(account, known, given)))
        return
    print(f"{account.name} is account {account.number}.")
    for decided in given:
        print(decided)
    if known is not None:
        print(f"It is user {known.user_id}, {_last_admitted(known)}.")
    print(_CONCLUSIONS[rule_decisions.overall(given)])


def _seen_by_app(
    settings: AuthSettings, stored: Mapping[str, Pin], account: Group
) -> Memberships | None:
    """Return the groups that the GitHub App of the settings sees; None where there is no App."""
    app = AppMemberships.of(settings, lambda: stored)
    if app is None:
        return None
    return app.of_person(app.installations.calls(_APP_SECONDS), account.number, account.name)


_APP_SECONDS = 30.0
_CONCLUSIONS = {
    Says.LETS_IN: "It may sign in.",
    Says.DOES_NOT: "It may not sign in.",
    Says.UNKNOWN: "Only a sign-in can tell whether it may.",
}


def _content(
    account: Group, known: StoredPerson | None, given: Sequence[RuleDecision]
) -> dict[str, object]:
    return {
        "login": account.name,
        "account_id": account.number,
        "conclusion": rule_decisions.overall(given),
        "rules": [{"rule": each.rule, "says": each.says, "why": each.why} for each in given],
        "user_id": None if known is None else known.user_id,
        "admitted_by": None if known is None else known.admitted_by,
        "admitted_at": None
        if known is None or known.admitted_at is None
        else known.admitted_at.isoformat(),
    }


def _last_admitted(known: StoredPerson) -> str:
    if known.admitted_at is None:
        return "who is not admitted now"
    return f"admitted by {known.admitted_by} at {known.admitted_at.isoformat()}"


def _named(entry: str) -> Rule:
    try:
        rule = rules.parse(entry)
    except RuleError as error:
        misused(str(error))
    if not rule.names:
        misused(f"{entry} has no name that could change its number")
    return rule


def _settings(ini: IniFile) -> AuthSettings:
    try:
        settings = load_settings(ini.settings(), os.environ)
    except SettingsError as error:
        fail("; ".join(str(problem) for problem in error.problems))
    if settings.local_mode:
        fail("local mode has accounts of its own and asks no provider; use --config")
    return settings


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except SignInFailedError as error:
        fail(f"the identity provider does not say: {error}; nothing was written")
