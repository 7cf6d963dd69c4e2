"""After the last kill: everything that was acknowledged, read once more."""

from tools.bench.driver.http11 import Answer
from tools.bench.people.population import Client
from tools.prove import requests
from tools.prove.caller import Caller
from tools.prove.ledger import Family, Ledger

# Of what has ended the newest are read: the rest was read by those who came before.
_NEWEST = 500


def audit(host: str, client: Client, caller: Caller, ledger: Ledger) -> int:
    """Note each promise that is not kept; return how many were looked at."""
    for cookies in ledger.alive:
        if requests.content(caller.send(requests.session(host, cookies))) is None:
            ledger.lost("an acknowledged session is unknown in the end")
    for cookies in ledger.ended[-_NEWEST:]:
        if requests.content(caller.send(requests.session(host, cookies))) is not None:
            ledger.lost("an ended session can be used")
    for family in ledger.families:
        if _refreshed(host, client, caller, family).status != 200:
            ledger.lost("an acknowledged refresh token is refused in the end")
        # What was spent long ago; it also takes back what came of it.
        if caller.send(family.code_request).status != 400:
            ledger.lost("a spent code was taken again")
    _audit_revoked(host, client, caller, ledger)
    return (
        len(ledger.alive)
        + len(ledger.ended[-_NEWEST:])
        + 2 * len(ledger.families)
        + 2 * len(ledger.revoked[-_NEWEST:])
    )


def _audit_revoked(host: str, client: Client, caller: Caller, ledger: Ledger) -> None:
    for family in ledger.revoked[-_NEWEST:]:
        if _refreshed(host, client, caller, family).status != 400:
            ledger.lost("a revoked refresh token can be used")
        question = requests.introspect(host, client, family.access_token)
        if requests.content(caller.send(question))["active"]:
            ledger.lost("an access token of a revoked family can be used")


def _refreshed(host: str, client: Client, caller: Caller, family: Family) -> Answer:
    return caller.send(requests.refresh(host, client, family.refresh_token))
