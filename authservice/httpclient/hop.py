"""One request on the wire: the first of a call, or one that follows a redirect.

301 and 302 turn POST into GET and 303 everything but HEAD, as in the Fetch standard; 307 and 308
repeat the request with its body (RFC 9110 section 15.4). To another origin no credential goes
along. Since any header may be one, only those go that describe content, never Authorization or
Cookie; they do not come back if a later redirect returns. From https to http none is followed:
address and answer would be readable in the network.
"""

import re
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from urllib3.util import Url

from authservice.httpclient.errors import InvalidRequestError, RedirectRefusedError
from authservice.httpclient.request import Method, Request, wrong_type
from authservice.httpclient.response import Headers
from authservice.httpclient.url import joined, origin, parsed, printable_address, with_query

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2
_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
# They say where a message ends and whom it is for; a second opinion is an attack or a mistake.
_RESERVED = {"content-length", "host", "transfer-encoding"}
_POST_BECOMES_GET = {301, 302}
_BECOMES_GET = 303
_REDIRECTS = {301, 302, 303, 307, 308}
_HARMLESS = {"accept", "accept-encoding", "accept-language", "content-type", "user-agent"}


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


@dataclass(frozen=True)
class Hop:
    """What is sent to one address."""

    method: Method
    url: Url
    headers: CaseInsensitiveDict[str]
    body: bytes | None

    def exchange(self) -> Exchange:
        """Return what those who watch may know of it; what they add to the headers is sent."""
        _, host, port = origin(self.url)
        return Exchange(self.method, host, port, self.headers)

    def prepared(self) -> PreparedRequest:
        """Return the form that requests' adapter takes."""
        prepared = PreparedRequest()
        prepared.prepare(method=self.method, url=self.url.url, headers=self.headers, data=self.body)
        return prepared


def is_header_value(text: str) -> bool:
    """Tell whether a text may be the value of a header (RFC 9110, section 5.5)."""
    return _VALUE.fullmatch(text) is not None


def first_hop(request: Request, user_agent: str) -> Hop:
    """Return what the request asks to send, or raise ``InvalidRequestError``."""
    if (problem := wrong_type(request)) is not None:
        raise _invalid(request, problem)
    if request.method not in set(Method):
        raise _invalid(request, "unknown method")
    if (problem := next(_header_problems(request), None)) is not None:
        raise _invalid(request, problem)
    url = parsed(request.base_url)
    if url is None:
        raise _invalid(request, "not a valid http or https address")
    if url.auth is not None:
        raise _invalid(request, "credentials belong into a header, not into the address")
    url = with_query(url, request.query_params)
    if url is None:
        raise _invalid(request, "a query parameter is not valid text")
    headers = CaseInsensitiveDict({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
    headers.update(request.headers)
    if request.body:
        headers.setdefault("Content-Type", "application/json")
    return Hop(Method(request.method), url, headers, request.body or None)


def _header_problems(request: Request) -> Iterator[str]:
    seen = set[str]()
    for name, value in request.headers.items():
        if not _NAME.fullmatch(name):
            yield "a header name holds a character that is not allowed"
        elif not is_header_value(value):
            yield f"the value of {name} is not plain ASCII without control or outer white space"
        elif name.lower() in _RESERVED:
            yield f"{name} is for the client to set"
        elif name.lower() in seen:
            yield f"{name} is given twice"
        seen.add(name.lower())


def _invalid(request: Request, reason: str) -> InvalidRequestError:
    # It may be of any type, and need not be hashable.
    method = getattr(request, "method", None)
    named = method if isinstance(method, str) and method in set(Method) else "(invalid method)"
    return InvalidRequestError(reason, named, printable_address(getattr(request, "base_url", None)))


def following(hop: Hop, status_code: int, headers: Headers) -> Hop | None:
    """Return the hop that the answer to this one asks for, or None if it is no redirect.

    A redirect to what is not an http or https address, to one with credentials in it, or from
    https to http raises ``RedirectRefusedError``.
    """
    locations = headers.get("Location", [])
    if status_code not in _REDIRECTS or not locations:
        return None
    # Header bytes arrive as Latin-1, while addresses that are not ASCII are sent in UTF-8.
    location = locations[0].encode("latin-1").decode(errors="replace")
    url = joined(hop.url, location)
    if url is None or url.auth is not None or len(locations) > 1:
        raise RedirectRefusedError("redirected to an address that is not valid")
    if (hop.url.scheme, url.scheme) == ("https", "http"):
        refused = RedirectRefusedError("redirected from https to http")
        refused.location = url.url
        raise refused
    method, body, fields = hop.method, hop.body, hop.headers
    if (status_code in _POST_BECOMES_GET and method == Method.POST) or (
        status_code == _BECOMES_GET and method != Method.HEAD
    ):
        method, body = Method.GET, None
        fields = _only(fields, {name for name in fields if not name.lower().startswith("content-")})
    if origin(url) != origin(hop.url):
        fields = _only(fields, {name for name in fields if name.lower() in _HARMLESS})
    return Hop(method, url, fields, body)


def _only(headers: CaseInsensitiveDict[str], names: set[str]) -> CaseInsensitiveDict[str]:
    return CaseInsensitiveDict({name: headers[name] for name in names})
