"""What tests tell the stand-in, and ask it, at addresses below ``/control``."""

from collections.abc import Callable
from typing import Any

from tests.identity_provider_standin.accounts import Account
from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.faults import KINDS
from tests.identity_provider_standin.organizations import Organization
from tests.identity_provider_standin.state import State


def answer(state: State, name: str, content: dict[str, Any]) -> Answer:
    """Do what a POST to ``/control/<name>`` says."""
    match name:
        case "fault" if content["kind"] in KINDS:
            state.faults[content["path"]] = content["kind"]
        case "repair":
            state.faults.pop(content["path"])
        case "advance":
            state.advanced += content["seconds"]
        case "requests":
            return json_answer(200, state.requests)
        case "spent":
            return json_answer(200, state.app.spent)
        case _ if name in _CHANGES:
            _CHANGES[name](state, content)
        case _:
            return json_answer(400, {"message": f"no such control: {name} {content}"})
    return json_answer(200, {})


def _set(changed: object, content: dict[str, Any]) -> None:
    for key, value in content.items():
        setattr(changed, key, value)


def _account(state: State, content: dict[str, Any]) -> None:
    login = content["login"]
    _set(state.accounts.setdefault(login, Account(login, None, None, None)), content)


def _forget(state: State, content: dict[str, Any]) -> None:
    """Delete an account, an organization, or a team such as ``acme/platform``."""
    for kind, name in content.items():
        owner, _, slug = name.partition("/")
        match kind:
            case "account":
                del state.accounts[name]
            case "organization":
                del state.organizations[name]
            case _:
                del state.organizations[owner].teams[slug]


def _organization(state: State, content: dict[str, Any]) -> None:
    """Change an organization, or add it; a new ``login`` renames it, and teams keep their names."""
    name = content.pop("name")
    new = Organization(name, content.get("id", 7000 + len(state.organizations)))
    organization = state.organizations.setdefault(name, new)
    for slug, team in content.pop("teams", {}).items():
        organization.team(slug, team)
    _set(organization, content)


_CHANGES: dict[str, Callable[[State, dict[str, Any]], None]] = {
    "application": lambda state, content: _set(state.application, content),
    "app": lambda state, content: _set(state.app, content),
    "account": _account,
    "organization": _organization,
    "forget": _forget,
}
