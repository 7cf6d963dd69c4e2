"""The handler of idpyoidc with one client, and the person whom it sends to the service."""

from urllib.parse import parse_qsl, urlsplit

from cryptojwt import KeyJar
from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES
from idpyoidc.client.oauth2.stand_alone_client import backchannel_logout
from idpyoidc.client.rp_handler import RPHandler

from tests.relying_parties.registration import POST_LOGOUT_REDIRECT_URI, REDIRECT_URI

_SCOPE = ["openid", "profile", "email", "offline_access"]
_FURTHER_SERVICES = {
    "end_session": "idpyoidc.client.oidc.end_session.EndSession",
    "introspection": "idpyoidc.client.oauth2.introspection.Introspection",
    "token_revocation": "idpyoidc.client.oauth2.token_revocation.TokenRevocation",
}
_AUTHENTICATED = ["access_token", "refresh_access_token", "introspection", "token_revocation"]
_PKCE = {
    "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
    "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
}


class IdpyoidcParty:
    """A relying party that remembers each sign-in by its state."""

    def __init__(self, service, registered, person):
        self.issuer = f"{service.url}/api/auth"
        self._person = person
        method = registered["token_endpoint_auth_method"]
        # The library knows no method "none": a public client names none.
        methods = [] if method == "none" else [method]
        config = {
            "issuer": self.issuer,
            "client_type": "oidc",
            "client_id": registered["client_id"],
            "client_secret": registered.get("client_secret"),
            "redirect_uris": [REDIRECT_URI],
            "response_types_supported": ["code"],
            "client_authn_methods": methods,
            "token_endpoint_auth_methods_supported": methods,
            "id_token_signing_alg_values_supported": [registered["id_token_signed_response_alg"]],
            "add_ons": {"pkce": _PKCE},
        }
        self.handler = RPHandler(
            keyjar=KeyJar(),
            client_configs={self.issuer: config},
            services=_services("".join(methods)),
        )

    @property
    def _client(self):
        return self.handler.issuer2rp[self.issuer]

    def sign_in(self, **parameters):
        """Return what the library finds out, from discovery to userinfo."""
        url = self.handler.begin(self.issuer, req_args={"scope": _SCOPE} | parameters)
        back = urlsplit(self._person.open(url))
        return self.handler.finalize(self.issuer, dict(parse_qsl(back.query)))

    def sign_out(self, state):
        """Return the state that was sent, and where the person comes back."""
        logout = self.handler.logout(state, post_logout_redirect_uri=POST_LOGOUT_REDIRECT_URI)
        return logout["request"]["state"], self._person.open(logout["url"])

    def tokens(self, state):
        """Return what the library remembers of a sign-in."""
        return self.handler.get_session_information(state)

    def ask(self, service, token):
        """Ask the introspection or the revocation endpoint about a token."""
        return self._client.do_request(service, request_args={"token": token})

    def told(self, body):
        """Return the state of the sign-in whose end a logout token proves."""
        return backchannel_logout(self._client, request=body)


def _services(method):
    further = {name: {"class": path} for name, path in _FURTHER_SERVICES.items()}
    services = DEFAULT_OIDC_SERVICES | further
    for name in _AUTHENTICATED:
        services[name] = services[name] | {"kwargs": {"default_authn_method": method}}
    return services
