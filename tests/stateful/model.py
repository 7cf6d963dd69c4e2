"""What should be true of clients, sessions, codes and tokens: plain objects and no database.

Written from the rules alone, for the tests to hold the service against. Nothing here expires by
itself or is deleted: what ended keeps its mark, and every question is answered for the moment.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from authservice import clock

CODE = timedelta(seconds=60)
ACCESS_TOKEN = timedelta(hours=1)
# Of a resource, where it comes with a refresh token.
RENEWED_JWT = timedelta(minutes=5)
REFRESH_TOKEN = timedelta(days=30)
FAMILY = timedelta(days=90)
GRACE = timedelta(seconds=10)
KEPT_IN_THE_GRACE = 8
SESSION = timedelta(days=7)
SESSION_UPDATE = timedelta(days=1)
# Stands for the one resource among the scopes that a user has consented to.
RESOURCE = "resource"
# So far away that no history gets there.
SESSION_MAX = timedelta(days=3650)


@dataclass(eq=False)
class Client:
    id: str
    secret: str | None
    skip_consent: bool
    disabled: bool = False
    deleted: bool = False
    previous_secret: str | None = None
    previous_until: datetime | None = None

    @property
    def active(self):
        return not self.disabled and not self.deleted

    def accepts(self, secret):
        """Tell whether a secret (None: the client only names itself) authenticates the client."""
        if not self.active or (secret is None) != (self.secret is None):
            return False
        if secret == self.previous_secret and secret is not None:
            return clock.now() < self.previous_until
        return secret == self.secret

    def rotate_secret(self, secret, overlap):
        self.previous_secret = self.secret if overlap else None
        self.previous_until = clock.now() + overlap
        self.secret = secret


@dataclass(eq=False)
class Machine(Client):
    """A client without people; ``scopes`` are those of the jobs that it may have."""

    scopes: frozenset = frozenset()


@dataclass(eq=False)
class MachineToken:
    value: str
    client: Machine
    for_jobs: bool
    scopes: frozenset
    expires_at: datetime
    revoked: bool = False

    @property
    def stored(self):
        """Tell whether the token has its time and was not revoked."""
        return not self.revoked and clock.now() < self.expires_at

    @property
    def valid(self):
        return self.stored and self.client.active


@dataclass(eq=False)
class Session:
    user: str
    id: str
    expires_at: datetime
    updated_at: datetime
    ended: bool = False

    @property
    def alive(self):
        return not self.ended and clock.now() < self.expires_at

    def extend_when_due(self):
        if clock.now() - self.updated_at > SESSION_UPDATE:
            self.expires_at, self.updated_at = clock.now() + SESSION, clock.now()


@dataclass(eq=False)
class Code:
    value: str
    client: Client
    session: Session
    scopes: frozenset
    for_resource: bool
    expires_at: datetime
    spent: bool = False

    def __post_init__(self):
        self.asked_for = self.scopes


@dataclass(eq=False)
class RefreshToken:
    value: str
    family: "Family"
    expires_at: datetime
    rotated_at: datetime | None = None
    successor: "RefreshToken | None" = None


@dataclass(eq=False)
class Family:
    code: Code
    expires_at: datetime
    revoked: bool = False
    tokens: list[RefreshToken] = field(default_factory=list)

    @property
    def family(self):
        return self


@dataclass(eq=False)
class AccessToken:
    value: str
    code: Code
    family: Family | None
    session: Session | None
    scopes: frozenset
    expires_at: datetime
    revoked: bool = False

    @property
    def stored(self):
        """Tell whether the token has its time and was not revoked."""
        return not self.revoked and clock.now() < self.expires_at

    @property
    def valid(self):
        holder = self.session is None or self.session.alive
        return self.stored and holder and self.code.client.active


class Model:
    """The whole of it, and what each action should do."""

    def __init__(self):
        self.clients, self.sessions, self.codes = [], [], []
        self.families, self.access_tokens = [], []
        self.machines, self.machine_tokens = [], []
        self.consents = {}

    @property
    def refresh_tokens(self):
        return [token for family in self.families for token in family.tokens]

    def needs_consent(self, client, user, scopes):
        return not client.skip_consent and not scopes <= self.consents.get((user, client), set())

    def allowed(self, client, user, scopes):
        """Return what is left of scopes that were allowed once."""
        return scopes if client.skip_consent else scopes & self.consents.get((user, client), set())

    def consent(self, client, user, scopes):
        self.consents[user, client] = self.consents.get((user, client), set()) | scopes

    def redeem(self, code, client, *, rightly):
        """Tell whether an authenticated client gets tokens for a code."""
        if code.client is not client:
            return False
        if code.spent:
            self._revoke(lambda token: token.code is code)
            return False
        if code.expires_at <= clock.now():
            return False
        code.spent = True
        left = self.allowed(client, code.session.user, code.scopes)
        wanted = {RESOURCE} if code.for_resource else set()
        allowed = not self.needs_consent(client, code.session.user, wanted)
        if not (rightly and code.session.alive and left and allowed):
            return False
        code.scopes = left
        return True

    def redeemed(self, code, access_token, refresh_token):
        family = None
        if "offline_access" in code.scopes:
            now = clock.now()
            family = Family(code, now + FAMILY)
            family.tokens.append(RefreshToken(refresh_token, family, now + REFRESH_TOKEN))
            self.families.append(family)
        return self._access_token(access_token, code, family, code.scopes)

    def refresh(self, token, client, scopes):
        """Return the error that an authenticated client gets, or None for new tokens."""
        family, now = token.family, clock.now()
        if family.code.client is not client or family.revoked:
            return "invalid_grant"
        if token.rotated_at is not None and self._may_be_dropped(token):
            return "invalid_grant"
        if token.rotated_at is not None and now - token.rotated_at > GRACE:
            self._revoke(lambda other: other.family is family)
            return "invalid_grant"
        own_time_is_over = token.rotated_at is None and token.expires_at <= now
        if own_time_is_over or family.expires_at <= now:
            return "invalid_grant"
        granted, asked_for = family.code.scopes, family.code.asked_for
        return None if scopes <= asked_for and scopes & granted else "invalid_scope"

    def _may_be_dropped(self, token):
        """Tell whether a token is beyond the last eight, one of which was exchanged in the grace.

        No other than those are stored, so while one may have been dropped no older one counts.
        """
        exchanged = [each for each in token.family.tokens if each.rotated_at is not None]
        dropped = exchanged[:-KEPT_IN_THE_GRACE]
        return token in dropped and clock.now() - dropped[-1].rotated_at <= GRACE

    def refreshed(self, token, access_token, refresh_token, scopes):
        family, now = token.family, clock.now()
        if token.successor is None:
            expires_at = min(now + REFRESH_TOKEN, family.expires_at)
            token.rotated_at = now
            token.successor = RefreshToken(refresh_token, family, expires_at)
            family.tokens.append(token.successor)
        # What ended with the session is deleted when the grant goes on without it.
        for issued in self.access_tokens:
            if issued.family is family and issued.session is not None and not issued.valid:
                issued.revoked |= not issued.session.alive
        return self._access_token(access_token, family.code, family, scopes)

    def may_rotate(self, token):
        """Tell whether a refresh token is the live leaf of a live family."""
        unused = token.rotated_at is None and not token.family.revoked
        return unused and clock.now() < token.expires_at and token.family.code.client.active

    def revoke(self, token, client):
        """Take a token back in a client's name."""
        if isinstance(token, RefreshToken):
            if token.family.code.client is client:
                self._revoke(lambda other: other.family is token.family)
        elif token.code.client is client and token.valid:
            token.revoked = True

    def end_session(self, session):
        session.ended = True
        for token in self.access_tokens:
            if token.session is session:
                token.revoked = True

    def sign_out_everywhere(self, user):
        for session in self.sessions:
            if session.user == user and session.alive:
                self.end_session(session)
        self._revoke(lambda token: token.code.session.user == user)

    def revoke_application(self, client, user):
        del self.consents[user, client]
        self._revoke(lambda each: each.code.client is client and each.code.session.user == user)

    def machine_token(self, machine, wanted, scopes):
        """Return the error that an authenticated machine gets, or what its token is.

        The jobs come first of its resources; the other one has no scopes.
        """
        for_jobs = wanted != RESOURCE
        allowed = machine.scopes if for_jobs else frozenset()
        if not scopes <= allowed:
            return "invalid_scope"
        expires_at = clock.now() + (ACCESS_TOKEN if for_jobs else RENEWED_JWT)
        return MachineToken("", machine, for_jobs, scopes or allowed, expires_at)

    def delete_client(self, client):
        client.deleted = True
        for token in self.machine_tokens:
            token.revoked |= token.client is client
        self._revoke(lambda token: token.code.client is client)
        for key in [key for key in self.consents if key[1] is client]:
            del self.consents[key]

    def _revoke(self, concerns):
        """Revoke families and access tokens; both know their family and their code."""
        for family in self.families:
            if concerns(family):
                family.revoked = True
        for token in self.access_tokens:
            if concerns(token):
                token.revoked = True

    def _access_token(self, value, code, family, scopes):
        session = code.session if code.session.alive else None
        is_short = code.for_resource and family is not None
        expires_at = clock.now() + (RENEWED_JWT if is_short else ACCESS_TOKEN)
        token = AccessToken(value, code, family, session, scopes, expires_at)
        self.access_tokens.append(token)
        return token
