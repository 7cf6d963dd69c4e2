"""What the cases expect of each answer is what the service answers."""

from types import SimpleNamespace

import pytest

from authservice.services.clients.clients import MACHINE
from tests.helpers.engines import SECRET
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tools.bench.cases import CASES
from tools.bench.driver.http11 import Answer, WrongAnswerError
from tools.bench.driver.wire import perform
from tools.bench.driver.wsgi import calling
from tools.bench.people import enrolment, seeding
from tools.bench.people.population import Client, Grant, Person, Population
from tools.bench.service.deployment import REDIRECT_URI
from tools.bench.service.servers import RESOURCE

HOST = "localhost:37960"


def enrolled(database, exchange):
    """Return one person, who signs in and fetches tokens."""
    client = RelyingParty.registered(None, database, redirect_uris=[REDIRECT_URI])
    machine = RelyingParty.registered(
        None, database, redirect_uris=(), resources=[RESOURCE], grant_types=MACHINE
    )
    deployment = SimpleNamespace(
        host=HOST,
        register_client=lambda: (client.client_id, client.client_secret),
        register_machine=lambda: (machine.client_id, machine.client_secret),
    )
    return enrolment.Enrolment(deployment).population(exchange)


def seeded(database, _exchange):
    """Return people who are written into the database."""
    url = database.url.render_as_string(hide_password=False)
    environment = {"AUTH_URL": f"http://{HOST}", "AUTH_DATABASE_URL": url, "AUTH_SECRET": SECRET}
    deployment = SimpleNamespace(host=HOST, database_url=url, environment=environment)
    return seeding.seed(deployment, 50)


@pytest.fixture
def app(make_app, tmp_path):
    resources = resource_file(tmp_path, RESOURCE)
    return make_app(auth__trusted_proxies="127.0.0.1", auth__resources=resources)


@pytest.mark.parametrize("populate", [enrolled, seeded])
def test_every_answer_is_right(populate, database, app, monkeypatch):
    monkeypatch.setattr(enrolment, "_FAMILIES", 2)
    monkeypatch.setattr(seeding, "CLIENTS", 2)
    exchange = calling(app)
    population = populate(database, exchange)

    for case in CASES.values():
        for _ in range(3):
            perform(case.work(population)(), exchange)


def test_another_answer_is_wrong(subtests):
    client = Client("id", "secret", REDIRECT_URI)
    grants = [Grant("somebody", client, "access", "refresh")]
    population = Population(HOST, [Person("somebody", "cookies", client)], grants, client)
    answer = Answer(404, b"HTTP/1.1 404 Not Found", b"{}")

    for name, case in CASES.items():
        with subtests.test(name=name), pytest.raises(WrongAnswerError):
            perform(case.work(population)(), lambda _request: answer)
