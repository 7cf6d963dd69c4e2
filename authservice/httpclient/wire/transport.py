"""requests' adapter on our connections.

There is no ``requests.Session``: a session keeps cookies, looks into ~/.netrc and the environment,
and reads the bodies of redirects without limit. The adapter below it does none of that.
"""

import ssl
from typing import Any

from requests.adapters import HTTPAdapter

from authservice.httpclient.wire.connections import POOL_CLASSES


class Transport(HTTPAdapter):
    """Sends prepared requests over pooled connections; usable from several threads."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__()

    def init_poolmanager(
        self,
        connections: int,
        maxsize: int,
        block: bool = False,  # noqa: FBT001, FBT002  (the library's signature)
        **pool_kwargs: Any,  # noqa: ANN401  (as above)
    ) -> None:
        """Make the manager of the pools for direct connections."""
        super().init_poolmanager(
            connections, maxsize, block=block, ssl_context=self._context, **pool_kwargs
        )
        self.poolmanager.pool_classes_by_scheme = POOL_CLASSES

    def proxy_manager_for(self, proxy: str, **proxy_kwargs: Any) -> Any:  # noqa: ANN401  (as above)
        """Return the manager of the pools for connections through this proxy."""
        manager = super().proxy_manager_for(
            proxy, ssl_context=self._context, proxy_ssl_context=self._context, **proxy_kwargs
        )
        manager.pool_classes_by_scheme = POOL_CLASSES
        return manager

    def cert_verify(self, conn: object, url: str, verify: object, cert: object) -> None:
        """Leave the decision to the context: the library would add its own bundle to it."""
