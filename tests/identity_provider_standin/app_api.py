"""The part of the REST API that an installation of the App may read."""

from collections.abc import Mapping

from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.organizations import Organization
from tests.identity_provider_standin.pages import error, page


def answer(state, installed: Organization, base: str, path: str, query: Mapping[str, str]):
    """Answer a GET with the token of an installation."""
    words = path.strip("/").split("/")
    if words[0] == "user" and len(words) == 2:
        seen_here = {None, installed.login}
        shown = [each for each in state.accounts.values() if each.managed_by in seen_here]
        found = [each for each in shown if str(each.id) == words[1]]
        return json_answer(200, found[0].public(base)) if found else error(404, "Not Found")
    elsewhere = words[0] != "orgs" or len(words) < 3 or words[1].lower() != installed.login.lower()
    if elsewhere or installed.installation is None:
        return error(404, "Not Found")
    if state.app.permissions.get("members") not in {"read", "write"}:
        return error(403, "Resource not accessible by integration")
    return _of_organization(state, installed, base, path, words[2:], query)


def _of_organization(
    state, installed: Organization, base: str, path: str, words: list[str], query
) -> Answer:
    match words:
        case ["members"]:
            active = [login for login, known in installed.members.items() if known == "active"]
            return page(f"{base}{path}", _people(state, base, active), query)
        case ["memberships", login] if login in installed.members:
            membership = installed.membership(base, login)
            membership["user"] = _person(state, base, login)
            return json_answer(200, membership)
        case ["teams"]:
            teams = [installed.team_full(base, slug) for slug in installed.teams]
            for team in teams:
                del team["organization"]
            return page(f"{base}{path}", teams, query)
        case ["teams", slug, "members"] if slug in installed.teams:
            active = [
                login
                for login in installed.members
                if installed.state_in_team(slug, login) == "active"
            ]
            return page(f"{base}{path}", _people(state, base, active), query)
        case ["teams", slug, "memberships", login] if slug in installed.teams:
            known = installed.state_in_team(slug, login)
            if known is not None:
                return json_answer(200, {"url": "", "role": "member", "state": known})
    return error(404, "Not Found")


def _people(state, base: str, logins: list[str]) -> list[dict]:
    return [_person(state, base, login) for login in logins]


def _person(state, base: str, login: str) -> dict:
    return {"login": login, "id": state.accounts[login].id, "url": f"{base}/users/{login}"}
