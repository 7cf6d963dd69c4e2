"""Authorization requests that came by POST and fit into no address, while our pages are shown.

The pages carry a reference. The request waits in the database, encrypted, for the browser in which
it was sent: as with a pushed one, who learns of the reference later gains nothing by it (RFC 9126,
section 7.3).
"""

from datetime import timedelta

from authservice import clock
from authservice.oauth.pending_request import InteractionError
from authservice.services import posted_requests
from authservice.web import rate_limits
from authservice.web.request import AuthRequest

PARAMETER = "posted"
_STORED = "posted request at rest"
_LIFETIME = timedelta(minutes=10)


def keep(request: AuthRequest, query: str) -> str:
    """Keep a request and return its reference; raises TooManyRequestsError."""
    rate_limits.count_posted_request(request)
    value = request.components.secret.encrypt(_STORED, query)
    return posted_requests.put(request.db, value, clock.now() + _LIFETIME)


def claim(request: AuthRequest, reference: str) -> str:
    """Return a request's query for this browser, which alone has it then.

    Raises InteractionError when another browser has it or it has expired.
    """
    # Done before anything else is looked at: nobody has to wait with their writing for that.
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
