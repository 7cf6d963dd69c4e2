"""What a response does to a browser's cookies."""

from typing import NamedTuple


class SetCookie(NamedTuple):
    """One Set-Cookie header, its attributes in lower case and without what varies."""

    value: str
    attributes: frozenset[str]


def cookies_set_by(response):
    """Return the cookies that a response sets or clears, by name."""
    found = {}
    for header in response.headers.getall("Set-Cookie"):
        pair, *attributes = header.split("; ")
        name, _, value = pair.partition("=")
        assert name not in found, "set twice"
        # Expires repeats Max-Age for very old browsers.
        kept = (text for text in attributes if not text.lower().startswith("expires="))
        found[name] = SetCookie(value, frozenset(kept))
    return found


def cookie_header(response):
    """Return the cookies of a response as a browser sends them back."""
    return "; ".join(f"{name}={cookie.value}" for name, cookie in cookies_set_by(response).items())
