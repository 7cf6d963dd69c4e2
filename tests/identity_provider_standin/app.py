"""The GitHub App of the stand-in: its key, where it is installed, and its tokens."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tests.identity_provider_standin import app_api
from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.pages import HOURLY_CALLS, error, page, rate_limit_headers

_HOUR = 3600
_LONGEST = 600
_SKEW = 60


@dataclass
class App:
    """What is registered of the App; tests change it through the control address."""

    id: int = 0
    client_id: str = ""
    public_key: str = ""
    permissions: dict[str, str] = field(
        default_factory=lambda: {"members": "read", "emails": "read", "metadata": "read"}
    )
    spent: dict[str, int] = field(default_factory=dict)  # of the hour's calls, by organization
    tokens: dict[str, tuple[float, str]] = field(default_factory=dict)  # until when, and where


def answer(state, method: str, base: str, path: str, query, headers: Mapping[str, str]):
    """Answer a request in the name of the App; None for one in the name of a person."""
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    if path == "/app" or path.startswith("/app/"):
        if scheme != "Bearer" or not _is_ours(state, token):
            return error(401, "A JSON web token could not be decoded")
        return _of_app(state, method, base, path, query)
    if not token.startswith("ghs_"):
        return None
    until, name = state.app.tokens.get(token, (0.0, ""))
    if until <= state.now():
        return error(401, "Bad credentials")
    made = app_api.answer(state, state.organizations[name], base, path, query)
    return _counted(state, name, _unless_known(made, headers.get("If-None-Match")))


def _counted(state, name: str, made: Answer) -> Answer:
    """Count an answer unless it says that nothing changed; there are so many in an hour."""
    spent = state.app.spent.get(name, 0) + (made.status != 304)
    if spent > HOURLY_CALLS:
        made = error(403, f"API rate limit exceeded for installation of {name}.")
    state.app.spent[name] = min(spent, HOURLY_CALLS)
    made.headers += rate_limit_headers(HOURLY_CALLS - state.app.spent[name], -state.advanced)
    return made


def _of_app(state, method: str, base: str, path: str, query) -> Answer:
    match path.strip("/").split("/"):
        case ["app"]:
            return json_answer(
                200,
                {
                    "id": state.app.id,
                    "client_id": state.app.client_id,
                    "permissions": state.app.permissions,
                },
            )
        case ["app", "installations"]:
            entries = [
                _installation(state, base, each)
                for each in state.organizations.values()
                if each.installation is not None
            ]
            return page(f"{base}{path}", entries, query)
        case ["app", "installations", number]:
            for each in state.organizations.values():
                if str(each.installation) == number:
                    return json_answer(200, _installation(state, base, each))
        case ["app", "installations", number, "access_tokens"] if method == "POST":
            for name, each in state.organizations.items():
                if str(each.installation) == number:
                    return _new_token(state, name)
    return error(404, "Not Found")


def _installation(state, base: str, organization):
    permissions = {k: v for k, v in state.app.permissions.items() if k != "emails"}
    return {
        "id": organization.installation,
        "account": organization.simple(base) | {"type": "Organization"},
        "target_type": "Organization",
        "permissions": permissions,
        "events": ["membership", "organization", "team"],
        "suspended_at": "2026-01-01T00:00:00Z" if organization.suspended else None,
    }


def _new_token(state, name: str) -> Answer:
    if state.organizations[name].suspended:
        return error(403, "This installation has been suspended")
    token = f"ghs_{secrets.token_hex(18)}"
    state.app.tokens[token] = (state.now() + _HOUR, name)
    ends = datetime.fromtimestamp(_clock(state) + _HOUR, UTC)
    content = {"token": token, "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return json_answer(201, content)


def _is_ours(state, token: str) -> bool:
    """Tell whether a JWT is as GitHub wants it: RS256, not older than ten minutes, of the App."""
    try:
        header, payload, signature = token.split(".")
        key = load_pem_public_key(state.app.public_key.encode())
        key.verify(_decoded(signature), f"{header}.{payload}".encode(), PKCS1v15(), SHA256())
        claims = json.loads(_decoded(payload))
    except (ValueError, InvalidSignature):
        return False
    now = _clock(state)
    return (
        json.loads(_decoded(header))["alg"] == "RS256"
        and claims["iss"] in {str(state.app.id), state.app.client_id}
        and claims["iat"] <= now < claims["exp"] <= now + _LONGEST + _SKEW
    )


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _clock(state) -> float:
    return time.time() + state.advanced  # noqa: TID251  (another host's clock)


def _unless_known(made: Answer, known: str | None) -> Answer:
    """Return 304 where the caller has this body already, whatever links would come with it."""
    if made.status != 200:
        return made
    tag = f'W/"{hashlib.sha256(made.body).hexdigest()}"'
    if known == tag:
        return Answer(304, b"", [("ETag", tag)])
    made.headers.append(("ETag", tag))
    return made
