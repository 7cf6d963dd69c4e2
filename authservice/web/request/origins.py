"""Which origins are ours, and which addresses a person may be sent back to.

In production these are the service itself, every https host on the cookie domain and what the
settings add; in local mode every localhost origin.
"""

import re
from functools import lru_cache
from urllib.parse import quote

from authservice.settings import AuthSettings
from authservice.settings.hosts import host_of, is_host_name, is_loopback, origin_of, within_domain
from authservice.settings.parsing import is_origin

# A path on this host. A backslash or a second slash at its start would make browsers take what
# follows for a host; control characters and spaces are dropped by them.
_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")
_ADDRESS = re.compile(r"https?://[^\x00-\x20\x7f\\]+")
# People write these in addresses, and browsers percent-encode them (URL Standard, section 4.4).
# Neither are control characters beyond ASCII nor halves of a character.
_WRITTEN = re.compile(r"[ |\xa0-\ud7ff\ue000-\U0010ffff]+")


class Origins:
    """The trusted origins of one configuration."""

    def __init__(self, settings: AuthSettings) -> None:
        self._settings = settings
        self._named = {settings.auth_url, *settings.trusted_origins}
        # A proxy asks about a few hosts again and again.
        self.shares_session = lru_cache(maxsize=256)(self._shares_session)

    def trusts(self, origin: str) -> bool:
        """Tell whether an Origin header's value is one of ours, exactly as browsers write it."""
        if origin in self._named:
            return True
        if not is_origin(origin):
            return False
        host = host_of(origin)
        if self._settings.local_mode:
            return is_loopback(host)
        domain = self._settings.cookie_domain
        return (
            domain is not None
            and origin == f"https://{host}"
            and is_host_name(host)
            and within_domain(host, domain)
        )

    def return_address(self, url: str, sender: str | None = None) -> str | None:
        """Return a callbackURL as the browser is sent there; None where it may not be.

        A path is one of the trusted origin that sends it, or one here.
        """
        url = _WRITTEN.sub(lambda written: quote(written[0]), url)
        elsewhere = sender not in {None, self._settings.auth_url}
        if elsewhere and url.startswith("/") and self.allows_return_to(url):
            url = f"{sender}{url}"
        return url if self.allows_return_to(url) else None

    def allows_return_to(self, url: str) -> bool:
        """Tell whether a callbackURL is a path here or an address on a trusted origin."""
        if not url.isascii():
            return False
        if _PATH.fullmatch(url):
            return "%2f" not in url[:4].lower() and "%5c" not in url[:4].lower()
        if not _ADDRESS.fullmatch(url):
            return False
        authority = re.split(r"[/?#]", url.partition("://")[2])[0]
        origin = origin_of(url)
        return "@" not in authority and origin is not None and self.trusts(origin)

    def _shares_session(self, front: str) -> bool:
        """Tell whether what an address begins with is a trusted origin that the session reaches.

        To others browsers do not send its cookie: they would go to the sign-in and back for ever.
        """
        origin = origin_of(front)
        if origin is None or not self.allows_return_to(front):
            return False
        host, domain = host_of(origin), self._settings.cookie_domain
        if domain is not None:
            return within_domain(host, domain)
        # In local mode every name of this machine counts.
        return self._settings.local_mode or host == self._settings.host
