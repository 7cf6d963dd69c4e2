"""What one person and one client do meanwhile: each step believes only what was answered.

A step that was not answered may have happened. What it was about is read again where the service
promises an answer to that, a refresh token within its grace, and given up otherwise.
"""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from tools.bench.driver.browser import Browser
from tools.bench.driver.flow import Flow
from tools.bench.driver.http11 import Answer
from tools.bench.driver.wire import perform
from tools.bench.people.population import Client
from tools.prove import requests
from tools.prove.caller import Caller, UnansweredError
from tools.prove.ledger import Family, Ledger

# What is acknowledged, by the names under which the ledger counts it.
STEPS = {
    "checks",
    "codes",
    "codes sent twice",
    "redemptions",
    "refreshes",
    "revocations",
    "sign-ins",
    "sign-outs",
}
_SESSIONS = 4
_FAMILIES = 12
# Less than the service's own ten seconds, within which a used refresh token is answered again.
_GRACE = 8.0


class Walk:
    """One person's browser and one client's back end."""

    def __init__(
        self, host: str, client: Client, callers: tuple[Caller, Caller], ledger: Ledger, seed: int
    ) -> None:
        self._host = host
        self._client = client
        self._caller, self._other = callers
        self._ledger = ledger
        self._chance = random.Random(seed)
        self._sessions: list[str] = []
        self._families: list[Family] = []

    def go(self, stop: Event) -> None:
        """Take steps until told to stop; what is alive then is left in the ledger."""
        steps: list[tuple[Callable[[], None], int]] = [
            (self._sign_in, 2),
            (self._fetch_tokens, 6),
            (self._refresh, 10),
            (self._refresh_twice, 2),
            (self._redeem_twice, 1),
            (self._use, 10),
            (self._revoke, 1),
            (self._sign_out, 1),
        ]
        choices, weights = zip(*steps, strict=True)
        with ThreadPoolExecutor(1) as self._beside:
            while not stop.is_set():
                (step,) = self._chance.choices(choices, weights)
                try:
                    step()
                except UnansweredError:
                    continue
                except Exception as error:  # noqa: BLE001  (whatever came is not what was promised)
                    self._ledger.lost(f"{step.__name__}: {error!r}")
        self._ledger.alive += self._sessions
        self._ledger.families += self._families

    def _sign_in(self) -> None:
        browser = Browser(self._host)
        perform(browser.sign_in(), self._caller.send)
        self._ledger.acknowledge("sign-ins")
        self._sessions = [*self._sessions, browser.cookies][-_SESSIONS:]

    def _fetch_tokens(self) -> None:
        if not self._sessions:
            return
        redemption = self._authorized()
        family = self._family(redemption, self._caller.send(redemption[1]))
        self._families = [*self._families, family][-_FAMILIES:]

    def _redeem_twice(self) -> None:
        """Send one code to two processes at the same moment: at most one gets tokens."""
        if not self._sessions:
            return
        redemption = self._authorized()
        answers = self._both(redemption[1])
        given = [answer for answer in answers if answer is not None and answer.status == 200]
        self._ledger.acknowledge("codes sent twice")
        if len(given) > 1:
            self._ledger.lost("a code was spent twice")

    def _authorized(self) -> tuple[Flow, bytes, str]:
        cookies = self._chance.choice(self._sessions)
        flow = Flow(self._host, self._client)
        answer = self._caller.send(flow.authorization_request(cookies))
        self._ledger.acknowledge("codes")
        return flow, flow.token_request(answer), cookies

    def _family(self, redemption: tuple[Flow, bytes, str], answer: Answer) -> Family:
        flow, request, cookies = redemption
        grant = flow.grant(answer)
        self._ledger.acknowledge("redemptions")
        return Family(request, grant.access_token, grant.refresh_token, cookies)

    def _refresh(self) -> None:
        family = self._any_family()
        if family is None:
            return
        request = requests.refresh(self._host, self._client, family.refresh_token)
        began = time.monotonic()
        while True:
            try:
                answer = self._caller.send(request)
                break
            except UnansweredError:
                if time.monotonic() - began > _GRACE:
                    self._families.remove(family)
                    raise
        if answer.status != 200:
            self._families.remove(family)
            if time.monotonic() - began < _GRACE:
                self._ledger.lost(f"an acknowledged refresh token was refused: {answer.body!r}")
            return
        self._take(family, answer)

    def _refresh_twice(self) -> None:
        """Refresh at two processes at the same moment: both are to get the same successor."""
        family = self._any_family()
        if family is None:
            return
        began = time.monotonic()
        answers = self._both(requests.refresh(self._host, self._client, family.refresh_token))
        given = [answer for answer in answers if answer is not None]
        successors = {
            requests.content(answer)["refresh_token"] for answer in given if answer.status == 200
        }
        if len(successors) > 1:
            self._ledger.lost("a refresh token was spent twice")
        late = time.monotonic() - began > _GRACE
        if not successors:
            self._families.remove(family)
            if given and not late:
                self._ledger.lost(f"an acknowledged refresh token was refused: {given[0].body!r}")
            return
        self._take(family, next(answer for answer in given if answer.status == 200))

    def _take(self, family: Family, answer: Answer) -> None:
        tokens = requests.content(answer)
        family.refresh_token, family.access_token = tokens["refresh_token"], tokens["access_token"]
        self._ledger.acknowledge("refreshes")

    def _use(self) -> None:
        """Ask for what is known: a session that was begun, a token that was given."""
        if self._sessions:
            cookies = self._chance.choice(self._sessions)
            if requests.content(self._caller.send(requests.session(self._host, cookies))) is None:
                self._sessions.remove(cookies)
                self._ledger.lost("an acknowledged session is unknown")
        family = self._any_family()
        if family is not None and family.cookies in self._sessions:
            self._ask_about(family)

    def _ask_about(self, family: Family) -> None:
        question = requests.introspect(self._host, self._client, family.access_token)
        if not requests.content(self._caller.send(question))["active"]:
            self._families.remove(family)
            self._ledger.lost("an acknowledged access token is unknown")
        self._ledger.acknowledge("checks")

    def _revoke(self) -> None:
        family = self._any_family()
        if family is None:
            return
        self._families.remove(family)
        answer = self._caller.send(requests.revoke(self._host, self._client, family.refresh_token))
        if answer.status != 200:
            self._ledger.lost(f"a revocation was refused: {answer.body!r}")
            return
        self._ledger.acknowledge("revocations")
        self._ledger.revoked.append(family)

    def _sign_out(self) -> None:
        if len(self._sessions) < 2:
            return
        cookies = self._sessions.pop(0)
        self._families = [family for family in self._families if family.cookies != cookies]
        answer = self._caller.send(requests.sign_out(self._host, cookies))
        if answer.status != 200:
            self._ledger.lost(f"a sign-out was refused: {answer.body!r}")
            return
        self._ledger.acknowledge("sign-outs")
        self._ledger.ended.append(cookies)

    def _both(self, request: bytes) -> list[Answer | None]:
        def sent(caller: Caller) -> Answer | None:
            try:
                return caller.send(request)
            except UnansweredError:
                return None

        beside = self._beside.submit(sent, self._other)
        return [sent(self._caller), beside.result()]

    def _any_family(self) -> Family | None:
        return self._chance.choice(self._families) if self._families else None
