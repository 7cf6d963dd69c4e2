"""OAuth clients: found for each request, and created by one function that no route reaches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select

from authservice import clock
from authservice.crypto.client_secrets import hash_client_secret, verify_client_secret
from authservice.crypto.secret_values import random_id, random_token
from authservice.models import oauth_client
from authservice.services import redirect_uris
from authservice.services.sessions import CentralSession

SCOPES = ("openid", "profile", "email", "offline_access")


@dataclass(frozen=True, slots=True)
class Client:
    """A registered client."""

    client_id: str
    client_secret: str | None
    name: str | None
    disabled: bool | None
    public: bool | None
    skip_consent: bool | None
    enable_end_session: bool | None
    scopes: tuple[str, ...] | None
    redirect_uris: tuple[str, ...]
    post_logout_redirect_uris: tuple[str, ...] | None
    id_token_signed_response_alg: str | None
    userinfo_signed_response_alg: str | None
    minimal_id_token: bool | None
    backchannel_logout_uri: str | None
    previous_client_secret: str | None
    previous_client_secret_expires_at: datetime | None

    def allows_redirect_to(self, uri: str) -> bool:
        """Tell whether a redirect URI is registered."""
        return any(redirect_uris.matches(known, uri) for known in self.redirect_uris)

    def may_ask_for(self, scope: str) -> bool:
        """Tell whether the client may ask for a scope."""
        return scope in (SCOPES if self.scopes is None else self.scopes)

    def has_secret(self, presented: str) -> bool:
        """Tell, in constant time, whether a presented secret is this client's."""
        stored = self.client_secret
        if stored is not None and verify_client_secret(presented, stored):
            return True
        previous, until = self.previous_client_secret, self.previous_client_secret_expires_at
        if previous is None or until is None or until <= clock.now():
            return False
        return verify_client_secret(presented, previous)

    def allows_post_logout_redirect_to(self, uri: str) -> bool:
        """Tell whether a post-logout redirect URI is registered, character by character."""
        return uri in (self.post_logout_redirect_uris or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistration:
    """What is asked for when a client is registered."""

    name: str
    redirect_uris: Sequence[str]
    post_logout_redirect_uris: Sequence[str] = ()
    skip_consent: bool = False
    enable_end_session: bool = False
    public: bool = False

    def problems(self) -> list[str]:
        """Return what is wrong with the registration, one sentence for each fault."""
        found = [] if self.name.strip() else ["name must not be blank"]
        if any(ord(character) < ord(" ") for character in self.name):
            found.append("name must not hold control characters")
        if not self.redirect_uris:
            found.append("at least one redirect URI is needed")
        for kind, uris in (
            ("redirect URI", self.redirect_uris),
            ("post-logout redirect URI", self.post_logout_redirect_uris),
        ):
            faults = ((uri, redirect_uris.problem_with(uri)) for uri in uris)
            found += [f"{kind} {uri!r} {fault}" for uri, fault in faults if fault]
            found += [f"{kind} {uri!r} is given twice" for uri in _repeated(uris)]
        return found


_COLUMNS = tuple(oauth_client.c[name] for name in Client.__slots__)
_FIND = select(*_COLUMNS).where(oauth_client.c.client_id == bindparam("asked_client_id"))


def find(connection: Connection, client_id: str) -> Client | None:
    """Return a client that is registered and not disabled."""
    row = connection.execute(_FIND, {"asked_client_id": client_id}).first()
    if row is None:
        return None
    found = Client(*row)
    return None if found.disabled else found


def create_client(
    connection: Connection, registration: ClientRegistration, owner: CentralSession
) -> tuple[str, str | None]:
    """Create a client in the name of a signed-in user and return its id and its secret.

    A public client has no secret. Raises ValueError that names every fault of the registration.
    """
    problems = registration.problems()
    if problems:
        raise ValueError("; ".join(problems))
    now = clock.now()
    client_id = random_id()
    secret = None if registration.public else random_token()
    connection.execute(
        insert(oauth_client),
        {
            "id": random_id(),
            "client_id": client_id,
            "client_secret": hash_client_secret(secret) if secret else None,
            "disabled": False,
            "skip_consent": registration.skip_consent,
            "enable_end_session": registration.enable_end_session,
            "subject_type": "public",
            "scopes": SCOPES,
            "user_id": owner.user.id,
            "created_at": now,
            "updated_at": now,
            "name": registration.name.strip(),
            "redirect_uris": tuple(registration.redirect_uris),
            "post_logout_redirect_uris": tuple(registration.post_logout_redirect_uris),
            "token_endpoint_auth_method": "none" if registration.public else "client_secret_basic",
            "grant_types": ("authorization_code", "refresh_token"),
            "response_types": ("code",),
            "public": registration.public,
            "require_pkce": True,
        },
    )
    return client_id, secret


def _repeated(uris: Sequence[str]) -> list[str]:
    return [uri for index, uri in enumerate(uris) if uri in uris[:index]]
