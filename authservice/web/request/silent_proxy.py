"""A proxy that says nothing of who sent a request: detected on its requests, and logged once."""

import logging
import threading
from collections.abc import Mapping
from typing import Any

from authservice.settings import AuthSettings
from authservice.web.request.client_address import is_sender_known, is_trusted

_log = logging.getLogger(__name__)


class SilentProxy:
    """Looks at requests as they are counted; usable from several threads."""

    def __init__(self, settings: AuthSettings) -> None:
        self._trusted = settings.trusted_proxies
        # In local mode the public host is that of the machine itself, where no proxy is needed.
        self._host = None if settings.local_mode else settings.host
        self._unsaid = threading.Lock()

    def knows_sender(self, environ: Mapping[str, Any]) -> bool:
        """Tell whether a request's own sender is known, and not only a proxy on its way."""
        return is_sender_known(environ, self._trusted, self._host)

    def look(self, environ: Mapping[str, Any]) -> None:
        """Log that a trusted proxy passes requests on without their sender, once in a process.

        A header from a sender that is not trusted means nothing: any stranger can send one.
        """
        said = "HTTP_X_FORWARDED_FOR" in environ
        if said or self._unsaid.locked() or self.knows_sender(environ):
            return
        address = str(environ.get("REMOTE_ADDR", ""))
        if is_trusted(address, self._trusted) and self._unsaid.acquire(blocking=False):
            _log.warning(
                "%s passes requests on without X-Forwarded-For, so all people behind it count as"
                " one sender; let the proxy append each sender's address",
                address,
            )
