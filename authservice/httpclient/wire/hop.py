"""One request on the wire: the first of a call, or one that a redirect asked for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from urllib3.util import Url

from authservice.httpclient.argument_types import wrong_type
from authservice.httpclient.errors import InvalidRequestError
from authservice.httpclient.request import Method, Request
from authservice.httpclient.url import parsed, printable_address, with_query
from authservice.httpclient.wire.exchange import Exchange

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2
_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
# They say where a message ends and whom it is for; a second opinion is an attack or a mistake.
_RESERVED = {"content-length", "host", "transfer-encoding"}


@dataclass(frozen=True)
class Hop:
    """What is sent to one address."""

    method: Method
    url: Url
    headers: CaseInsensitiveDict[str]
    body: bytes | None

    def exchange(self) -> Exchange:
        """Return what those who watch may know of it; what they add to the headers is sent."""
        port = self.url.port or (443 if self.url.scheme == "https" else 80)
        return Exchange(self.method, str(self.url.host), port, self.headers)

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
