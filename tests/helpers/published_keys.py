"""JWTs as a client checks them: with the published keys of the service and another library."""

import warnings

import requests
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import KeySet

JWKS = "/api/auth/jwks"


class KeySetAt:
    """Reads the keys of a server that runs, as ``decoded`` asks for them."""

    def __init__(self, url):
        self._url = url

    def get(self, path):
        self.json = requests.get(f"{self._url}{path}", timeout=20).json()
        return self


def decoded(token, http, alg="RS256"):
    """Return header and claims of a JWT that a published key has signed with this algorithm."""
    keys = KeySet.import_key_set(http.get(JWKS).json)
    with warnings.catch_warnings():
        # A newer name for EdDSA exists; relying parties know this one.
        warnings.simplefilter("ignore", SecurityWarning)
        found = jwt.decode(token, keys, algorithms=[alg])
    return found.header, found.claims
