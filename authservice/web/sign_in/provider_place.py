"""The place that a request takes while it calls the identity provider."""

from contextlib import AbstractContextManager

from authservice.web.gates.rate_limits import senders
from authservice.web.request.auth_request import AuthRequest


def place(request: AuthRequest) -> AbstractContextManager[None]:
    """Give the request a place; raises TooManySignInsError if there is none."""
    sent_by = [name for name, _times in senders.senders(request.sender)]
    return request.components.sign_in_places.place(*sent_by)
