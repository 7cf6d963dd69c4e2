"""How tokens are used, refreshed, looked at and revoked in a history."""

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from authservice import clock
from tests.stateful.codes import SCOPES, Codes
from tests.stateful.history import INDEX, cautiously, pick, some
from tests.stateful.model import AccessToken, RefreshToken
from tests.stateful.service import RESOURCE

STEPS = 100  # of a history


def owner_of(token):
    grant = token if isinstance(token, AccessToken) else token.family
    return grant.code.client


class Tokens(Codes):
    """Steps with tokens; after each step one of them is tried, and all after the last."""

    @rule(client=INDEX, session=INDEX)
    def authorize_redeem_and_refresh(self, client, session):
        scopes = frozenset({"openid", "offline_access"})
        if self.made_code(client, session, scopes, agreed=True, for_resource=False):
            self.redeem(0, 0, "rightly")
            self.refresh_a_live_token_twice(0)

    @some("families")
    @rule(
        index=INDEX,
        other=INDEX,
        by_another=st.sampled_from([False] * 7 + [True]),
        scopes=st.none() | SCOPES,
    )
    def refresh(self, index, other, by_another, scopes):
        token = pick(self.model.refresh_tokens, index)
        client = pick(self.model.clients, other) if by_another else token.family.code.client
        self._refresh(token, client, scopes)

    @some("families")
    @rule(index=INDEX)
    def refresh_a_live_token_twice(self, index):
        live = [each for each in self.model.refresh_tokens if self.model.may_rotate(each)]
        if live:
            token = pick(live, index)
            for _ in range(2):
                self._refresh(token, token.family.code.client, None)

    @some("families")
    @rule(index=INDEX, before=st.sampled_from([1, 5, 3600]), retry=st.booleans())
    @cautiously(1)
    def refresh_until_the_family_nearly_ends(self, index, before, retry):
        live = [each for each in self.model.refresh_tokens if self.model.may_rotate(each)]
        if not live:
            return
        previous, token = None, pick(live, index)
        end = token.family.expires_at - timedelta(seconds=before)
        while clock.now() < end:
            late = min(end, token.expires_at - timedelta(milliseconds=1))
            self.clock.moment = max(clock.now(), late)
            self._refresh(token, token.family.code.client, None)
            previous, token = token, token.successor
        if retry and previous is not None:
            self.clock.moment = token.family.expires_at
            self._refresh(previous, token.family.code.client, None)

    def _refresh(self, token, client, scopes):
        form = {"grant_type": "refresh_token", "refresh_token": token.value}
        if scopes is not None:
            form["scope"] = " ".join(sorted(scopes))
        status, answer = self.service.token(client.id, client.secret, **form)
        if self.refused_client(client, client.secret, status, answer):
            return
        error = self.model.refresh(token, client, scopes or token.family.code.scopes)
        self.seen[f"refresh {status}"] += 1
        if error is not None:
            assert (status, answer["error"]) == (400, error)
            return
        assert status == 200, answer
        successor = token.successor
        if successor is not None:
            self.seen["retries"] += 1
            assert answer["refresh_token"] == successor.value
        granted = token.family.code.scopes
        if scopes is not None:
            granted &= scopes
        assert set(answer["scope"].split()) == granted
        assert ("id_token" in answer) == ("openid" in granted)
        self.model.refreshed(token, answer["access_token"], answer["refresh_token"], granted)

    @some("access_tokens")
    @rule(index=INDEX)
    def userinfo(self, index):
        self.check_userinfo(pick(self.model.access_tokens, index))

    def check_userinfo(self, token):
        status, answer = self.service.userinfo(token.value)
        self.seen[f"userinfo {status}"] += 1
        if not token.valid or token.code.for_resource:
            assert (status, answer["error"]) == (401, "invalid_token")
        elif "openid" not in token.scopes:
            assert (status, answer["error"]) == (403, "insufficient_scope")
        else:
            assert (status, answer["sub"]) == (200, token.code.session.user)

    @some("access_tokens")
    @rule(index=INDEX, other=INDEX, refresh=st.booleans(), by_another=st.booleans())
    def introspect(self, index, other, refresh, by_another):
        token = self._any_token(index, refresh)
        client = pick(self.model.clients, other) if by_another else owner_of(token)
        self.check_introspection(token, client)

    def check_introspection(self, token, client):
        status, answer = self.service.introspect(client.id, client.secret, token.value)
        if client.secret is None:
            assert (status, answer["error"]) == (401, "invalid_client")
        elif not self.refused_client(client, client.secret, status, answer):
            assert status == 200
            refresh = isinstance(token, RefreshToken)
            live = self.model.may_rotate(token) if refresh else token.valid
            assert answer["active"] == (live and owner_of(token) is client)
            self.seen[f"active {answer['active']}"] += 1
            if answer["active"]:
                assert answer["exp"] == int(token.expires_at.timestamp())
                assert answer.get("aud") == (
                    RESOURCE if not refresh and token.code.for_resource else None
                )

    @some("access_tokens")
    @rule(index=INDEX, other=INDEX, refresh=st.booleans(), by_another=st.booleans())
    @cautiously(1)
    def revoke(self, index, other, refresh, by_another):
        token = self._any_token(index, refresh)
        client = pick(self.model.clients, other) if by_another else owner_of(token)
        status, answer = self.service.revoke(client.id, client.secret, token.value)
        if not self.refused_client(client, client.secret, status, answer):
            assert (status, answer) == (200, {})
            self.model.revoke(token, client)

    def _any_token(self, index, refresh):
        kinds = self.model.refresh_tokens if refresh else self.model.access_tokens
        return pick(kinds or self.model.access_tokens, index)

    @invariant()
    def each_token_in_turn_is_as_the_model_says(self):
        self.steps += 1
        self.seen["steps"] += self.steps > 0
        tokens = [*self.model.access_tokens, *self.model.refresh_tokens]
        if self.steps < STEPS and tokens:
            tokens = [pick(tokens, self.steps)]
        for token in tokens:
            if isinstance(token, AccessToken):
                self.check_userinfo(token)
            else:
                self.check_introspection(token, owner_of(token))
