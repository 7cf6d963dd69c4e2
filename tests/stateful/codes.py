"""How codes are requested and redeemed in a history, rightly and wrongly."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import rule

from authservice import clock
from tests.stateful import model
from tests.stateful.history import INDEX, History, cautiously, pick, some
from tests.stateful.model import RESOURCE, Code
from tests.stateful.service import REDIRECT_URI, VERIFIER

SCOPES = st.sampled_from(
    [
        frozenset(scopes.split())
        for scopes in (
            "openid offline_access",
            "openid",
            "openid profile email offline_access",
            "profile offline_access",
            "openid email",
        )
    ]
)

HOW = st.sampled_from(["rightly", "rightly", "rightly", "by another", "verifier", "redirect"])


class Codes(History):
    """Steps that make and redeem codes."""

    @rule(
        client=INDEX, session=INDEX, scopes=SCOPES, agreed=st.booleans(), resource=st.integers(0, 4)
    )
    def authorize(self, client, session, scopes, agreed, resource):
        self.made_code(client, session, scopes, agreed=agreed, for_resource=resource == 1)

    @rule(client=INDEX, session=INDEX, scopes=SCOPES)
    def authorize_and_redeem(self, client, session, scopes):
        if self.made_code(client, session, scopes, agreed=True, for_resource=False):
            self.redeem(0, 0, "rightly")

    @some("sessions")
    @rule(client=INDEX, session=INDEX, scopes=SCOPES)
    @cautiously(1)
    def authorize_as_a_session_ends(self, client, session, scopes):
        sessions = [each for each in self.model.sessions if each.alive]
        if sessions:
            session = pick(sessions, session)
            self.clock.moment = session.expires_at - timedelta(milliseconds=1)
            alive = [each for each in sessions if each.alive]
            nth = len(alive) - 1 - alive.index(session)
            if self.made_code(client, nth, scopes, agreed=True, for_resource=False):
                self.redeem(0, 0, "rightly")
                self.clock.advance(milliseconds=1)

    def made_code(self, client, session, scopes, *, agreed, for_resource):
        if not any(each.alive for each in self.model.sessions):
            self.sign_in("ada")
        sessions = [each for each in self.model.sessions if each.alive]
        clients = [each for each in self.model.clients if each.active]
        if not clients:
            return None
        client, session = pick(clients, client), pick(sessions, session)
        code, saw_consent_page = self.service.authorize(
            client.id, session.id, scopes, for_resource=for_resource, agreed=agreed
        )
        wanted = scopes | {RESOURCE} if for_resource else scopes
        assert saw_consent_page == self.model.needs_consent(client, session.user, wanted)
        assert (code is not None) == (agreed or not saw_consent_page)
        if code is None:
            return None
        if saw_consent_page:
            self.model.consent(client, session.user, wanted)
        until = clock.now() + model.CODE
        made = Code(code, client, session, scopes, for_resource, until)
        self.model.codes.append(made)
        return made

    @some("codes")
    @rule(
        index=INDEX,
        other=INDEX,
        how=HOW,
    )
    def redeem(self, index, other, how):
        self._redeem(pick(self.model.codes, index), other, how)

    @some("codes")
    @rule(index=INDEX, other=INDEX, how=HOW)
    def redeem_a_fresh_code_twice(self, index, other, how):
        fresh = [
            code for code in self.model.codes if not code.spent and clock.now() < code.expires_at
        ]
        if fresh:
            code = pick(fresh, index)
            self._redeem(code, other, how)
            self._redeem(code, other, "rightly")

    def _redeem(self, code, other, how):
        client = pick(self.model.clients, other) if how == "by another" else code.client
        form = {
            "grant_type": "authorization_code",
            "code": code.value,
            "redirect_uri": REDIRECT_URI + ("/other" if how == "redirect" else ""),
            "code_verifier": VERIFIER if how != "verifier" else "w" * 43,
        }
        status, answer = self.service.token(client.id, client.secret, **form)
        if self.refused_client(client, client.secret, status, answer):
            return
        rightly = how in {"rightly", "by another"}
        self.seen[f"redeem {status}"] += 1
        if not self.model.redeem(code, client, rightly=rightly):
            assert (status, answer["error"]) == (400, "invalid_grant")
            return
        assert status == 200
        assert ("refresh_token" in answer) == ("offline_access" in code.scopes)
        assert ("id_token" in answer) == ("openid" in code.scopes)
        self.model.redeemed(code, answer["access_token"], answer.get("refresh_token"))
