"""One writing transaction for each request that writes: committed by returning an answer.

A view that returns commits, whatever the status; a view that raises rolls back. The transaction
begins when ``request.db`` is first asked for, so a request that only reads pays nothing. It ends
inside Pyramid's exception views: a commit that fails is answered like any other database error.
"""

from collections.abc import Callable
from typing import Any

import zope.sqlalchemy
from pyramid.response import Response
from sqlalchemy import Connection
from sqlalchemy.orm import sessionmaker
from transaction import ThreadTransactionManager

View = Callable[[Any, Any], Response]


def begin(request: Any) -> Connection:
    """Begin the request's transaction and return its connection."""
    manager, sessions = request.registry.writing
    manager.begin()
    request.transaction = manager
    connection: Connection = sessions().connection()
    return connection


def transactional_view(view: View, _info: object) -> View:
    """Return the view with the end of the transaction around it (a Pyramid view deriver)."""

    def wrapper(context: Any, request: Any) -> Response:
        try:
            response = view(context, request)
            if request.transaction is not None:
                request.transaction.commit()
        except BaseException:
            if request.transaction is not None:
                request.transaction.abort()
            raise
        finally:
            # The exception view that may follow passes here too, with nothing left to end.
            request.transaction = None
        return response

    return wrapper


def includeme(config: Any) -> None:
    """Put the deriver around every view, and tie the writer's sessions to its transactions."""
    # One manager for each thread: a thread answers one request at a time.
    manager = ThreadTransactionManager()
    sessions = sessionmaker(config.registry.components.database.writer)
    # Registered once: for each session anew it would cost more than the statements do.
    # Statements on the connection bypass the session, which would otherwise take the transaction
    # for one that changed nothing and roll it back without a word.
    zope.sqlalchemy.register(sessions, initial_state="changed", transaction_manager=manager)
    config.registry.writing = manager, sessions
    config.add_view_deriver(transactional_view)
