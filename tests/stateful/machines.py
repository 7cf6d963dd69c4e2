"""What machines do in a history: get tokens in their own name, and try what only people's may."""

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.stateful.history import INDEX, History, cautiously, pick, some
from tests.stateful.model import RESOURCE as OTHER
from tests.stateful.model import MachineToken
from tests.stateful.service import JOBS, RESOURCE

GRANT = {"grant_type": "client_credentials"}
WANTED = {None: None, "jobs": JOBS, OTHER: RESOURCE}
SCOPES = st.sampled_from(
    [
        frozenset(scopes.split())
        for scopes in ("", "", "jobs:read", "jobs:run", "jobs:read jobs:run", "openid", "unknown")
    ]
)


class Machines(History):
    """Steps of machines; after each step one of their tokens is tried."""

    @rule(index=INDEX, wanted=st.sampled_from([*WANTED]), scopes=SCOPES)
    def request_a_token(self, index, wanted, scopes):
        machine = pick(self.model.machines, index)
        form = GRANT | {"scope": " ".join(sorted(scopes))}
        if wanted is not None:
            form["resource"] = WANTED[wanted]
        status, answer = self.service.token(machine.id, machine.secret, **form)
        self.seen[f"machine {status}"] += 1
        if self.refused_client(machine, machine.secret, status, answer):
            return
        expected = self.model.machine_token(machine, wanted, scopes)
        if not isinstance(expected, MachineToken):
            assert (status, answer["error"]) == (400, expected)
            return
        assert status == 200, answer
        assert answer.keys() <= {"access_token", "token_type", "expires_in", "scope"}
        assert {*answer.get("scope", "").split()} == expected.scopes
        self.model.machine_tokens.append(replace(expected, value=answer["access_token"]))

    @some("families")
    @rule(index=INDEX, token=INDEX)
    def refresh_by_a_machine(self, index, token):
        machine, token = pick(self.model.machines, index), pick(self.model.refresh_tokens, token)
        form = {"grant_type": "refresh_token", "refresh_token": token.value}
        status, answer = self.service.token(machine.id, machine.secret, **form)
        if not self.refused_client(machine, machine.secret, status, answer):
            assert (status, answer["error"]) == (400, "unauthorized_client")

    @rule(index=INDEX)
    def request_a_token_by_a_client_of_people(self, index):
        client = pick(self.model.clients, index)
        status, answer = self.service.token(client.id, client.secret, **GRANT)
        if not self.refused_client(client, client.secret, status, answer):
            assert (status, answer["error"]) == (400, "unauthorized_client")

    @some("machine_tokens")
    @rule(index=INDEX, other=INDEX)
    def introspect_a_machine_token(self, index, other):
        everyone = [*self.model.clients, *self.model.machines]
        self.check_machine_token(pick(self.model.machine_tokens, index), pick(everyone, other))

    def check_machine_token(self, token, client):
        status, answer = self.service.introspect(client.id, client.secret, token.value)
        if client.secret is None:
            assert (status, answer["error"]) == (401, "invalid_client")
        elif not self.refused_client(client, client.secret, status, answer):
            assert status == 200
            assert answer["active"] == (token.valid and token.client is client)
            self.seen[f"machine token active {answer['active']}"] += 1
            if answer["active"]:
                assert answer["sub"] == answer["client_id"] == client.id
                assert answer["aud"] == (JOBS if token.for_jobs else RESOURCE)
                assert {*answer["scope"].split()} == token.scopes
                assert answer["exp"] == int(token.expires_at.timestamp())

    @some("machine_tokens")
    @rule(index=INDEX, other=INDEX, by_another=st.booleans())
    @cautiously(1)
    def revoke_a_machine_token(self, index, other, by_another):
        token = pick(self.model.machine_tokens, index)
        everyone = [*self.model.clients, *self.model.machines]
        client = pick(everyone, other) if by_another else token.client
        status, answer = self.service.revoke(client.id, client.secret, token.value)
        if not self.refused_client(client, client.secret, status, answer):
            assert (status, answer) == (200, {})
            token.revoked |= token.client is client and token.valid

    @invariant()
    def a_machine_token_is_as_the_model_says(self):
        if self.model.machine_tokens:
            token = pick(self.model.machine_tokens, self.steps)
            self.check_machine_token(token, token.client)
            status, answer = self.service.userinfo(token.value)
            assert (status, answer["error"]) == (401, "invalid_token")
