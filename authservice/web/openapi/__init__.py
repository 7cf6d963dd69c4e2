"""The description of every endpoint in the words of OpenAPI 3.1, one module for each surface."""

from typing import Any

from authservice.settings import AuthSettings
from authservice.web.cookies import Cookies
from authservice.web.openapi import (
    browser_protocol,
    discovery,
    pages,
    protocol,
    schemas,
    security_schemes,
    session_api,
    unreadable,
)
from authservice.web.openapi.description import Object
from authservice.web.routes import BY_NAME

_DESCRIPTION = """\
A central authentication service and OAuth 2.1 / OpenID Connect provider. First-party applications \
share its session; other applications are clients that use OpenID Connect. Every GET may be a \
HEAD. A method that an address does not know is answered with 405 and `Allow`. What cannot be read \
is refused in JSON, whatever the address answers otherwise."""
_OPERATIONS = {
    **discovery.OPERATIONS,
    **protocol.OPERATIONS,
    **browser_protocol.OPERATIONS,
    **session_api.OPERATIONS,
    **pages.OPERATIONS,
}


def document(settings: AuthSettings, cookies: Cookies) -> dict[str, Any]:
    """Return the description of the service that has these settings."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": settings.service_name,
            "version": "1",
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.auth_url}],
        "paths": _paths(),
        "components": {
            "schemas": schemas.SCHEMAS,
            "securitySchemes": security_schemes.of(settings, cookies),
        },
    }


def _paths() -> Object:
    paths: Object = {}
    for (name, method), operation in _OPERATIONS.items():
        route = BY_NAME[name]
        identified = {"operationId": f"{method}_{name.replace('.', '_')}"} | operation
        responses = unreadable.added_to(operation["responses"], route.surface)
        paths.setdefault(route.path, {})[method] = identified | {"responses": responses}
    return paths
