"""The control API in the words of OpenAPI 3.1, added to the description of the service."""

import json
from functools import lru_cache
from pathlib import Path

from authservice.crypto.compact_json import compact

_COMPILED = Path(__file__).with_name("openapi.json")


# Most applications that tests make in one process are described by the same words.
@lru_cache(maxsize=4)
def with_control(document: bytes) -> bytes:
    """Return the description of a service that has the control API too."""
    described = json.loads(document)
    added = json.loads(_COMPILED.read_bytes())
    described["paths"] |= added["paths"]
    for kind, components in added["components"].items():
        # What both have is described by the service.
        described["components"][kind] = components | described["components"][kind]
    return compact(described).encode()
