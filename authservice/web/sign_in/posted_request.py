"""Authorization requests that came by POST and fit into no address, while our pages are shown.

The pages carry a reference. The request waits in the database, encrypted, for the browser in which
it was sent: as with a pushed one, who learns of the reference later gains nothing by it (RFC 9126,
section 7.3).
"""

from datetime import timedelta

from authservice import clock
from authservice.oauth.authorize.pending import InteractionError
from authservice.services.tokens import posted_requests
from authservice.web.gates.rate_limits import by_sender, senders
from authservice.web.request import AuthRequest

PARAMETER = "posted"
_STORED = "posted request at rest"
_LIFETIME = timedelta(minutes=10)


def keep(request: AuthRequest, query: str) -> str | None:
    """Store a request and return its reference, or None when no more can be stored.

    Raises TooManyRequestsError.
    """
    by_sender.count_posted_request(request)
    value = request.components.secret.encrypt(_STORED, query)
    # In local mode, where nothing is limited by sender, all come from one.
    limited = request.components.rate_limits is not None
    sent_by = senders.senders(request.from_address) if limited else ()
    return posted_requests.put(request.db, value, clock.now() + _LIFETIME, sent_by)


def claim(request: AuthRequest, reference: str) -> str:
    """Return a request's query for this browser, which alone has it then.

    Raises InteractionError when another browser has it or it has expired.
    """
    # In its own transaction, before anything else is read, so that no other writer waits long.
    with request.database.transaction() as connection:
        if not posted_requests.claim(connection, reference, request.browser):
            raise InteractionError
    return query_of(request, reference, request.browser)


def query_of(request: AuthRequest, reference: str, browser: str) -> str:
    """Return the query of a request that this browser has; raises InteractionError."""
    value = posted_requests.find(request.db_readonly, reference, browser)
    query = value and request.components.secret.decrypt(_STORED, value)
    if not query:
        raise InteractionError
    return query
