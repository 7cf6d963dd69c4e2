"""Every answer on its way out (the outermost tween): the log has its request."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from pyramid.response import Response

from authservice import clock
from authservice.local_mode.control.control import PREFIX
from authservice.local_mode.request_log import shown_parameters, what_was_wrong
from authservice.web import routes
from authservice.web.answers import iso_date
from authservice.web.request.auth_request import AuthRequest

_LONGEST_PATH = 500
_FIRST_OF_INTEREST = "300"


def logged_requests(handler: Callable[[Any], Response], registry: Any) -> Callable[[Any], Response]:
    """Return the handler with the log beside it (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        response = handler(request)
        environ = request.environ
        path = environ.get("PATH_INFO", "")
        # A test that looks for its requests would find its looking.
        if not path.startswith(PREFIX):
            known = vars(request)
            status = response.status
            exchange = _Exchange(
                clock.now(),
                environ["REQUEST_METHOD"],
                known.get("matched_route"),
                path[:_LONGEST_PATH],
                environ.get("QUERY_STRING", "")[: shown_parameters.LONGEST_TEXT],
                environ.get("CONTENT_TYPE", ""),
                # A body that no view has read was refused unread: it may be of any length.
                known.get("body", b"")[: shown_parameters.LONGEST_TEXT],
                status,
                known.get("refused"),
                response if status >= _FIRST_OF_INTEREST else None,
            )
            registry.components.request_log.add(exchange.content)
        return response

    return tween


class _Exchange(NamedTuple):
    """What is kept of a request and its answer until a program asks for it.

    A tuple, since every request of local mode has one made. What can be found out later is.
    """

    moment: datetime
    method: str
    matched_route: Any
    path: str
    query: str
    media_type: str
    body: bytes
    status: str
    page: dict[str, Any] | None
    # A sound answer that leads nowhere says nothing that is shown.
    answer: Response | None

    def content(self) -> dict[str, Any]:
        """Return what is shown."""
        media_type = self.media_type.partition(";")[0].strip().lower()
        answer = self.answer
        return {
            "time": iso_date(self.moment),
            "method": routes.known_method(self) or "other",
            "route": routes.known_path(self),
            "path": self.path,
            "query": shown_parameters.of_query(self.query),
            "body": shown_parameters.of_body(media_type, self.body),
            "status": int(self.status.partition(" ")[0]),
            "redirect": None if answer is None else what_was_wrong.leads_to(answer),
            "refused": self.page or (None if answer is None else what_was_wrong.of_answer(answer)),
        }


def includeme(config: Any) -> None:
    """Add the log to a router."""
    config.add_tween("authservice.local_mode.request_log.tween.logged_requests")
