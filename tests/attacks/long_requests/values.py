"""Requests with one long parameter or field, of every operation that the service describes."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, quote_plus

from authservice.web.gates.junk_guard import MAX_BODY, MAX_QUERY
from tests.attacks.long_requests.headers import LONGEST_HEADER
from tests.attacks.long_requests.sent import FORM, Long, Sent

_AUTHORIZE = "/api/auth/oauth2/authorize"
_LONGEST_AUTHORIZATION_REQUEST = 15_000
# Room for the other parameters.
_LONGEST_QUERY = MAX_QUERY - 2_000
_LONGEST_BODY = MAX_BODY - 2_000

# What a value begins with so that more of it is read.
_BEGINNINGS = ("", "https://app.example.com/", "http://127.0.0.1:", "eyJhbGciOiJSUzI1NiJ9.")
_UNITS = (
    "a",
    "a ",
    "a-",
    "a.",
    "a/",
    "/",
    ":",
    "1",
    "[",
    '{"a":',
    '{"a":1},',
    '"\\u0041',
    "%",
    "@",
    "openid ",
    "e\u0301",
    "\x00",
)

Encoding = Callable[[str], str]


class _Value(NamedTuple):
    """A value that is long, for it repeats a unit."""

    beginning: str
    unit: str
    times: int

    def encoded(self, by: Encoding) -> str:
        """Return it in an encoding that takes each character by itself: the unit only once."""
        # An end lets lists and tags be whole.
        return by(self.beginning) + by(self.unit) * self.times + by("a")


Changes = Mapping[str, _Value]
Put = Callable[[Changes, str], Sent]


def with_long_values(
    path: str,
    method: str,
    described: Mapping[str, Any],
    sound: Mapping[str, str],
    headers: Mapping[str, str],
) -> Iterator[Long]:
    """Yield requests for an operation, as OpenAPI describes it, each with one value that is long.

    With the ``sound`` parameters a request gets as far as it can.
    """
    longest = _LONGEST_AUTHORIZATION_REQUEST if path == _AUTHORIZE else _LONGEST_QUERY
    query = {each["name"]: each["in"] for each in described.get("parameters", ())}
    requests = _Values(method.upper(), path, sound, headers)
    for name in [*(name for name, kind in query.items() if kind == "query"), "unheard_of"]:
        yield from requests.each(name, longest, requests.in_query)
    for kind, content in described.get("requestBody", {}).get("content", {}).items():
        names = [*content["schema"].get("properties", ()), "unheard_of"]
        for name in names:
            yield from requests.each(
                name, _LONGEST_BODY, requests.in_form if kind == FORM else requests.in_json
            )
    if "path" in query.values():
        yield from requests.each("path", LONGEST_HEADER, requests.in_path)


class _Values:
    """Requests of which one parameter or field is long."""

    def __init__(
        self, method: str, path: str, sound: Mapping[str, str], headers: Mapping[str, str]
    ) -> None:
        self._method = method
        self._path = path
        self._sound = sound
        self._headers = headers

    def each(self, name: str, longest: int, put: Put) -> Iterator[Long]:
        for beginning in _BEGINNINGS:
            for unit in _UNITS:
                make = self._maker(put, name, beginning, unit)
                yield Long(f"{name}={beginning}{unit}…", longest, make)
        # Many of a name, and many names.
        yield Long(f"{name}, repeated", longest, self._many(put, f"{name}=a&"))
        yield Long(f"after {name}, others", longest, self._many(put, f"{name[0]}=&"))

    def _maker(self, put: Put, name: str, beginning: str, unit: str) -> Callable[[int], Sent]:
        size = len(quote(unit))
        return lambda length: put({name: _Value(beginning, unit, length // size)}, "")

    def _many(self, put: Put, pair: str) -> Callable[[int], Sent]:
        return lambda length: put({}, pair * (length // len(pair)) + "a")

    def in_query(self, changes: Changes, more: str) -> Sent:
        query = more + self._form(changes)
        return Sent(self._method, self._path, query=query, headers=self._headers)

    def in_form(self, changes: Changes, more: str) -> Sent:
        body = (more + self._form(changes)).encode()
        return Sent(self._method, self._path, body=body, headers=self._headers)

    def in_json(self, changes: Changes, more: str) -> Sent:
        pairs = [*self._sound.items(), *parse_qsl(more, keep_blank_values=True)]
        sound = [(name, json.dumps(value)) for name, value in pairs if name not in changes]
        long = [(name, f'"{value.encoded(_inside_json)}"') for name, value in changes.items()]
        members = ",".join(f"{json.dumps(name)}:{value}" for name, value in long + sound)
        headers = {**self._headers, "Content-Type": "application/json"}
        return Sent(self._method, self._path, body=f"{{{members}}}".encode(), headers=headers)

    def in_path(self, changes: Changes, more: str) -> Sent:
        value = "".join(value.encoded(quote_plus) for value in changes.values())
        path = self._path.partition("{")[0] + (value or quote_plus(more))
        return Sent(self._method, path, headers=self._headers)

    def _form(self, changes: Changes) -> str:
        sound = {name: quote_plus(value) for name, value in self._sound.items()}
        long = {name: value.encoded(quote_plus) for name, value in changes.items()}
        pairs = {**sound, **long}.items()
        return "&".join(f"{quote_plus(name)}={value}" for name, value in pairs)


def _inside_json(text: str) -> str:
    return json.dumps(text)[1:-1]
