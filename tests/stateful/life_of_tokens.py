"""Everything that may happen in a history of codes, tokens, consents, sessions and clients."""

from hypothesis.stateful import rule

from tests.stateful.clients import Clients
from tests.stateful.codes import SCOPES
from tests.stateful.history import INDEX, cautiously
from tests.stateful.machines import Machines
from tests.stateful.people import People
from tests.stateful.tokens import Tokens


class LifeOfTokens(People, Clients, Machines, Tokens):
    """All that may happen."""

    @rule(client=INDEX, session=INDEX, scopes=SCOPES)
    @cautiously(1)
    def take_the_consent_back_before_the_code_is_redeemed(self, client, session, scopes):
        code = self.made_code(client, session, scopes, agreed=True, for_resource=False)
        key = code and (code.session.user, code.client)
        if key in self.model.consents:
            self.take_consent_back(*key)
            self.redeem(0, 0, "rightly")
