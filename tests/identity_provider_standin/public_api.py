"""What the REST API says to anyone, here under the credentials of the OAuth app."""

import base64

from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.pages import error
from tests.identity_provider_standin.state import State


def answer(state: State, base: str, path: str, credentials: str) -> Answer:
    """Answer a question that needs no token."""
    application = state.application
    own = f"{application.client_id}:{application.client_secret}".encode()
    if base64.b64decode(credentials) != own:
        return error(401, "Bad credentials")
    accounts = {each.login.lower(): each for each in state.accounts.values()}
    shown = [each for each in state.organizations.values() if not each.hidden]
    organizations = {each.login.lower(): each for each in shown}
    match path.lower().strip("/").split("/"):
        case ["users", login] if login in accounts:
            return json_answer(200, accounts[login].public(base))
        case ["users", login] if login in organizations:
            found = organizations[login]
            return json_answer(200, found.simple(base) | {"type": "Organization"})
        case ["orgs", name] if name in organizations:
            return json_answer(200, organizations[name].simple(base))
        case ["orgs", name, "public_members", login] if name in organizations:
            if login in organizations[name].public_members:
                return Answer(204, b"", [])
    return error(404, "Not Found")
