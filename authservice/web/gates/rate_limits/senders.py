"""Who sent a request, as far as its address says, and counting it for them."""

import hashlib
from functools import cache
from ipaddress import IPv4Address

from limits import RateLimitItem, RateLimitItemPerSecond

from authservice.web import routes
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.client_address import IPAddress, UnreadableAddress

# A site has a /48 and may use each of its 65,536 networks. Several households may share one.
_OF_A_SITE = 8
_MINUTE = 60


@cache
def limit_of(amount: int, seconds: int) -> RateLimitItem:
    """Return so many requests in so many seconds."""
    return RateLimitItemPerSecond(amount, seconds)


def count(request: AuthRequest, limit: RateLimitItem, *what: str, cost: int = 1) -> None:
    """Count a request of an address, and of the site that the address belongs to.

    It counts as ``cost`` requests.
    """
    limits = request.components.rate_limits
    if limits is None:
        return
    if "ready" not in what:
        # There a load balancer asks for itself, perhaps by the public name.
        request.components.silent_proxy.look(request.environ)
    for sender, times in senders(request.sender):
        limits.count(times_of(limit, times), *what, sender, cost=cost)


def count_unknown(request: AuthRequest, *who: str) -> None:
    """Count a cookie or a token of the form of ours that is not stored, for its path."""
    limit = limit_of(request.auth_settings.request_limits.unknown_tokens, _MINUTE)
    count(request, limit, "unknown_tokens", str(routes.known_path(request)), *who)


def require_room(request: AuthRequest, limit: RateLimitItem, *what: str) -> None:
    """Raise TooManyRequestsError where ``count`` would; nothing is counted."""
    limits = request.components.rate_limits
    if limits is None:
        return
    for sender, times in senders(request.sender):
        limits.require_room(times_of(limit, times), *what, sender)


def times_of(limit: RateLimitItem, times: int) -> RateLimitItem:
    """Return a limit that is so many times as high."""
    if times == 1:
        return limit
    return RateLimitItemPerSecond(times * limit.amount, limit.get_expiry())


def senders(sender: IPAddress | UnreadableAddress | None) -> tuple[tuple[str, int], ...]:
    """Return what is counted for a sender, each with how many times a limit it may use.

    An IPv6 sender has a whole /64, and often each of a /48. The narrower one comes first: what it
    is refused does not count against its neighbours.
    """
    if sender is None:
        return (("unknown", 1),)
    if isinstance(sender, UnreadableAddress):
        # All of it, so that none are taken for one: the servers bound how long a header is.
        return ((f"unreadable {hashlib.sha256(sender.text.encode()).hexdigest()}", 1),)
    if isinstance(sender, IPv4Address):
        return ((str(sender), 1),)
    number = int(sender)
    return ((f"{number >> 64:x}/64", 1), (f"{number >> 80:x}/48", _OF_A_SITE))
