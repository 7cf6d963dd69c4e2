"""What the stand-in remembers: its application, accounts, codes, tokens and every request."""

import base64
import hashlib
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.identity_provider_standin.accounts import Account, first_accounts
from tests.identity_provider_standin.app import App
from tests.identity_provider_standin.organizations import Organization

CODE_LIFETIME = 600.0


@dataclass
class Application:
    """The OAuth app that is registered here."""

    client_id: str = "Ov23liStandInClient0"
    client_secret: str = "standin-client-secret-0123456789abcdef01"
    callback_url: str = "http://localhost:37960/api/auth/callback/github"

    def allows(self, redirect_uri: str) -> bool:
        """Tell whether host and port are the registered ones, and the path lies below its path."""
        registered, wanted = urlsplit(self.callback_url), urlsplit(redirect_uri)
        if (registered.scheme, registered.netloc) != (wanted.scheme, wanted.netloc):
            return False
        folder = registered.path.rstrip("/")
        return wanted.path == registered.path or wanted.path.startswith(f"{folder}/")


@dataclass
class Grant:
    """What a person allowed, behind a code and then behind a token."""

    login: str
    scope: str
    redirect_uri: str
    code_challenge: str | None
    expires_at: float

    def is_proved_by(self, code_verifier: str) -> bool:
        """Tell whether this is the verifier of the challenge (RFC 7636 4.6)."""
        if self.code_challenge is None:
            return True
        hashed = hashlib.sha256(code_verifier.encode()).digest()
        return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode() == self.code_challenge


@dataclass
class State:
    """Everything that ``reset`` throws away."""

    application: Application = field(default_factory=Application)
    accounts: dict[str, Account] = field(default_factory=first_accounts)
    organizations: dict[str, Organization] = field(default_factory=dict)
    app: App = field(default_factory=App)
    codes: dict[str, Grant] = field(default_factory=dict)
    tokens: dict[str, Grant] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    advanced: float = 0.0
    api_calls: int = 0
    over: threading.Event = field(default_factory=threading.Event)  # ends faults that wait

    def now(self) -> float:
        """Return the seconds on a clock that tests can put forward."""
        return time.monotonic() + self.advanced

    def new_code(self, grant: Grant) -> str:
        """Return a code for the grant."""
        code = secrets.token_hex(10)
        self.codes[code] = grant
        return code

    def spend_code(self, code: str) -> Grant | None:
        """Return the grant of a code, the first time and in time."""
        grant = self.codes.pop(code, None)
        return None if grant is None or grant.expires_at <= self.now() else grant

    def new_token(self, grant: Grant) -> str:
        """Return a token for the grant."""
        token = f"gho_{secrets.token_hex(18)}"
        self.tokens[token] = grant
        return token
