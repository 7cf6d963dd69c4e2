"""A history: random steps in time, made by the service and by the model alike.

What people, clients and tokens do in it stands in the modules beside this one.
"""

import base64
import hashlib
from datetime import timedelta
from functools import wraps

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from authservice import clock
from authservice.services.clients.clients import MACHINE
from tests.stateful import model
from tests.stateful.model import Client, Machine, Model, Session
from tests.stateful.service import JOBS, RESOURCE

INDEX = st.sampled_from([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 6, 9, 14, 22])  # newest first
PERSONS = ("ada", "grace")


def pick(items, index):
    return items[-1 - index % len(items)]


def stored_as(token):
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()


def milliseconds(moment):
    return round(moment.timestamp() * 1000)


def some(name):
    """Let a rule wait until there is something of this kind."""
    return precondition(lambda self: getattr(self.model, name))


def cautiously(harm):
    """Let a rule pass only where enough was made before: it leaves less to look at."""

    def decorate(act):
        @wraps(act)
        def counted(self, **drawn):
            self.harm += harm
            act(self, **drawn)

        return precondition(lambda self: 2 * self.harm < len(self.model.codes))(counted)

    return decorate


class History(RuleBasedStateMachine):
    """What is common to all steps, the passing of time, and what holds after each step."""

    def __init__(self, service, turnable_clock, rows, seen):
        super().__init__()
        self.service, self.clock, self.rows, self.seen = service, turnable_clock, rows, seen
        self.clock.moment = self.seen["start"]
        self.model, self.steps, self.harm, self.known = Model(), -1, 0, {}
        service.clear()
        self.persons = {name: service.person(name) for name in PERSONS}
        self.register(id_token_signed_response_alg="EdDSA")
        self.register(id_token_signed_response_alg="EdDSA", skip_consent=True)
        self.register(id_token_signed_response_alg="ES256", public=True)
        self.register_machine()
        self.register_machine("jobs:read")
        self.sign_in("ada")

    def register(self, **choices):
        client_id, secret = self.service.register(**choices)
        self.model.clients.append(Client(client_id, secret, choices.get("skip_consent", False)))

    def register_machine(self, *scopes):
        kind = {"redirect_uris": (), "resources": (JOBS, RESOURCE), "grant_types": MACHINE}
        client_id, secret = self.service.register(**kind, scopes=scopes or None)
        allowed = frozenset(scopes or ("jobs:read", "jobs:run"))
        self.model.machines.append(Machine(client_id, secret, skip_consent=False, scopes=allowed))

    @rule(name=st.sampled_from(PERSONS))
    def sign_in(self, name):
        person = self.persons[name]
        created = self.service.sign_in(person)
        now = clock.now()
        self.model.sessions.append(Session(person.id, created.id, now + model.SESSION, now))

    def refused_client(self, client, secret, status, answer):
        """Tell whether the client could not show who it is; the answer must say the same."""
        refused = not client.accepts(secret)
        assert refused == (status == 401), (status, answer)
        assert not refused or answer["error"] == "invalid_client"
        return refused

    @rule(seconds=st.sampled_from([0.001, 0.001, 1, 1, 3, 9, 10, 11, 45]))
    def wait(self, seconds):
        self.clock.advance(seconds=seconds)

    @rule(hours=st.sampled_from([1, 1, 1, 25, 25, 24 * 6, 24 * 29]))
    @cautiously(1)
    def wait_long(self, hours):
        self.clock.advance(hours=hours)

    @rule(nth=st.sampled_from([0, 0, 0, 1, 1, 2, 4, 8]), offset=st.sampled_from([-1, 0, 1]))
    @cautiously(0.3)
    def wait_for_an_end(self, nth, offset):
        moved = timedelta(milliseconds=offset)
        ends = sorted({end + moved for end in self._ends() if end + moved > clock.now()})
        if ends and ends[nth % len(ends)] - clock.now() < timedelta(days=2):
            self.clock.moment = ends[nth % len(ends)]

    def _ends(self):
        known = self.model
        tokens = (*known.access_tokens, *known.refresh_tokens, *known.machine_tokens)
        for thing in (*known.codes, *tokens, *known.families):
            yield thing.expires_at
        for session in known.sessions:
            yield session.expires_at
            yield session.updated_at + model.SESSION_UPDATE
        for token in known.refresh_tokens:
            if token.rotated_at is not None:
                yield token.rotated_at + model.GRACE
        for client in (*known.clients, *known.machines):
            if client.previous_secret is not None:
                yield client.previous_until

    @invariant()
    def the_stored_tokens_are_those_of_the_model(self):
        now = milliseconds(clock.now())
        leaves = self.rows.execute(
            "SELECT token, expires_at FROM oauth_refresh_token"
            f" WHERE revoked IS NULL AND expires_at > {now} AND token <> ''"
        ).fetchall()
        live = [
            token
            for family in self.model.families
            for token in family.tokens
            if not family.revoked and token.rotated_at is None and token.expires_at > clock.now()
        ]
        assert dict(leaves) == self._as_stored(live)
        found = self.rows.execute(
            f"SELECT id, expires_at FROM oauth_access_token WHERE expires_at > {now}"
        )
        tokens = (*self.model.access_tokens, *self.model.machine_tokens)
        stored = [token for token in tokens if token.stored]
        assert dict(found.fetchall()) == self._as_stored(stored)

    def _as_stored(self, tokens):
        for token in tokens:
            if token not in self.known:
                self.known[token] = stored_as(token.value), milliseconds(token.expires_at)
        return dict(self.known[token] for token in tokens)
