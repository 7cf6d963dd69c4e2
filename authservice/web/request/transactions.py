"""One writing transaction for each request that writes: committed by returning an answer.

A view that returns commits, whatever the status; a view that raises rolls back. The transaction
begins when ``request.transaction`` is first read, so a request that only reads pays nothing.
It ends inside Pyramid's exception views: a commit that fails is answered like any other database
error. Nothing is tried a second time: a repetition would exchange the provider's code again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyramid.response import Response

from authservice.database.transaction import Transaction

if TYPE_CHECKING:
    from authservice.web.request.auth_request import AuthRequest

View = Callable[[Any, Any], Response]


def begin(request: "AuthRequest") -> Transaction:
    """Begin the request's transaction and return it."""
    transaction: Transaction = request.database.begin()
    request.open_transaction = transaction
    return transaction


def transactional_view(view: View, _info: object) -> View:
    """Return the view with the end of the transaction around it (a Pyramid view deriver)."""

    def wrapper(context: Any, request: "AuthRequest") -> Response:
        try:
            response = view(context, request)
            if request.open_transaction is not None:
                request.open_transaction.commit()
        finally:
            if request.open_transaction is not None:
                # The exception view that may follow passes here too, with nothing left to end.
                ended, request.open_transaction = request.open_transaction, None
                ended.end()
        return response

    return wrapper


def includeme(config: Any) -> None:
    """Put the deriver around every view."""
    config.add_view_deriver(transactional_view)
