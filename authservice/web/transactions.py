"""One writing transaction for each request that writes: committed by returning an answer.

A view that returns commits, whatever the status; a view that raises rolls back. The transaction
begins when ``request.db`` is first asked for, so a request that only reads pays nothing. It ends
inside Pyramid's exception views: a commit that fails is answered like any other database error.

There is one resource to commit, so SQLAlchemy's own transaction is all there is: with a
transaction manager and a session in between, beginning and committing cost six times as much.
"""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response
from sqlalchemy import Connection

from authservice import events

View = Callable[[Any, Any], Response]


def begin(request: Any) -> Connection:
    """Begin the request's transaction and return its connection."""
    connection: Connection = request.database.begin()
    request.writing = connection
    return connection


def transactional_view(view: View, _info: object) -> View:
    """Return the view with the end of the transaction around it (a Pyramid view deriver)."""

    def wrapper(context: Any, request: Any) -> Response:
        happened: list[events.Event] = []
        try:
            response = view(context, request)
            if request.writing is not None:
                happened = request.database.commit(request.writing)
        finally:
            if request.writing is not None:
                request.database.end(request.writing)
                # The exception view that may follow passes here too, with nothing left to end.
                request.writing = None
        events.log(*happened)
        return response

    return wrapper


def includeme(config: Any) -> None:
    """Put the deriver around every view."""
    config.add_view_deriver(transactional_view)
