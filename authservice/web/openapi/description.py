"""The description of every endpoint in the words of OpenAPI 3.1, made of ``openapi.yaml``."""

import json
from pathlib import Path
from typing import Any

from authservice.settings import AuthSettings
from authservice.web.session.cookies import Cookies

_COMPILED = Path(__file__).with_name("openapi.json")


def document(settings: AuthSettings, cookies: Cookies) -> dict[str, Any]:
    """Return the description of the service that has these settings."""
    described: dict[str, Any] = json.loads(_COMPILED.read_bytes())
    described["info"]["title"] = settings.service_name
    described["servers"] = [{"url": settings.auth_url}]
    schemes = described["components"]["securitySchemes"]
    schemes["session"]["name"] = cookies.session_name
    schemes["companion"]["name"] = cookies.companion_name
    metadata = f"{settings.issuer}/.well-known/openid-configuration"
    schemes["openIdConnect"]["openIdConnectUrl"] = metadata
    return described
