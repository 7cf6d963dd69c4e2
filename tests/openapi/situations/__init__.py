"""A request for each answer of the description: what leads to it, and what then sends it."""

from tests.openapi.situations import (  # noqa: F401  (each marks its own)
    browsers,
    clients,
    documents,
    forward,
    pages,
    provider,
    session_api,
)
from tests.openapi.situations.marks import SITUATIONS

__all__ = ["SITUATIONS"]
