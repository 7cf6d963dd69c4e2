"""One request on the wire and its answer, for those who watch what this process sends."""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Exchange:
    """What may be known of it: neither path nor query nor body, which may hold secrets."""

    method: str
    host: str
    port: int
    headers: MutableMapping[str, str]
    """What is sent. An observer may add to it, and has no business with what stands there."""
    status: int | None = None
    """The status of the answer, as soon as there is one."""


Observer = Callable[[Exchange], AbstractContextManager[None]]
observers: list[Observer] = []
"""Entered around each exchange of every client: the first of a call, and each redirect."""


@contextmanager
def observed(exchange: Exchange) -> Iterator[None]:
    """Let the observers see an exchange."""
    with ExitStack() as watched:
        for observe in observers:
            watched.enter_context(observe(exchange))
        yield
