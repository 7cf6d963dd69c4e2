"""Answers of ready bytes, with which nothing is left to do when they are sent."""

from collections.abc import Callable, Iterable
from typing import Any

from pyramid.response import Response

_OK = 200


class ReadyAnswer(Response):  # type: ignore[misc]  # Pyramid has no types
    """An answer that leads nowhere else.

    WebOb would look among its headers for a length, and for an address to complete.
    """

    def __init__(self, body: bytes, headers: list[tuple[str, str]], status: int = _OK) -> None:
        """Take the body and the headers, to which its length is added."""
        headers.append(("Content-Length", str(len(body))))
        super().__init__(
            app_iter=[body], status=None if status == _OK else status, headerlist=headers
        )

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., object]
    ) -> Iterable[bytes]:
        """Send it, without the body where only the headers were asked for."""
        start_response(self.status, self.headerlist)
        answered: Iterable[bytes] = self.app_iter
        return [] if environ["REQUEST_METHOD"] == "HEAD" else answered
