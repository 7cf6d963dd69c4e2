"""What becomes of clients in a history, by the commands that look after them."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.stateful.history import INDEX, History, cautiously, pick


class Clients(History):
    """Steps of those who look after the clients."""

    @rule(index=INDEX)
    @cautiously(1)
    def disable_client(self, index):
        self._set_disabled(index, disabled=True)

    @rule(index=INDEX)
    def enable_client(self, index):
        self._set_disabled(index, disabled=False)

    def _set_disabled(self, index, *, disabled):
        clients = [each for each in self._every() if each.disabled != disabled]
        clients = [each for each in clients if not each.deleted]
        if clients:
            client = pick(clients, index)
            self.service.administrate("set_disabled", client.id, disabled=disabled)
            client.disabled = disabled

    @rule(index=INDEX, overlap=st.sampled_from([0, 60, 86400]))
    @cautiously(1)
    def rotate_secret(self, index, overlap):
        client = pick(self._every(), index)
        if client.secret is not None and not client.deleted:
            over = timedelta(seconds=overlap)
            _, secret = self.service.administrate("rotate_secret", client.id, over)
            client.rotate_secret(secret, over)

    @rule(index=INDEX, previous=st.booleans())
    def authenticate(self, index, previous):
        rotated = [each for each in self._every() if each.previous_secret is not None]
        previous = previous and bool(rotated)
        client = pick(rotated if previous else self._every(), index)
        secret = (client.previous_secret if previous else client.secret) or "wrong"
        status, answer = self.service.introspect(client.id, secret, "unknown")
        if not self.refused_client(client, secret, status, answer):
            assert (status, answer) == (200, {"active": False})

    @rule(index=INDEX)
    @cautiously(1)
    def delete_client(self, index):
        clients = [each for each in self.model.clients if not each.deleted]
        client = pick(clients, index)
        self.service.administrate("remove", client.id)
        self.model.delete_client(client)
        self.register(id_token_signed_response_alg="EdDSA")

    @rule(index=INDEX)
    @cautiously(1)
    def delete_machine(self, index):
        machine = pick([each for each in self.model.machines if not each.deleted], index)
        self.service.administrate("remove", machine.id)
        self.model.delete_client(machine)
        self.register_machine("jobs:run")

    def _every(self):
        """Return the machines and the clients, which are the newer ones to those who pick."""
        return [*self.model.machines, *self.model.clients]
