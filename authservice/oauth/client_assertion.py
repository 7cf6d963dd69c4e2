"""Client assertions, ``private_key_jwt``: a client proves itself with a key that only it has.

The assertion is a JWT of the client about itself (RFC 7521, section 4.2; RFC 7523, section 3; OIDC
Core, section 9). It is for this service alone, lives for minutes, and counts once.
"""

import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from authservice import clock
from authservice.crypto.jwt import OthersJwt
from authservice.crypto.public_keys import ALGORITHMS
from authservice.crypto.secret_values import digest
from authservice.oauth.oauth_request import ServerContext
from authservice.oauth.parameters import Parameters
from authservice.oauth.protocol_answer import InvalidAssertionError
from authservice.services.clients import clients
from authservice.services.clients.clients import Client
from authservice.services.tokens import verifications

METHOD = "private_key_jwt"
PARAMETERS = ("client_assertion_type", "client_assertion")

_log = logging.getLogger(__name__)

_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
# What a header may call it (RFC 7519, section 5.1; draft-ietf-oauth-rfc7523bis). So no other kind
# of JWT that the client signs passes for one.
_TYPES = {"jwt", "client-authentication+jwt"}
_LONGEST_SECONDS = 300
# How far a client's clock may be ahead.
_AHEAD_SECONDS = 30
_LONGEST_JTI = 256
_LAST = datetime.max.replace(tzinfo=UTC).timestamp()

_USED = (
    "The client_assertion was used before: make a new one, with a jti of its own, for each request."
)
_EXPIRED = (
    "The client_assertion has expired: make a new one for each request, and set the client's clock."
)

# One text for every cause, so that a caller cannot learn which client ids exist.
_FAILED = (
    "Client authentication failed: the client is unknown, or none of its keys with this alg and kid"
    " signed the client_assertion. Keys of a jwks_uri are read once a minute at most."
)

_warned: set[str] = set()
"""Clients of which the log says already that they name the token endpoint."""


def authenticate(context: ServerContext, sent: Parameters) -> Client:
    """Return the client whose assertion was sent, which counts once the transaction is committed.

    Raises InvalidAssertionError.
    """
    issuer, jwt = context.settings.issuer, _read(sent)
    fault = next(_faults(jwt, sent, issuer), None)
    if fault is not None:
        raise InvalidAssertionError(description=fault)
    client_id, claims = jwt.claims["sub"], jwt.claims
    client = clients.find(context.reader, client_id)
    key = None if client is None else context.client_keys.find(client, jwt.alg, jwt.kid)
    if client is None or key is None or not jwt.is_signed_by(key):
        raise InvalidAssertionError(description=_FAILED)
    assertion_id = digest(f"assertion {client_id} {claims['jti']}")
    expires_at = datetime.fromtimestamp(int(claims["exp"]), UTC)
    if not verifications.spend_unknown(context.transaction().connection, assertion_id, expires_at):
        raise InvalidAssertionError(description=_USED)
    if issuer not in _audiences(claims) and client_id not in _warned:
        _warned.add(client_id)
        _log.warning(
            "the assertions of client %s name the token endpoint as aud; name the issuer, %s",
            client_id,
            issuer,
        )
    return client


def _read(sent: Parameters) -> OthersJwt:
    if sent.get("client_assertion_type") != _TYPE:
        raise InvalidAssertionError(description=f"client_assertion_type must be {_TYPE}.")
    try:
        return OthersJwt.read(sent.get("client_assertion") or "")
    except ValueError as error:
        description = f"The client_assertion is {error}."
        raise InvalidAssertionError(description=description) from None


def _faults(jwt: OthersJwt, sent: Parameters, issuer: str) -> Iterator[str]:
    """Yield which rules an assertion breaks that need no key, for the first of them."""
    if jwt.alg not in ALGORITHMS:
        *others, last = ALGORITHMS
        yield f"The client_assertion must have alg {', '.join(others)} or {last}."
    if jwt.typ is not None and jwt.typ.lower() not in _TYPES:
        yield "The client_assertion must have typ JWT or client-authentication+jwt, if any."
    claims = jwt.claims
    client_id, jti, audiences = claims.get("sub"), claims.get("jti"), _audiences(claims)
    # RFC 6749, appendix A.1: an id is of visible characters. Databases take no other text anyway.
    if not (isinstance(client_id, str) and client_id.isprintable()) or client_id != claims.get(
        "iss"
    ):
        yield "The client_assertion must have iss and sub, both the client_id."
    if sent.get("client_id") not in {None, client_id}:
        yield "The client_assertion must be one of the client that client_id names."
    if not audiences or not audiences <= {issuer, f"{issuer}/oauth2/token"}:
        yield f"The client_assertion must have aud {issuer}, and nothing else."
    if not (isinstance(jti, str) and 0 < len(jti) <= _LONGEST_JTI):
        yield f"The client_assertion must have a jti of 1 to {_LONGEST_JTI} characters."
    yield from _faults_of_times(claims)


def _audiences(claims: Mapping[str, Any]) -> set[str]:
    """Return whom an assertion is for; none where that cannot be read."""
    named = claims.get("aud")
    listed = named if isinstance(named, list) else [named]
    return {*listed} if all(isinstance(each, str) for each in listed) else set()


def _faults_of_times(claims: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the seconds since 1970 in which an assertion counts."""
    for name in ("exp", "iat", "nbf"):
        seconds = claims.get(name, 1 if name != "exp" else None)
        # A truth value is a number in Python, and none in JSON.
        if not isinstance(seconds, int | float) or seconds is True or not 0 < seconds < _LAST:
            yield f"The client_assertion must have {name} as a number of seconds since 1970."
    now = clock.now().timestamp()
    for name in ("iat", "nbf"):
        if claims.get(name, now) > now + _AHEAD_SECONDS:
            yield f"The client_assertion has an {name} to come: set the clock of the client."
    if int(claims["exp"]) <= now:
        yield _EXPIRED
    # By the client's clock, if it says what that is; whole seconds are the same in any arithmetic.
    if int(claims["exp"]) > int(claims.get("iat", now)) + _LONGEST_SECONDS:
        yield f"The client_assertion must have an exp at most {_LONGEST_SECONDS} seconds away."
