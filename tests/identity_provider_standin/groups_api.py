"""The part of the REST API that says in which organizations and teams a person is."""

from collections.abc import Mapping

from tests.identity_provider_standin.answer import Answer, json_answer
from tests.identity_provider_standin.organizations import Organization
from tests.identity_provider_standin.pages import error, page
from tests.identity_provider_standin.state import Grant, State

_SEES = {"user", "read:org", "write:org", "admin:org", "repo"}
_SCOPE_MISSING = (
    "You need at least read:org scope or user scope to list your organization memberships."
)


def answer(
    state: State, base: str, path: str, query: Mapping[str, str], grant: Grant
) -> Answer | None:
    """Answer a question about groups; None where it is another one."""
    match path.strip("/").split("/"):
        case ["user", "memberships", "orgs"]:
            return _listed(state, grant) or _memberships(state, base, path, query, grant)
        case ["user", "teams"]:
            return _listed(state, grant) or _teams(state, base, path, query, grant)
        case ["user", "memberships", "orgs", name]:
            organization = _find(state, name)
            return (
                _listed(state, grant)
                or _refused(organization)
                or _membership(organization, base, grant)
            )
        case ["orgs", name, *below]:
            return _below(state, base, name, below, grant)
    return None


def _below(state: State, base: str, name: str, below: list[str], grant: Grant) -> Answer | None:
    organization = _find(state, name)
    match below:
        case []:
            # Shown to anyone.
            hidden = organization is None or organization.hidden
            return (
                error(404, "Not Found") if hidden else json_answer(200, organization.simple(base))
            )
        case ["teams", slug]:
            return _refused(organization) or _team(state, base, name, slug, grant)
        case ["teams", slug, "memberships", login]:
            return _refused(organization) or _in_team(state, name, slug, login, grant)
    return None


def _find(state: State, name: str) -> Organization | None:
    return next(
        (each for each in state.organizations.values() if str(each.login).lower() == name.lower()),
        None,
    )


def _listed(state: State, grant: Grant) -> Answer | None:
    if state.app.public_key:
        reads = state.app.permissions.get("members") in {"read", "write"}
        return None if reads else error(403, "Resource not accessible by integration")
    return None if _SEES & set(grant.scope.split()) else error(403, _SCOPE_MISSING)


def _refused(organization: Organization | None) -> Answer | None:
    if organization is None or organization.hidden:
        return error(404, "Not Found")
    if organization.saml:
        answer = error(403, "Resource protected by organization SAML enforcement.")
        url = f"https://github.com/orgs/{organization.login}/sso?authorization_request=AAA"
        answer.headers.append(("X-GitHub-SSO", f"required; url={url}"))
        return answer
    if organization.restricted:
        return error(
            403,
            "Although you appear to have the correct authorization credentials, the"
            f" `{organization.login}` organization has enabled OAuth App access restrictions,"
            " meaning that data access to third-parties is limited.",
        )
    return None


def _shown(state: State, login: str) -> tuple[list[Organization], list[Organization]]:
    """Return the organizations of an account that lists show, and those held back for SAML."""
    own = [each for each in state.organizations.values() if login in each.members]
    if state.app.public_key:
        # A token that a person allowed an App sees no more than the App.
        own = [each for each in own if each.installation is not None and not each.suspended]
    seen = [each for each in own if not (each.hidden or each.restricted)]
    return [each for each in seen if not each.saml], [each for each in seen if each.saml]


def _with_hint(answer: Answer, held_back: list[Organization]) -> Answer:
    if held_back:
        numbers = ",".join(str(each.id) for each in held_back)
        answer.headers.append(("X-GitHub-SSO", f"partial-results; organizations={numbers}"))
    return answer


def _memberships(
    state: State, base: str, path: str, query: Mapping[str, str], grant: Grant
) -> Answer:
    shown, held_back = _shown(state, grant.login)
    wanted = query.get("state")
    entries = [
        each.membership(base, grant.login)
        for each in shown
        if wanted in {None, each.members[grant.login]}
    ]
    return _with_hint(page(f"{base}{path}", entries, query), held_back)


def _membership(organization: Organization | None, base: str, grant: Grant) -> Answer:
    if organization is None or grant.login not in organization.members:
        return error(404, "Not Found")
    return json_answer(200, organization.membership(base, grant.login))


def _teams(state: State, base: str, path: str, query: Mapping[str, str], grant: Grant) -> Answer:
    shown, held_back = _shown(state, grant.login)
    entries = [
        organization.team_full(base, team.slug)
        for organization in shown
        for team in organization.teams.values()
        if grant.login in team.members
    ]
    return _with_hint(page(f"{base}{path}", entries, query), held_back)


def _team(state: State, base: str, name: str, slug: str, grant: Grant) -> Answer:
    organization = _find(state, name)
    if organization is None or slug not in organization.teams:
        return error(404, "Not Found")
    if organization.members.get(grant.login) != "active":
        return error(404, "Not Found")
    if organization.teams[slug].secret and organization.state_in_team(slug, grant.login) is None:
        return error(404, "Not Found")
    return json_answer(200, organization.team_full(base, slug))


def _in_team(state: State, name: str, slug: str, login: str, grant: Grant) -> Answer:
    organization = _find(state, name)
    if organization is None or slug not in organization.teams:
        return error(404, "Not Found")
    if organization.members.get(grant.login) != "active":
        return error(404, "Not Found")
    found = organization.state_in_team(slug, login)
    if found is None:
        return error(404, "Not Found")
    return json_answer(200, {"url": "", "role": "member", "state": found})
