"""``/login/oauth/authorize`` and ``/login/oauth/access_token`` as GitHub documents them.

The page signs no user in: it offers every account. ``login``, which GitHub takes as a suggestion,
allows at once here, for clients that fill in no forms.
"""

from html import escape

from tests.identity_provider_standin.answer import (
    Answer,
    form_answer,
    html_answer,
    json_answer,
    redirect,
)
from tests.identity_provider_standin.state import CODE_LIFETIME, Grant, State

_HELP = (
    "/apps/building-integrations/setting-up-and-registering-oauth-apps"
    "/troubleshooting-authorization-request-errors/#"
)
_TOKEN_HELP = "/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/#"
_MISMATCH = "The redirect_uri MUST match the registered callback URL for this application."
_TOKEN_ERRORS = {
    "incorrect_client_credentials": "The client_id and/or client_secret passed are incorrect.",
    "redirect_uri_mismatch": _MISMATCH,
    "bad_verification_code": "The code passed is incorrect or expired.",
    "unverified_user_email": "The user must have a verified primary email.",
}


def authorize(state: State, query: dict[str, str]) -> Answer:
    """Answer the browser that a client sends here."""
    refusal = _refusal(state, query)
    if refusal is not None:
        return refusal
    if query.get("login") in state.accounts:
        return _allowed(state, query, query["login"])
    return html_answer(200, _page(state, query))


def decide(state: State, form: dict[str, str]) -> Answer:
    """Answer the form of the page."""
    refusal = _refusal(state, form)
    if refusal is not None:
        return refusal
    if form.get("authorize") == "1" and form.get("account") in state.accounts:
        return _allowed(state, form, form["account"])
    return _error(
        _redirect_uri(state, form),
        form,
        "access_denied",
        "The user has denied your application access.",
    )


def access_token(state: State, form: dict[str, str], accept: str) -> Answer:
    """Answer a client that exchanges a code; errors have status 200 too."""
    answer = _exchange(state, form)
    return json_answer(200, answer) if "application/json" in accept else form_answer(200, answer)


def _exchange(state: State, form: dict[str, str]) -> dict[str, str]:
    application = state.application
    credentials = (form.get("client_id"), form.get("client_secret"))
    if credentials != (application.client_id, application.client_secret):
        return _token_error("incorrect_client_credentials")
    grant = state.spend_code(form.get("code", ""))
    if grant is None or not grant.is_proved_by(form.get("code_verifier", "")):
        return _token_error("bad_verification_code")
    if form.get("redirect_uri", grant.redirect_uri) != grant.redirect_uri:
        return _token_error("redirect_uri_mismatch")
    return {
        "access_token": state.new_token(grant),
        "token_type": "bearer",
        "scope": ",".join(grant.scope.split()),
    }


def _token_error(error: str) -> dict[str, str]:
    anchor = error.replace("_", "-")
    return {
        "error": error,
        "error_description": _TOKEN_ERRORS[error],
        "error_uri": _TOKEN_HELP + anchor,
    }


def _refusal(state: State, query: dict[str, str]) -> Answer | None:
    application = state.application
    if query.get("client_id") != application.client_id:
        return html_answer(404, "<!DOCTYPE html><title>Page not found</title>")
    if not application.allows(_redirect_uri(state, query)):
        return _error(application.callback_url, query, "redirect_uri_mismatch", _MISMATCH)
    if "code_challenge" in query and query.get("code_challenge_method") != "S256":
        description = "Only the S256 code challenge method is accepted."
        return _error(_redirect_uri(state, query), query, "invalid_request", description)
    return None


def _redirect_uri(state: State, query: dict[str, str]) -> str:
    return query.get("redirect_uri", state.application.callback_url)


def _allowed(state: State, query: dict[str, str], login: str) -> Answer:
    grant = Grant(
        login=login,
        scope=query.get("scope", ""),
        redirect_uri=_redirect_uri(state, query),
        code_challenge=query.get("code_challenge"),
        expires_at=state.now() + CODE_LIFETIME,
    )
    return redirect(grant.redirect_uri, code=state.new_code(grant), **_state_of(query))


def _error(address: str, query: dict[str, str], error: str, description: str) -> Answer:
    return redirect(
        address,
        error=error,
        error_description=description,
        error_uri=_HELP + error.replace("_", "-"),
        **_state_of(query),
    )


def _state_of(query: dict[str, str]) -> dict[str, str]:
    return {"state": query["state"]} if "state" in query else {}


def _page(state: State, query: dict[str, str]) -> str:
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in query.items()
    )
    choices = "".join(
        f'<p><label><input type="radio" name="account" value="{escape(login)}"'
        f"{' checked' if number == 0 else ''}> {escape(login)}</label></p>"
        for number, login in enumerate(state.accounts)
    )
    return (
        '<!DOCTYPE html><html lang="en"><title>Authorize application</title>'
        "<h1>Authorize application</h1>"
        f'<form method="post" action="/login/oauth/authorize">{hidden}{choices}'
        '<button name="authorize" value="0">Cancel</button>'
        '<button name="authorize" value="1">Authorize</button></form></html>'
    )
