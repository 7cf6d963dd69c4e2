"""Sign-in attempts: begun once however often the form is sent, spent by the first callback.

An attempt is made when the page is shown and travels sealed in its form. Beginning it stores a
row under its id; a second begin finds that row and leads to the very same place.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from pyramid.response import Response

from authservice import clock
from authservice.crypto.secret_values import digest, random_id, random_token
from authservice.crypto.server_secret import ServerSecret
from authservice.oauth.authorize.pending import STARTS_AGAIN, InteractionError
from authservice.services.tokens import verifications
from authservice.services.tokens.verifications import Verification
from authservice.web.answers import see_other
from authservice.web.gates.rate_limits import by_sender
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import interactions, provider_place, return_target
from authservice.web.sign_in.return_target import FirstPartyReturn, OAuthReturn, ReturnTarget

_PURPOSE = "sign-in attempt"
_STORED = "sign-in attempt at rest"
LIFETIME = timedelta(minutes=10)
# How long a callback waits for another one of its attempt, and how often it looks, in seconds.
_PATIENCE, _PAUSE = 2.0, 0.1


class AttemptError(Exception):
    """A form whose attempt cannot go on.

    ``expired`` is the attempt, if it only expired; ``by_itself`` tells that it may begin again, as
    its page was shown within a day.
    """

    def __init__(self, expired: "SignInAttempt | None" = None, *, by_itself: bool = False) -> None:
        super().__init__("the attempt was altered, has expired or is another browser's")
        self.expired = expired
        self.by_itself = by_itself


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """One way through the identity provider and back.

    ``person_id`` is whom the page named from which it may begin. With ``choose_account`` the
    identity provider asks which account it shall be. ``begun_in`` is a digest of the name of the
    browser in which it has begun. ``confirms`` is the session that only waits for the person to be
    confirmed, where no other person is wanted. One that takes the place of another, for which the
    browser came back too late or in vain, is ``again``.
    """

    id: str
    state: str
    code_verifier: str
    target: ReturnTarget
    person_id: str | None = None
    choose_account: bool = False
    begun_in: str | None = None
    confirms: str | None = None
    again: bool = False

    def began_in(self, browser: str | None) -> bool:
        """Tell whether it has begun in the browser of this name."""
        return browser is not None and self.begun_in == digest(browser)


def new(
    target: ReturnTarget,
    person_id: str | None = None,
    *,
    choose_account: bool = False,
    confirms: str | None = None,
) -> SignInAttempt:
    """Return a fresh attempt for a return target, on a page for this person."""
    values = random_id(), random_token(), random_token()
    return SignInAttempt(*values, target, person_id, choose_account, confirms=confirms)


def renewed(request: AuthRequest, attempt: SignInAttempt) -> SignInAttempt:
    """Return a fresh attempt in place of one that cannot go on here; its target is checked again.

    Raises InteractionError and RefusedReturnError, and what a client's request raises by now.
    """
    target = attempt.target
    if isinstance(target, OAuthReturn):
        target = OAuthReturn(interactions.renewed(request, target.interaction))
    else:
        target = FirstPartyReturn.of_query(request.components.origins, target.parameters())
    return new(
        target,
        attempt.person_id,
        choose_account=attempt.choose_account,
        confirms=attempt.confirms,
    )


def seal(attempt: SignInAttempt, secret: ServerSecret, browser: str) -> str:
    """Return the attempt as a hidden field for this browser's form."""
    content = _content(attempt) | {
        "id": attempt.id,
        "browser": digest(browser),
        "person": attempt.person_id,
    }
    return secret.seal(_PURPOSE, content, clock.now() + LIFETIME)


def unseal(secret: ServerSecret, browser: str | None, sealed: str) -> SignInAttempt:
    """Return the attempt of a form; raises AttemptError unless it is whole, in time and here."""
    unsealed = secret.unseal(_PURPOSE, sealed, clock.now())
    here = unsealed and browser is not None and unsealed.value["browser"] == digest(browser)
    # A browser may have lost its cookies since, but not where cookies are switched off.
    if unsealed is None or not (here or (browser is None and unsealed.expired)):
        raise AttemptError
    attempt = _attempt(unsealed.value["id"], unsealed.value)
    attempt = replace(attempt, person_id=unsealed.value["person"])
    if unsealed.expired:
        shown_at = unsealed.expires_at - LIFETIME
        raise AttemptError(attempt, by_itself=clock.now() - shown_at < STARTS_AGAIN)
    return attempt


def begin(request: AuthRequest, attempt: SignInAttempt) -> str:
    """Store the attempt unless it was begun before, and return where the person signs in.

    Raises TooManyRequestsError when too many begin at the person's address.
    """
    browser = request.known_browser
    content = _content(attempt) | {"browser": browser and digest(browser)}
    value = _encrypted(request, content)
    if verifications.peek(request.db_readonly, _identifier(attempt.state)) is None:
        # Before the writing transaction, for which no one should wait while Redis counts.
        by_sender.count_begun_sign_in(request, len(value))
    verifications.put(
        request.db, _identifier(attempt.state), value, clock.now() + LIFETIME, id=attempt.id
    )
    # A person who is signed in here and signs in all the same wants another account, or has to
    # show that they are still there: the provider must not send them straight back.
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
    stored = _stored(request, state)
    if stored is None:
        return None
    row, content = stored
    # A callback repeated long after leads nowhere.
    is_late = row.spent and clock.now() >= row.expires_at
    begun_in = None if is_late else content["browser"]
    attempt = replace(_attempt(row.id, content), begun_in=begun_in)
    if isinstance(attempt.target, OAuthReturn):
        with suppress(InteractionError):
            # For the language of what the person is told; the request itself is not needed here.
            interactions.pending(request, attempt.target.interaction)
    return row, attempt


def claim(request: AuthRequest, row: Verification) -> None:
    """Begin the transaction that makes the session with the row in which its answer is kept."""
    verifications.claim(request.db, row.id)


def keep_answer(
    request: AuthRequest, row: Verification, attempt: SignInAttempt, answer: Response
) -> None:
    """Keep how the browser is led on that began the attempt, with all its cookies.

    Of a page it is kept that there is nothing to wait for.
    """
    cookies = answer.headers.getall("Set-Cookie") if answer.location else []
    kept = {"browser": attempt.begun_in, "location": answer.location, "cookies": cookies}
    value = _encrypted(request, _content(attempt) | kept)
    verifications.change(request.db, row.id, value)


def kept_answer(request: AuthRequest, attempt: SignInAttempt) -> Response | None:
    """Return how the callback that finishes the attempt leads on, or None.

    While it may be under way, this waits in a place of its own, so that no one can occupy all
    threads. No other process tells that it is done: its row is read until it says so. Raises
    TooManySignInsError if there is no place.
    """
    content = _answered(request, attempt)
    if content is None:
        return None
    if "location" not in content:
        with provider_place.place(request):
            end = time.monotonic() + _PATIENCE
            while content is not None and "location" not in content:
                if time.monotonic() > end:
                    return None
                time.sleep(_PAUSE)
                content = _answered(request, attempt)
    if content is None or content["location"] is None:
        return None
    answer = see_other(content["location"])
    answer.headerlist.extend(("Set-Cookie", each) for each in content["cookies"])
    return answer


def _answered(request: AuthRequest, attempt: SignInAttempt) -> dict[str, Any] | None:
    """Return what is stored of an attempt that is spent, or None where nothing comes any more."""
    stored = _stored(request, attempt.state)
    if stored is None:
        return None
    row, content = stored
    now = clock.now()
    if row.updated_at is None or now >= row.expires_at:
        return None
    under_way = now - row.updated_at < timedelta(seconds=_PATIENCE)
    return content if "location" in content or under_way else None


def spend(request: AuthRequest, row: Verification) -> bool:
    """Spend the attempt for good; False when another request did so, or when it has expired.

    It stays spent even if this request fails: the provider is called once for each attempt.
    """
    with request.database.transaction() as connection:
        return verifications.spend(connection, row.id, clock.now() + LIFETIME)


def _stored(request: AuthRequest, state: str) -> tuple[Verification, dict[str, Any]] | None:
    row = verifications.peek(request.db_readonly, _identifier(state))
    if row is None:
        return None
    plain = request.components.secret.decrypt(_STORED, row.value)
    return None if plain is None else (row, json.loads(plain))


def _encrypted(request: AuthRequest, content: dict[str, Any]) -> str:
    return request.components.secret.encrypt(_STORED, json.dumps(content))


def _identifier(state: str) -> str:
    return f"sign-in:{digest(state)}"


def _content(attempt: SignInAttempt) -> dict[str, Any]:
    return {
        "state": attempt.state,
        "code_verifier": attempt.code_verifier,
        "target": attempt.target.parameters(),
        "choose": attempt.choose_account,
        "confirms": attempt.confirms,
        "again": attempt.again,
    }


def _attempt(attempt_id: str, content: dict[str, Any]) -> SignInAttempt:
    target = return_target.from_parameters(content["target"])
    return SignInAttempt(
        attempt_id,
        content["state"],
        content["code_verifier"],
        target,
        choose_account=content["choose"],
        confirms=content["confirms"],
        again=content["again"],
    )
