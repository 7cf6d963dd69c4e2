"""A population made the real way: one person signs in and allows a client, which fetches tokens."""

from http import HTTPStatus

from tools.bench.driver.browser import Browser
from tools.bench.driver.flow import Flow
from tools.bench.driver.load import Operation
from tools.bench.driver.wire import Exchange, connected, perform
from tools.bench.people.population import Client, Grant, Person, Population
from tools.bench.service.deployment import REDIRECT_URI, Deployment
from tools.bench.service.servers import Service

# Many families of tokens, as no client refreshes one and the same over and over.
_FAMILIES = 200


class Enrolment:
    """Makes populations of a client and a machine, registered once, by the service's command."""

    def __init__(self, deployment: Deployment) -> None:
        self._host = deployment.host
        self._client = Client(*deployment.register_client(), REDIRECT_URI)
        machine = deployment.register_machine()
        self._machine = None if machine is None else Client(*machine)

    def of_service(self, service: Service) -> Population:
        """Return a new population of a running service."""
        with connected(service.ports[0]) as exchange:
            return self.population(exchange)

    def population(self, exchange: Exchange) -> Population:
        """Return a new population; its access tokens live for an hour."""
        browser = Browser(self._host)
        grants: list[Grant] = []
        perform(browser.sign_in(), exchange)
        perform(_allow(browser, self._flow()), exchange)
        for _ in range(_FAMILIES):
            perform(_fetch_tokens(browser.cookies, self._flow(), grants), exchange)
        person = Person(grants[0].user_id, browser.cookies, self._client)
        return Population(self._host, [person], grants, self._machine)

    def _flow(self) -> Flow:
        return Flow(self._host, self._client)


def _allow(browser: Browser, flow: Flow) -> Operation:
    """Allow the client everything, unless that was done before."""
    answer = yield from browser.open(flow.address)
    if answer.status == HTTPStatus.OK:
        answer = yield from browser.submit(answer, "decision", "allow")
    flow.token_request(answer)  # raises unless there is a code


def _fetch_tokens(cookies: str, flow: Flow, grants: list[Grant]) -> Operation:
    answer = yield flow.authorization_request(cookies)
    answer = yield flow.token_request(answer)
    grants.append(flow.grant(answer))
