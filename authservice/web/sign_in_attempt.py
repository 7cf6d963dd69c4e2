"""Sign-in attempts: begun once however often the form is sent, spent by the first callback.

An attempt is made when the page is shown and travels sealed in its form. Beginning it stores a
row under its id; a second begin finds that row and leads to the very same place.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from authservice import clock
from authservice.crypto.secret_values import digest, random_id, random_token
from authservice.crypto.server_secret import ServerSecret
from authservice.oauth.pending_request import InteractionError
from authservice.services import verifications
from authservice.services.verifications import Verification
from authservice.web import interactions, rate_limits, return_target
from authservice.web.request import AuthRequest
from authservice.web.return_target import OAuthReturn, ReturnTarget

_PURPOSE = "sign-in attempt"
_STORED = "sign-in attempt at rest"
LIFETIME = timedelta(minutes=10)


class AttemptError(Exception):
    """A form whose attempt cannot go on; ``target`` is where it led to, if it only expired."""

    def __init__(self, target: ReturnTarget | None = None) -> None:
        """Take the target of an attempt that was real."""
        super().__init__("the attempt was altered, has expired or is another browser's")
        self.target = target


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """One way through the identity provider and back.

    ``person_id`` is whom the page named from which it may begin. With ``choose_account`` the
    identity provider asks which account it shall be.
    """

    id: str
    state: str
    code_verifier: str
    target: ReturnTarget
    person_id: str | None = None
    choose_account: bool = False


def new(
    target: ReturnTarget, person_id: str | None = None, *, choose_account: bool = False
) -> SignInAttempt:
    """Return a fresh attempt for a return target, on a page for this person."""
    values = random_id(), random_token(), random_token()
    return SignInAttempt(*values, target, person_id, choose_account)


def seal(attempt: SignInAttempt, secret: ServerSecret, browser: str) -> str:
    """Return the attempt as a hidden field for this browser's form."""
    content = _content(attempt) | {
        "id": attempt.id,
        "browser": digest(browser),
        "person": attempt.person_id,
        "choose": attempt.choose_account,
    }
    return secret.seal(_PURPOSE, content, clock.now() + LIFETIME)


def unseal(secret: ServerSecret, browser: str | None, sealed: str) -> SignInAttempt:
    """Return the attempt of a form; raises AttemptError unless it is whole, in time and here."""
    found = secret.unseal(_PURPOSE, sealed, clock.now())
    if found is None or browser is None or found.value["browser"] != digest(browser):
        raise AttemptError
    # A page of the version before names nobody, and says nothing of a choice.
    attempt = replace(
        _attempt(found.value["id"], found.value),
        person_id=found.value.get("person"),
        choose_account=found.value.get("choose", False),
    )
    if found.expired:
        raise AttemptError(attempt.target)
    return attempt


def begin(request: AuthRequest, attempt: SignInAttempt) -> str:
    """Store the attempt unless it was begun before, and return where the person signs in.

    Raises TooManyRequestsError when too many begin at the person's address.
    """
    if verifications.peek(request.db_readonly, _identifier(attempt.state)) is None:
        # Before the writing transaction, which nobody shall wait for while counts are asked for.
        rate_limits.count_begun_sign_in(request)
    value = request.components.secret.encrypt(_STORED, json.dumps(_content(attempt)))
    verifications.put(
        request.db, _identifier(attempt.state), value, clock.now() + LIFETIME, id=attempt.id
    )
    # Who is signed in here and signs in all the same wants another account, or has to show that
    # they are still there: the provider must not send them straight back.
    choose = (
        attempt.choose_account
        or request.confirmed_session is not None
        or _wants_presence(request, attempt.target)
    )
    return request.identity_provider.authorization_url(
        attempt.state, attempt.code_verifier, choose_account=choose
    )


def _wants_presence(request: AuthRequest, target: ReturnTarget) -> bool:
    if isinstance(target, OAuthReturn):
        # One that has expired is told so when the person comes back.
        with suppress(InteractionError):
            return interactions.wants_presence(request, target.interaction)
    return False


def find(request: AuthRequest, state: str) -> tuple[Verification, SignInAttempt] | None:
    """Return the attempt that a callback's state names, finished or not."""
    row = verifications.peek(request.db_readonly, _identifier(state))
    if row is None:
        return None
    plain = request.components.secret.decrypt(_STORED, row.value)
    if plain is None:
        return None
    attempt = _attempt(row.id, json.loads(plain))
    if isinstance(attempt.target, OAuthReturn):
        with suppress(InteractionError):
            # For the language of what the person is told; the request itself is not needed here.
            interactions.pending(request, attempt.target.interaction)
    return row, attempt


def spend(request: AuthRequest, row: Verification) -> bool:
    """Spend the attempt for good; False when another request did so, or its time is over.

    It stays spent whatever becomes of this request: what the provider is asked about it, it is
    asked once.
    """
    with request.database.transaction() as connection:
        return verifications.spend(connection, row.id, clock.now() + LIFETIME)


def _identifier(state: str) -> str:
    return f"sign-in:{digest(state)}"


def _content(attempt: SignInAttempt) -> dict[str, Any]:
    return {
        "state": attempt.state,
        "code_verifier": attempt.code_verifier,
        "target": attempt.target.to_json(),
    }


def _attempt(attempt_id: str, content: dict[str, Any]) -> SignInAttempt:
    target = return_target.from_json(content["target"])
    return SignInAttempt(attempt_id, content["state"], content["code_verifier"], target)
