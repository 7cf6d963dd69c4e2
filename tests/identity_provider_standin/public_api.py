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
    shown = {}
    members = set()
    for each in state.organizations.values():
        if not each.hidden:
            name, content = each.login.lower(), each.simple(base)
            shown[f"/users/{name}"] = content | {"type": "Organization"}
            shown[f"/orgs/{name}"] = shown[f"/organizations/{each.id}"] = content
            members |= {f"/orgs/{name}/public_members/{login}" for login in each.public_members}
    for each in state.accounts.values():
        shown[f"/users/{each.login.lower()}"] = shown[f"/user/{each.id}"] = each.public(base)
    wanted = path.lower()
    if wanted in members:
        return Answer(204, b"", [])
    return json_answer(200, shown[wanted]) if wanted in shown else error(404, "Not Found")
