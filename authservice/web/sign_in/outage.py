"""A provider that does not answer: noted, so that nobody is signed out for it meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from authservice.identity_provider import OutageError, SignInFailedError
from authservice.services.admission import confirmation, state
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in.sign_in_attempt import SignInAttempt


@contextmanager
def noted(request: AuthRequest) -> Iterator[None]:
    """Store that the provider does not answer, in a transaction of its own; raises what it did."""
    try:
        yield
    except OutageError:
        with request.database.transaction() as connection:
            state.note_outage(connection)
        raise


def bridges(request: AuthRequest, attempt: SignInAttempt, error: SignInFailedError) -> bool:
    """Tell whether the session that was to be confirmed goes on through an outage."""
    stored = request.stored_session
    if stored is None or stored.session.id != attempt.confirms:
        return False
    if not isinstance(error, OutageError):
        return False
    user = stored.session.user
    return confirmation.is_admitted(user, request.auth_settings.admission, request.db_readonly)
