"""Whether calls and clients are described in the types that they take, before anything is sent.

The libraries below take more: a list of pairs as a query, text as a body, which they encode by a
rule of their own. Then something else travels than the caller thinks.
"""

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any

from authservice.httpclient.request import Request
from authservice.httpclient.timeouts import Timeouts

_SETTINGS: dict[str, tuple[str, Any]] = {
    "timeouts": ("Timeouts", Timeouts),
    "max_redirects": ("an int", int),
    "max_body_bytes": ("an int", int),
    "ca_bundle": ("a path or None", str | PathLike | None),
    "proxies": ("a mapping of str to str", Mapping),
    "user_agent": ("a str", str),
    "address_policy": ("a function or None", Callable | None),
}


def require_settings(settings: Mapping[str, object]) -> None:
    """Raise TypeError if a setting of a client is of another type than it takes."""
    for name, (expected, types) in _SETTINGS.items():
        if not isinstance(settings[name], types):
            raise TypeError(_instead(f"{name} is {expected}", settings[name]))


def wrong_type(request: object) -> str | None:
    """Return the first rule that a value breaks by its type, and that type; None if all is right.

    The value itself is never shown: it may be a secret.
    """
    return next(_problems(request), None)


def _problems(request: Any) -> Iterator[str]:  # noqa: ANN401  (whatever the caller gives)
    if not isinstance(request, Request):
        yield _instead("what is sent is a Request", request)
        return
    # As a caller without a type checker may have filled it.
    fields: dict[str, Any] = vars(request)
    for name in ("method", "base_url"):
        if not isinstance(fields[name], str):
            yield _instead(f"{name} is a {'Method' if name == 'method' else 'str'}", fields[name])
    for name, each in (("headers", "a header"), ("query_params", "a query parameter")):
        yield from _mapping_problems(name, each, fields[name])
    if not isinstance(fields["body"], bytes | None):
        yield _instead("body is bytes or None", fields["body"])


def _mapping_problems(field: str, each: str, given: object) -> Iterator[str]:
    if not isinstance(given, Mapping):
        yield _instead(f"{field} is a mapping of str to str", given)
        return
    for name, value in given.items():
        if not isinstance(name, str):
            yield _instead(f"the name of {each} is a str", name)
        if not isinstance(value, str):
            yield _instead(f"the value of {each} is a str", value)


def _instead(rule: str, value: object) -> str:
    return f"{rule}, not {type(value).__name__}"
