"""JWTs as a client checks them: with the published keys of the service and another library."""

import warnings

from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import KeySet

JWKS = "/api/auth/jwks"


def decoded(token, http, alg="RS256"):
    """Return header and claims of a JWT that a published key has signed with this algorithm."""
    keys = KeySet.import_key_set(http.get(JWKS).json)
    with warnings.catch_warnings():
        # A newer name for EdDSA exists; relying parties know this one.
        warnings.simplefilter("ignore", SecurityWarning)
        found = jwt.decode(token, keys, algorithms=[alg])
    return found.header, found.claims
