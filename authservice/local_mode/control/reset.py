"""POST reset: the state after the start, with the registered clients and the file's persons."""

from typing import Any

from pyramid.response import Response
from sqlalchemy import delete, update

from authservice.local_mode import saved_keys
from authservice.models import (
    logout_notice,
    oauth_access_token,
    oauth_client,
    oauth_consent,
    oauth_refresh_token,
    session,
    session_participant,
    user,
    verification,
)
from authservice.services.upkeep import local_mark

# Those that refer to others come first, so that no statement has to follow a foreign key.
_EMPTIED = (
    logout_notice,
    oauth_access_token,
    oauth_refresh_token,
    oauth_consent,
    session_participant,
    session,
)


def reset(request: Any) -> Response:
    """Forget all that has happened since the start; nobody is told that sessions ended."""
    with request.database.transaction() as connection:
        for table in _EMPTIED:
            connection.execute(delete(table))
        saved_keys.restore(connection)
        # With it goes what local mode has stored of persons and clock, but never its mark.
        connection.execute(delete(verification).where(verification.c.id != local_mark.MARK))
        # The foreign key would take a client along with its owner.
        connection.execute(update(oauth_client).values(user_id=None))
        connection.execute(delete(user))
    request.components.follower.look()
    request.components.request_log.empty()
    return Response(status=204)
