"""The cases: what one operation of each is, and what its answers must hold."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from tools.bench.driver.browser import Browser
from tools.bench.driver.flow import TOKEN, Flow
from tools.bench.driver.http11 import Answer, WrongAnswerError, get, post_form
from tools.bench.driver.load import Operation, Work
from tools.bench.people.population import Population


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the tables."""

    name: str
    title: str
    operation: Callable[[Population], Operation]

    def work(self, population: Population) -> Work:
        """Return the case as work for the load driver."""
        return lambda: self.operation(population)


def _health(population: Population) -> Operation:
    answer = yield get(population.host, "/api/health")
    _expect(answer, '"status"')


def _discovery(population: Population) -> Operation:
    answer = yield get(population.host, "/api/auth/.well-known/openid-configuration")
    _expect(answer, f'"http://{population.host}/api/auth/oauth2/token"')


def _jwks(population: Population) -> Operation:
    answer = yield get(population.host, "/api/auth/jwks")
    _expect(answer, '"RS256"')


def _session(population: Population) -> Operation:
    person = population.any_person()
    answer = yield get(population.host, "/api/auth/get-session", {"Cookie": person.cookies})
    _expect(answer, f'"{person.user_id}"')


def _auth_request(population: Population) -> Operation:
    asked = {"X-Original-URL": f"http://{population.host}/"}
    return _asked_by_proxy(population, "auth-request", asked)


def _forward(population: Population) -> Operation:
    asked = {
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": population.host,
        "X-Forwarded-Uri": "/",
    }
    return _asked_by_proxy(population, "forward-auth", asked)


def _asked_by_proxy(population: Population, name: str, asked: dict[str, str]) -> Operation:
    person = population.any_person()
    headers = asked | {"Cookie": person.cookies}
    answer = yield get(population.host, f"/api/auth/forward/{name}", headers)
    if answer.status != 200 or answer.header("Remote-User") != person.user_id:
        raise WrongAnswerError(f"{answer.status} for another user: {answer.head[:300]!r}")


def _userinfo(population: Population) -> Operation:
    grant = population.any_grant()
    bearer = {"Authorization": f"Bearer {grant.access_token}"}
    answer = yield get(population.host, "/api/auth/oauth2/userinfo", bearer)
    _expect(answer, f'"{grant.user_id}"')


def _introspection(population: Population) -> Operation:
    grant = population.any_grant()
    answer = yield post_form(
        population.host,
        "/api/auth/oauth2/introspect",
        {"token": grant.access_token},
        {"Authorization": grant.client.authorization},
    )
    _expect(answer, f'"{grant.user_id}"')


def _refresh(population: Population) -> Operation:
    grant = population.refreshable.popleft()
    answer = yield post_form(
        population.host,
        TOKEN,
        {"grant_type": "refresh_token", "refresh_token": grant.refresh_token},
        {"Authorization": grant.client.authorization},
    )
    _expect(answer, '"access_token"')
    successor = json.loads(answer.body)["refresh_token"]
    if successor == grant.refresh_token:
        raise WrongAnswerError("the refresh token was not rotated")
    population.refreshable.append(replace(grant, refresh_token=successor))


def _flow(population: Population) -> Operation:
    person = population.any_person()
    flow = Flow(population.host, person.client)
    answer = yield flow.authorization_request(person.cookies)
    answer = yield flow.token_request(answer)
    if flow.grant(answer).user_id != person.user_id:
        raise WrongAnswerError("tokens of another user")


def _client_credentials(population: Population) -> Operation:
    machine = population.machine
    if machine is None:
        raise WrongAnswerError("this version knows no machines: leave the case out by --only")
    form = {"grant_type": "client_credentials"}
    answer = yield post_form(population.host, TOKEN, form, {"Authorization": machine.authorization})
    _expect(answer, '"access_token"')


def _sign_in(population: Population) -> Operation:
    yield from Browser(population.host).sign_in()


CASES = {
    case.name: case
    for case in (
        Case("health", "health", _health),
        Case("discovery", "discovery", _discovery),
        Case("jwks", "JWKS", _jwks),
        Case("session", "session check", _session),
        Case("forward", "forward authentication", _forward),
        Case("auth-request", "the same for nginx", _auth_request),
        Case("userinfo", "userinfo", _userinfo),
        Case("introspection", "introspection", _introspection),
        Case("refresh", "refresh with rotation", _refresh),
        Case("flow", "authorization-code flow", _flow),
        Case("client-credentials", "client credentials", _client_credentials),
        Case("sign-in", "sign-in by one click", _sign_in),
    )
}


def _expect(answer: Answer, part: str) -> None:
    if answer.status != 200 or part.encode() not in answer.body:
        raise WrongAnswerError(f"{answer.status} without {part}: {answer.body[:300]!r}")
