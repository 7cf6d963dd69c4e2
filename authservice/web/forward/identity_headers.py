"""What an application behind a proxy learns of a person: Remote-User and the headers beside it."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from authservice.services.people.users import User
from authservice.settings import AuthSettings

# Visible ASCII stays as it is. A percent sign begins what is encoded, and a comma ends a group.
_PLAIN = re.compile(r"[!-$&-+\--~]*")
_KEPT = "!\"#$&'()*+-./:;<=>?@[\\]^_`{|}~"
_ASCII = {code: quote(chr(code), safe=_KEPT) for code in range(128)}
_LONGEST_GROUPS = 4096
# As WSGI names them. Every proxy of ours puts its own in place of those of a visitor.
_OURS = {f"HTTP_REMOTE_{name}" for name in ("USER", "NAME", "EMAIL", "USERNAME", "GROUPS")}


def of_person(user: User, groups: str, settings: AuthSettings) -> list[tuple[str, str]]:
    """Return the headers, each with a value, which is empty where it is not known.

    Values are UTF-8, percent-encoded outside visible ASCII and for a percent sign and a comma.
    """
    return [
        ("Remote-User", _encoded(user.id)),
        ("Remote-Name", _encoded(user.name)),
        ("Remote-Email", _encoded(user.trusted_email(settings) or "")),
        ("Remote-Username", _encoded(user.username or "")),
        ("Remote-Groups", groups),
    ]


def has_others(environ: Mapping[str, object]) -> bool:
    """Tell whether a request has headers whose names begin with Remote, and that are not ours.

    Applications may take ``Remote.User`` for ``Remote-User``, or believe a ``Remote-Role``.
    """
    # Nearly no request has any, and this tells so in a fraction of the time.
    if "HTTP_REMOTE" not in "\n".join(environ):
        return False
    return any(name.startswith("HTTP_REMOTE") and name not in _OURS for name in environ)


def groups_value(groups: Iterable[str]) -> str:
    """Return groups as the value of Remote-Groups."""
    return ",".join(map(_encoded, groups))


def cut(value: str) -> str:
    """Return a value of Remote-Groups with as many whole groups as have room in 4,096 octets."""
    if len(value) <= _LONGEST_GROUPS:
        return value
    return value[: max(value.rfind(",", 0, _LONGEST_GROUPS + 1), 0)]


def _encoded(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    # Most names have a space, and this takes a third of the time for it.
    return text.translate(_ASCII) if text.isascii() else quote(text, safe=_KEPT)
