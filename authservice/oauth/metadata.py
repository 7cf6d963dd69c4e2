"""The metadata document: what this server is able to do, and nothing that it is not.

One document serves OpenID Connect Discovery 1.0, section 3, and RFC 8414, section 2.
"""

from collections.abc import Iterator
from typing import Any

from authservice.crypto import public_keys
from authservice.crypto.algorithms import ALGORITHMS
from authservice.oauth import claims, client_authentication, id_token
from authservice.oauth.authorize.authorization_response import MODES
from authservice.oauth.authorize.checks import PROMPTS
from authservice.oauth.server import GRANT_TYPES
from authservice.services.clients.clients import SCOPES
from authservice.services.people import groups
from authservice.settings import AuthSettings
from authservice.settings.languages import LANGUAGES


def _scopes(settings: AuthSettings) -> Iterator[str]:
    yield from SCOPES
    if groups.can_be_had(settings):
        yield groups.SCOPE
    for resource in settings.resources.values():
        if resource.published:
            yield from resource.scopes


def document(settings: AuthSettings) -> dict[str, Any]:
    """Return the members of the metadata document."""
    issuer, branding = settings.issuer, settings.branding
    there_or_not = {
        "op_policy_uri": branding.privacy_url,
        "op_tos_uri": branding.imprint_url,
        # RFC 9728, section 4
        "protected_resources": [*settings.resources] or None,
    }
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/oauth2/authorize",
        "token_endpoint": f"{issuer}/oauth2/token",
        "userinfo_endpoint": f"{issuer}/oauth2/userinfo",
        "introspection_endpoint": f"{issuer}/oauth2/introspect",
        "revocation_endpoint": f"{issuer}/oauth2/revoke",
        "end_session_endpoint": f"{issuer}/oauth2/end-session",
        "jwks_uri": f"{issuer}/jwks",
        "scopes_supported": [*_scopes(settings)],
        "response_types_supported": ["code"],
        "response_modes_supported": MODES,
        "grant_types_supported": GRANT_TYPES,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ALGORITHMS,
        "token_endpoint_auth_methods_supported": client_authentication.METHODS,
        "token_endpoint_auth_signing_alg_values_supported": public_keys.ALGORITHMS,
        "introspection_endpoint_auth_methods_supported": client_authentication.CONFIDENTIAL,
        "introspection_endpoint_auth_signing_alg_values_supported": public_keys.ALGORITHMS,
        "revocation_endpoint_auth_methods_supported": client_authentication.METHODS,
        "revocation_endpoint_auth_signing_alg_values_supported": public_keys.ALGORITHMS,
        "userinfo_signing_alg_values_supported": ALGORITHMS,
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": PROMPTS,
        "acr_values_supported": [id_token.ACR],
        "claim_types_supported": ["normal"],
        "claims_supported": [
            "iss",
            "aud",
            "exp",
            "iat",
            "auth_time",
            "nonce",
            "at_hash",
            "acr",
            "sid",
            *claims.supported(settings),
        ],
        "claims_parameter_supported": True,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "require_request_uri_registration": False,
        "authorization_response_iss_parameter_supported": True,
        "backchannel_logout_supported": True,
        "backchannel_logout_session_supported": True,
        "ui_locales_supported": LANGUAGES,
        **{name: value for name, value in there_or_not.items() if value is not None},
    }
