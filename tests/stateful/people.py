"""What people do in a history: use their sessions, end them, and take consents back."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.stateful.history import INDEX, PERSONS, History, cautiously, pick, some


class People(History):
    """Steps of people."""

    @some("sessions")
    @rule(index=INDEX)
    def use_session(self, index):
        session = pick(self.model.sessions, index)
        self.service.extend_when_due(session.id)
        if session.alive:
            session.extend_when_due()

    @some("sessions")
    @rule(index=INDEX)
    @cautiously(1)
    def sign_out(self, index):
        session = pick(self.model.sessions, index)
        self.service.end_session(session.id)
        self.model.end_session(session)

    @rule(name=st.sampled_from(PERSONS))
    @cautiously(1)
    def sign_out_everywhere(self, name):
        user = self.persons[name].id
        self.service.sign_out_everywhere(user)
        self.model.sign_out_everywhere(user)

    @some("consents")
    @rule(index=INDEX)
    @cautiously(1)
    def revoke_application(self, index):
        self.take_consent_back(*pick(list(self.model.consents), index))

    def take_consent_back(self, user, client):
        self.service.revoke_application(client.id, user)
        self.model.revoke_application(client, user)
