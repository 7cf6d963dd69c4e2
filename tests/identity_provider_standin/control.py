"""What tests tell the stand-in, and ask it, at addresses below ``/control``."""

from typing import Any

from tests.identity_provider_standin.accounts import Account
from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.faults import KINDS
from tests.identity_provider_standin.state import State


def answer(state: State, name: str, content: dict[str, Any]) -> Answer:
    """Do what a POST to ``/control/<name>`` says."""
    match name:
        case "application":
            for key, value in content.items():
                setattr(state.application, key, value)
        case "account":
            login = content["login"]
            account = state.accounts.setdefault(login, Account(login, None, None, None))
            for key, value in content.items():
                setattr(account, key, value)
        case "fault" if content["kind"] in KINDS:
            state.faults[content["path"]] = content["kind"]
        case "mend":
            state.faults.pop(content["path"])
        case "advance":
            state.advanced += content["seconds"]
        case "requests":
            return json_answer(200, state.requests)
        case _:
            return json_answer(400, {"message": f"no such control: {name} {content}"})
    return json_answer(200, {})
