"""The description of every endpoint in the words of OpenAPI 3.1, made of ``openapi.yaml``."""

import json
from functools import lru_cache
from pathlib import Path

from authservice.crypto.compact_json import compact
from authservice.settings import AuthSettings

_COMPILED = Path(__file__).with_name("openapi.json")


def document(settings: AuthSettings, session_cookie: str, companion_cookie: str) -> bytes:
    """Return the description of the service that has these settings, in JSON."""
    return _document(
        settings.service_name,
        settings.auth_url,
        f"{settings.issuer}/.well-known/openid-configuration",
        session_cookie,
        companion_cookie,
    )


# Most applications that tests make in one process are described by the same words.
@lru_cache(maxsize=4)
def _document(
    service_name: str, auth_url: str, metadata: str, session_name: str, companion_name: str
) -> bytes:
    described = json.loads(_COMPILED.read_bytes())
    described["info"]["title"] = service_name
    described["servers"] = [{"url": auth_url}]
    schemes = described["components"]["securitySchemes"]
    schemes["session"]["name"] = session_name
    schemes["companion"]["name"] = companion_name
    schemes["openIdConnect"]["openIdConnectUrl"] = metadata
    return compact(described).encode()
