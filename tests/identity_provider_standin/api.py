"""The REST API, as far as a sign-in needs it: who a person is, and their addresses and groups."""

from collections.abc import Mapping

from tests.identity_provider_standin import app, groups_api, public_api
from tests.identity_provider_standin.answer import Answer, html_answer, json_answer
from tests.identity_provider_standin.pages import HOURLY_CALLS, error, page, rate_limit_headers
from tests.identity_provider_standin.state import Grant, State

_VERSIONS = {"2022-11-28", "2026-03-10"}
_SEES_EMAILS = {"user", "user:email"}
_ACCEPTED = {"/user": "", "/user/emails": "user, user:email"}


def answer(
    state: State,
    method: str,
    base: str,
    path: str,
    query: Mapping[str, str],
    headers: Mapping[str, str],
) -> Answer:
    """Answer a request below ``/api``."""
    if not headers.get("User-Agent"):
        return html_answer(
            403,
            "Request forbidden by administrative rules."
            " Please make sure your request has a User-Agent header.",
        )
    state.api_calls += 1
    version = headers.get("X-GitHub-Api-Version", "2022-11-28")
    if version not in _VERSIONS:
        return error(400, "Not a supported version")
    of_app = app.answer(state, method, base, path, query, headers)
    return _of_person(state, base, path, query, headers) if of_app is None else of_app


def _of_person(
    state: State, base: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> Answer:
    version = headers.get("X-GitHub-Api-Version", "2022-11-28")
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    if not token:
        return error(401, "Requires authentication")
    if scheme.lower() == "basic":
        return public_api.answer(state, base, path, token)
    grant = state.tokens.get(token) if scheme.lower() in {"bearer", "token"} else None
    if grant is None:
        return error(401, "Bad credentials")
    made = _answer(state, base, path, query, grant)
    made.headers += [
        ("X-OAuth-Scopes", ", ".join(grant.scope.split())),
        ("X-Accepted-OAuth-Scopes", _ACCEPTED.get(path, "")),
        ("X-OAuth-Client-Id", state.application.client_id),
        ("X-GitHub-Media-Type", "github.v3; format=json"),
        ("X-GitHub-Api-Version-Selected", version),
        *rate_limit_headers(max(0, HOURLY_CALLS - state.api_calls)),
    ]
    return made


def _answer(state: State, base: str, path: str, query: Mapping[str, str], grant: Grant) -> Answer:
    account = state.accounts[grant.login]
    if account.blocked:
        return error(403, "Sorry. Your account was suspended.")
    if path == "/user":
        return json_answer(200, account.public(base))
    sees_emails = _SEES_EMAILS & set(grant.scope.split())
    if state.app.public_key:
        sees_emails = "emails" in state.app.permissions
    if path == "/user/emails" and sees_emails:
        return page(f"{base}{path}", account.emails, query)
    return groups_api.answer(state, base, path, query, grant) or error(404, "Not Found")
