"""What operators and tools call: health, readiness, and the description of every endpoint.

What may be wrong with a running service is a line for each condition, and how it is noticed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pyramid.response import Response
from pyramid.view import view_config
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from authservice.crypto.compact_json import compact
from authservice.database import schema
from authservice.database.revision import REVISION
from authservice.models import jwks
from authservice.services.keys.signing_keys import KeysNotReadyError
from authservice.settings.version import __version__
from authservice.web.answers import ReadyAnswer, json_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.client_address import is_from_operator
from authservice.web.static_document import document_answer


@view_config(route_name="health", request_method="GET")
def health(request: AuthRequest) -> Response:
    """Return that the process serves, and its name; neither database nor secret is touched."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return ReadyAnswer(_health(request.auth_settings.service_name), headers)


@cache
def _health(service_name: str) -> bytes:
    return compact({"status": "ok", "service": service_name}).encode()


@view_config(route_name="ready", request_method="GET")
def ready(request: AuthRequest) -> Response:
    """Return ``ready``, ``degraded`` where it serves all the same, or 503 and ``unavailable``.

    Only this machine and trusted proxies learn which part is down, and which version runs: that
    would help an attacker. All learn whether the proxy names the sender of a request.
    """
    found = _conditions(request)
    serves = all(condition.serves for condition in found)
    sender_known = request.components.silent_proxy.knows_sender(request.environ)
    told = sender_known and is_from_operator(request.environ, request.auth_settings.trusted_proxies)
    shown = found if told else []
    content: dict[str, Any] = {
        "status": ("degraded" if found else "ready") if serves else "unavailable",
        "service": request.auth_settings.service_name,
        "conditions": {condition.name: condition.meaning for condition in shown},
        "sender_known": sender_known,
    }
    if told:
        content["version"] = __version__
    response = json_answer(content, 200 if serves else 503)
    if not serves:
        response.headers["Retry-After"] = "5"
    return response


@view_config(route_name="openapi", request_method="GET")
def openapi(request: AuthRequest) -> Response:
    """Return the OpenAPI 3.1 document."""
    return document_answer(request, request.components.openapi)


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong; ``serves`` tells whether requests may be sent here all the same."""

    name: str
    meaning: str
    serves: bool


_DATABASE_FILE_LOST = Condition(
    "database_file_lost",
    "The database file is damaged, gone or another one. Stop the service, restore a backup with"
    " authservice restore, and start it again; or put the same file back. The log says more.",
    serves=False,
)
_DATABASE_UNAVAILABLE = Condition(
    "database_unavailable", "The database does not answer.", serves=False
)
_DATABASE_NOT_SERVED = Condition(
    "database_not_served",
    f"The database does not serve this version, made for revision {REVISION}. Start the version"
    " that has migrated it.",
    serves=False,
)
_KEYS_UNAVAILABLE = Condition(
    "keys_unavailable",
    "The signing keys have not been read yet, so nothing can be signed.",
    serves=False,
)
_KEYS_LOCKED = Condition(
    "keys_locked",
    "Signing keys were stored under another AUTH_SECRET, so others sign in their place.",
    serves=True,
)
_RATE_LIMITS_OFF = Condition(
    "rate_limits_off",
    "The storage of rate limits does not answer, so every request passes.",
    serves=True,
)
CONDITIONS = (
    _DATABASE_FILE_LOST,
    _DATABASE_UNAVAILABLE,
    _DATABASE_NOT_SERVED,
    _KEYS_UNAVAILABLE,
    _KEYS_LOCKED,
    _RATE_LIMITS_OFF,
)


def _conditions(request: AuthRequest) -> list[Condition]:
    """Return what is wrong at the moment."""
    return [found for look in _LOOKS if (found := look(request)) is not None]


def _database_file(request: AuthRequest) -> Condition | None:
    file = request.database.file
    return None if file is None or file.look() is None else _DATABASE_FILE_LOST


def _database(request: AuthRequest) -> Condition | None:
    """Return what is wrong with its answers; one that is silent is waited for once."""
    try:
        if schema.is_migrated(request.db_readonly):
            request.db_readonly.execute(select(jwks.c.id).limit(1))
            return None
        revision = schema.revision(request.db_readonly)
    except SQLAlchemyError:
        return _DATABASE_UNAVAILABLE
    found = f"revision {revision}" if revision else "no tables"
    return replace(_DATABASE_NOT_SERVED, meaning=f"{_DATABASE_NOT_SERVED.meaning} Found: {found}.")


def _keys(request: AuthRequest) -> Condition | None:
    try:
        return None if request.signing_keys.document else _KEYS_UNAVAILABLE
    except (KeysNotReadyError, SQLAlchemyError):
        return _KEYS_UNAVAILABLE


def _locked_keys(request: AuthRequest) -> Condition | None:
    try:
        return _KEYS_LOCKED if request.signing_keys.locked else None
    except (KeysNotReadyError, SQLAlchemyError):
        return None


def _rate_limits(request: AuthRequest) -> Condition | None:
    limits = request.components.rate_limits
    return None if limits is None or limits.are_counted() else _RATE_LIMITS_OFF


_LOOKS: tuple[Callable[[AuthRequest], Condition | None], ...] = (
    # First, because the next ones query the database.
    _database_file,
    _database,
    _keys,
    _locked_keys,
    _rate_limits,
)
