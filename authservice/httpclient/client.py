"""Sending a request and following its redirects."""

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from typing import Any, Self

from authservice.httpclient.address_policy import AddressPolicy
from authservice.httpclient.call import FAILURES, Call, Timeouts, explained, is_calling
from authservice.httpclient.connections import dial
from authservice.httpclient.errors import InvalidRequestError, SendError, TooManyRedirectsError
from authservice.httpclient.hop import (
    Exchange,
    Hop,
    first_hop,
    following,
    is_header_value,
    observed,
)
from authservice.httpclient.request import Request
from authservice.httpclient.response import Headers, Response, read_body
from authservice.httpclient.transport import Transport, tls_context
from authservice.httpclient.url import origin, parsed, printable, printable_address

_TYPES: dict[str, tuple[str, Any]] = {
    "timeouts": ("Timeouts", Timeouts),
    "max_redirects": ("an int", int),
    "max_body_bytes": ("an int", int),
    "ca_bundle": ("a path or None", str | PathLike | None),
    "proxies": ("a mapping of str to str", Mapping),
    "user_agent": ("a str", str),
    "address_policy": ("a function or None", Callable | None),
}
# urllib3 logs whole request targets, some of them as warnings, and a query may hold secrets.
_LOGGERS = ("urllib3.connection", "urllib3.connectionpool", "urllib3.util.retry")


@dataclass(frozen=True, kw_only=True, eq=False)
class Client:
    """Sends requests over pooled connections, within limits; usable from several threads.

    ``max_body_bytes`` counts the decompressed body. ``ca_bundle`` is a PEM file of the authorities
    to trust instead of the public ones, or, with ``system_authorities``, beside those that this
    machine trusts; there is no way to switch verification off. ``proxies``
    maps ``http`` and ``https`` to the address of an HTTP proxy. A proxy looks names up itself, so
    together with an ``address_policy`` it is refused with ``ValueError``, as is every setting that
    cannot work. One of another type is a ``TypeError``.

    No cookies are kept, nothing is retried, and nothing is taken from the environment.
    """

    timeouts: Timeouts = field(default_factory=Timeouts)
    max_redirects: int = 10
    max_body_bytes: int = 10 * 1024 * 1024
    ca_bundle: str | PathLike[str] | None = None
    system_authorities: bool = False
    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_agent: str = "authservice-httpclient"
    address_policy: AddressPolicy | None = None
    _transport: Transport = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, (expected, types) in _TYPES.items():
            value = getattr(self, name)
            if not isinstance(value, types):
                raise TypeError(f"{name} is {expected}, not {type(value).__name__}")
        if min(self.max_redirects, self.max_body_bytes) < 0:
            raise ValueError("a limit is 0 or more")
        if not is_header_value(self.user_agent):
            raise ValueError("user_agent is plain ASCII without control or outer white space")
        if self.proxies and self.address_policy is not None:
            raise ValueError("an address policy cannot hold behind a proxy")
        if any(parsed(proxy) is None for proxy in self.proxies.values()):
            raise ValueError("a proxy must be an http or https address")
        for logger in _LOGGERS:
            # More than once is the same as once.
            logging.getLogger(logger).addFilter(_is_not_ours)
        context = tls_context(self.ca_bundle, system_authorities=self.system_authorities)
        object.__setattr__(self, "_transport", Transport(context))

    def send(self, request: Request) -> Response:
        """Return the answer of the host, with any status code.

        Raises ``SendError``, by its subclass for the reason, when there is no complete answer.
        """
        call = Call(self.timeouts, self.address_policy)
        with call.running():
            hop = first_hop(request, self.user_agent)
            for _ in range(self.max_redirects + 1):
                outcome = self._exchange(hop, call)
                if isinstance(outcome, Response):
                    return outcome
                hop = outcome
        error = TooManyRedirectsError(
            f"redirected more than {self.max_redirects} times",
            request.method,
            printable_address(request.base_url),
        )
        error.location = hop.url.url
        raise error

    @contextmanager
    def connected(self, address: str) -> Iterator[socket.socket]:
        """Give a connection to the host of an address, for what no ``Request`` describes.

        It is encrypted where the address is https. The time limits of a call hold until the block
        ends, and what fails in it raises ``SendError``, without a method. A client with proxies
        gives none.
        """
        url = parsed(address)
        if url is None or self.proxies:
            reason = "a proxy is set" if self.proxies else "not a valid http or https address"
            raise InvalidRequestError(reason, url=printable_address(address))
        scheme, host, port = origin(url)
        host = host.strip("[]")
        call = Call(self.timeouts, self.address_policy)
        failure: SendError
        with call.running(), ExitStack() as opened:
            try:
                connection = opened.enter_context(dial(host, port, ()))
                if scheme == "https":
                    connection = opened.enter_context(self._transport.encrypted(connection, host))
                yield connection
            except SendError as error:
                failure = error
            except FAILURES as error:
                failure = explained(error, call)
            else:
                return
        raise failure.at("", printable(url))

    def close(self) -> None:
        """Close the pooled connections; a later ``send`` opens new ones."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.close()

    def _exchange(self, hop: Hop, call: Call) -> Response | Hop:
        exchange = hop.exchange()
        with observed(exchange):
            return self._outcome(hop, call, exchange)

    def _outcome(self, hop: Hop, call: Call, exchange: Exchange) -> Response | Hop:
        failure: SendError
        try:
            return self._answer(hop, exchange)
        except SendError as error:
            failure = error
        except FAILURES as error:
            failure = explained(error, call)
        # Outside the handlers, so that no library's text hangs on to it as its context.
        raise failure.at(hop.method, printable(hop.url))

    def _answer(self, hop: Hop, exchange: Exchange) -> Response | Hop:
        sent = self._transport.send(
            hop.prepared(),
            stream=True,
            timeout=(self.timeouts.connect, self.timeouts.read),
            proxies=dict(self.proxies),
        )
        with closing(sent):
            exchange.status = sent.status_code
            headers = Headers(sent.raw.headers.items())
            next_hop = following(hop, sent.status_code, headers)
            if next_hop is not None:
                return next_hop
            return Response(sent.status_code, read_body(sent.raw, self.max_body_bytes), headers)


def _is_not_ours(_record: logging.LogRecord) -> bool:
    """Drop records while they come from a call of ours; other users of urllib3 keep theirs."""
    return not is_calling()


@cache
def _default_client() -> Client:
    return Client()


def send(request: Request) -> Response:
    """Return the answer to the request, sent by a client of default settings.

    Raises ``SendError`` when there is no complete answer.
    """
    return _default_client().send(request)
