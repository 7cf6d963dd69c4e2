"""Redirect URIs: what may be registered, and when a requested one is a registered one."""

import re
from urllib.parse import urlsplit

from authservice.settings.hosts import is_host_name, is_ip_address, is_loopback, is_own_machine

_MAX_LENGTH = 2048
# The characters of a URI (RFC 3986, appendix A) but "#", which begins a fragment.
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)
# Programs in wide use have these and cannot be changed, though RFC 8252, section 8.4, wants a dot.
_WELL_KNOWN_SCHEMES = ("cursor", "vscode", "vscode-insiders", "oc", "claude")
_LOCALHOST_PORT = re.compile(r"(?<=^http://localhost):\d{1,5}(?=[/?]|$)")
_LOOPBACK_LITERAL = re.compile(r"http://(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)")


def problem_with(uri: str, *, public: bool = False) -> str | None:
    """Return why a URI may not be registered, or None when it may.

    https anywhere, http on loopback only (RFC 8252, section 7.3), private-use schemes in reverse
    domain notation (section 7.1), for public clients some well-known ones as well; never a
    fragment, user information or a wildcard.
    """
    fault = _problem_with_characters(uri)
    if fault is not None:
        return fault
    scheme = uri.partition(":")[0].lower()
    if scheme in {"http", "https"}:
        return _problem_with_web_address(uri)
    if uri.partition(":")[0] in _WELL_KNOWN_SCHEMES:
        if not public:
            return f"begins with {scheme}:, which only a public client may have (--public)"
    elif "." not in scheme:
        return (
            "must use https, http on a loopback host, or a private-use scheme in reverse domain"
            " notation such as com.example.app:/callback"
        )
    return _problem_with_private_use_address(uri)


def _problem_with_characters(uri: str) -> str | None:
    if len(uri) > _MAX_LENGTH:
        return f"must not be longer than {_MAX_LENGTH} characters"
    if "#" in uri:
        return "must not have a fragment (#...)"
    if not _URI.fullmatch(uri):
        return "must be an absolute URI of ASCII characters without spaces"
    if "*" in uri:
        return (
            "must not hold a wildcard (*): it is compared character by character"
            " (RFC 9700, section 2.1), so register each address by itself"
        )
    return None


def _problem_with_private_use_address(uri: str) -> str | None:
    try:
        authority = urlsplit(uri).netloc
    except ValueError:
        return "must have a host that can be read: square brackets enclose an IPv6 address only"
    return "must not have user information" if "@" in authority else None


def _problem_with_web_address(uri: str) -> str | None:
    try:
        scheme, netloc, *_ = parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return "must have a host and a port that can be read"
    if "@" in netloc:
        return "must not have user information before the host"
    host = re.sub(r":\d*$", "", netloc)
    lowered = host.lower()
    if not (is_host_name(lowered) or is_ip_address(host)) or netloc.endswith(":"):
        return "must name a host, written as a DNS name or an IP address"
    if port == 0:
        return "must not name port 0"
    if scheme == "http" and not is_loopback(lowered):
        return "must use https unless the host is localhost, 127.0.0.1 or [::1]"
    return None


def matches(registered: str, requested: str, *, public: bool = False) -> bool:
    """Tell whether a requested URI is a registered one, character by character.

    Only for http on a loopback IP literal may the port differ (RFC 8252, section 7.3), and for
    public clients on localhost, if it was registered without one (RFC 9700, section 2.1).
    """
    if registered == requested:
        return True
    if public and registered == _LOCALHOST_PORT.sub("", requested):
        return True
    ours = _LOOPBACK_LITERAL.fullmatch(registered)
    theirs = _LOOPBACK_LITERAL.fullmatch(requested)
    return bool(ours and theirs and ours.groups() == theirs.groups())


def is_native(uri: str) -> bool:
    """Tell whether a URI leads to an application on the user's own device."""
    parts = urlsplit(uri)
    host = re.sub(r":\d*$", "", parts.netloc).lower()
    return parts.scheme not in {"http", "https"} or is_own_machine(host)
