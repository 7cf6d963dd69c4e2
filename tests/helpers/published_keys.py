"""JWTs as a client checks them: with the published keys of the service and another library."""

import base64
import hashlib
import warnings

import pytest
import requests
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import KeySet

from authservice.crypto.algorithms import ALGORITHMS
from tests.helpers.relying_party import RelyingParty

ISSUER = "http://localhost:37960/api/auth"
JWKS = "/api/auth/jwks"


@pytest.fixture
def clients_of_all_algs(database):
    """Register a client for each algorithm, so that its keys are published."""
    for alg in ALGORITHMS:
        RelyingParty.registered(None, database, id_token_signed_response_alg=alg)


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


def at_hash_of(access_token, alg="RS256"):
    """Return the left half of a token's hash, by the algorithm's own (OIDC Core, 3.1.3.6)."""
    # Ed25519 hashes with SHA-512.
    hashed = hashlib.new("sha512" if alg == "EdDSA" else "sha256", access_token.encode()).digest()
    return base64.urlsafe_b64encode(hashed[: len(hashed) // 2]).rstrip(b"=").decode()
