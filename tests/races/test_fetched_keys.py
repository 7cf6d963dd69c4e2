"""Many want the keys at one address at once: one asks, others wait for a short time or not at all.

Where the one that asks has to stay where it is, it is a thread of the test, which waits for the
address as long as the test holds it.
"""

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select, update

from authservice import clock
from authservice.models import fetched_keys
from authservice.services.clients import client_keys, clients
from authservice.services.clients.client_keys import ClientKeys
from tests.helpers.applications import LOCAL
from tests.helpers.client_assertion import claims_of, form_of, key_set, new_key, signed
from tests.helpers.key_server import PATIENCE
from tests.helpers.relying_party import TOKEN, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.unit.settings.loading import local

MANY = 40
# One for each thread of the processes.
EVERYBODY = 20
NOTES = "https://notes.example.com"
GRANT = {"grant_type": "client_credentials"}
ALG = "EdDSA"
KEY = new_key(kid="good")
OTHER = new_key(kid="other")
LITTLE, MORE_THAN_A_MINUTE = timedelta(seconds=20), timedelta(seconds=61)
# Not fresh, but still valid.
OLD = timedelta(minutes=6)


@pytest.fixture(autouse=True)
def _patient_here(monkeypatch):
    """In this process an address has the time that a test gives it."""
    for name in ("read", "total"):
        monkeypatch.setitem(client_keys._SECONDS, name, 2.0 * PATIENCE)


@pytest.fixture(autouse=True)
def _published(key_server):
    key_server.publish(key_set(KEY))


@pytest.fixture
def settings(database_url, tmp_path):
    resources = resource_file(tmp_path, NOTES)
    return LOCAL | {"auth.database_url": database_url, "auth.resources": resources}


@pytest.fixture
def app(make_app, settings):
    return make_app(auth__resources=settings["auth.resources"])


@pytest.fixture
def register(app, database, key_server):
    """Register a machine whose keys are at the address."""

    def register():
        kind = {"redirect_uris": (), "resources": [NOTES], "grant_types": clients.MACHINE}
        return RelyingParty.registered(app, database, jwks_uri=key_server.uri, **kind)

    return register


@pytest.fixture
def machine(register):
    return register()


@pytest.fixture
def processes(app, make_processes, engine, settings):
    """Four processes with the application on the test's database."""
    made = make_processes(engine.local_environ)
    made.build(settings)
    return made


def requests_of(*machines, number=EVERYBODY, kids=None, ahead=0):
    """Return token requests of machines in turn; the kids are made up where none is named.

    The assertions live as long as they may: clocks are set forward meanwhile, or are ahead by so
    many seconds.
    """
    now = int(clock.now().timestamp()) + ahead
    lifetime = {"iat": now, "exp": now + 290}
    return [
        {
            "path": TOKEN,
            "form": form(machines[each % len(machines)], kids or f"made-up-{each}", **lifetime),
        }
        for each in range(number)
    ]


def form(machine, kid="good", **claims):
    return GRANT | form_of(signed(claims_of(machine.client_id, **claims), KEY, kid=kid))


def outcomes(answers):
    return Counter((each["status"], json.loads(each["body"]).get("error")) for each in answers)


def issued(number=EVERYBODY):
    return {(200, None): number}


def refused(number=EVERYBODY):
    return {(401, "invalid_client"): number}


@pytest.mark.attack("TOKENS-unknown-keys")
def test_made_up_kids_make_one_request_a_minute(processes, key_server, machine):
    assert outcomes(processes.send(requests_of(machine, number=MANY))) == refused(MANY)
    assert key_server.asked == 1

    processes.set_clocks_forward(LITTLE)
    assert outcomes(processes.send(requests_of(machine, number=MANY))) == refused(MANY)
    assert key_server.asked == 1

    processes.set_clocks_forward(MORE_THAN_A_MINUTE)
    assert outcomes(processes.send(requests_of(machine, number=MANY))) == refused(MANY)
    assert key_server.asked == 2


def test_an_address_that_fails_is_asked_once_a_minute(processes, key_server, machine):
    key_server.status = 500
    wanted = requests_of(machine, kids="good")
    assert outcomes(processes.send(wanted)) == refused()
    assert outcomes(processes.send(wanted)) == refused()
    assert key_server.asked == 1

    key_server.status = 200
    processes.set_clocks_forward(MORE_THAN_A_MINUTE)
    # Who finds that another one asks need not wait, and may be refused once more.
    assert outcomes(processes.send(wanted))[200, None] >= 1
    assert outcomes(processes.send(requests_of(machine, kids="good"))) == issued()
    assert key_server.asked == 2


def test_clients_that_name_the_same_address_share_its_keys(processes, key_server, register):
    machines = [register() for _ in range(4)]

    first = processes.send(requests_of(*machines, kids="good"))
    then = processes.send(requests_of(*machines, kids="good"))

    assert key_server.asked == 1
    # On a slow machine some wait in vain.
    assert outcomes(first)[200, None] >= 1
    assert outcomes(then) == issued()


def test_while_one_waits_for_a_slow_address_others_are_refused(processes, key_server, machine):
    key_server.hold()
    with ThreadPoolExecutor(1) as one:
        asking = one.submit(machine.http.post, TOKEN, form(machine))
        try:
            key_server.wait()

            answers = processes.send(requests_of(machine, kids="good"))

            assert not asking.done()
            assert outcomes(answers) == refused()
            assert key_server.asked == 1
        finally:
            key_server.release()
        assert asking.result().status_int == 200

    assert outcomes(processes.send(requests_of(machine, kids="good"))) == issued()
    assert key_server.asked == 1


def test_old_keys_count_while_the_address_hangs(processes, key_server, machine):
    assert machine.http.post(TOKEN, form(machine)).status_int == 200
    processes.set_clocks_forward(OLD)
    key_server.hold()

    answers = processes.send(requests_of(machine, kids="good", ahead=int(OLD.total_seconds())))

    # For the one that has asked in vain, too.
    assert outcomes(answers) == issued()
    assert key_server.asked == 2


def test_the_turn_of_a_process_that_has_died_is_over_after_a_minute(
    processes, database, key_server, machine
):
    with database.transaction() as connection:
        turn = {"id": key_server.uri, "asked_at": clock.now()}
        connection.execute(insert(fetched_keys), turn)
    assert outcomes(processes.send(requests_of(machine, kids="good"))) == refused()
    assert key_server.asked == 0

    processes.set_clocks_forward(MORE_THAN_A_MINUTE)
    processes.send(requests_of(machine, kids="good", number=8))

    assert key_server.asked == 1
    assert outcomes(processes.send(requests_of(machine, kids="good"))) == issued()


class Threads:
    """Threads that look for keys at the address, and how often they have paused for that."""

    def __init__(self, at, client, executor):
        self._at = at
        self._client = client
        self._executor = executor
        self._paused = threading.local()
        self._pausing = threading.Semaphore(0)
        self.pauses = 0

    def look_for(self, kid="good"):
        return self._executor.submit(self._found, kid)

    def _found(self, kid):
        key = self._at.find(self._client, ALG, kid)
        return None if key is None else key.get("kid")

    def sleep(self, seconds):
        self.pauses += 1
        if not hasattr(self._paused, "before"):
            self._paused.before = True
            self._pausing.release()
        time.sleep(seconds)

    def wait_for_a_pause(self):
        """Return when a thread pauses that has not before, one for each call."""
        assert self._pausing.acquire(timeout=PATIENCE)


@pytest.fixture
def threads(database, machine, key_server, monkeypatch):
    """As many threads as look for something, who wait for each other as long as it takes."""
    client = clients.find(database.reader, machine.client_id)
    with ThreadPoolExecutor(16) as executor:
        made = Threads(ClientKeys(local(), database), client, executor)
        monkeypatch.setattr(client_keys, "_PATIENCE_SECONDS", PATIENCE)
        paused = SimpleNamespace(monotonic=time.monotonic, sleep=made.sleep)
        monkeypatch.setattr(client_keys, "time", paused)
        yield made
        key_server.release()


def result(future):
    return future.result(PATIENCE)


def test_who_waits_gets_the_keys_that_another_one_has_fetched(threads, key_server):
    key_server.hold()
    asking = threads.look_for()
    key_server.wait()
    waiting = [threads.look_for() for _ in range(8)]
    unknown = threads.look_for("made-up")
    for _ in range(9):
        threads.wait_for_a_pause()

    key_server.release()

    assert [result(each) for each in (asking, *waiting)] == ["good"] * 9
    assert result(unknown) is None
    assert key_server.asked == 1


def test_who_waits_learns_that_the_address_has_failed(threads, key_server):
    key_server.status = 500
    key_server.hold()
    asking = threads.look_for()
    key_server.wait()
    waiting = [threads.look_for() for _ in range(8)]
    for _ in range(8):
        threads.wait_for_a_pause()

    key_server.release()

    assert [result(each) for each in (asking, *waiting)] == [None] * 9
    assert key_server.asked == 1


def test_patience_ends_while_the_address_is_still_asked(threads, key_server, monkeypatch):
    monkeypatch.setattr(client_keys, "_PATIENCE_SECONDS", 0.1)
    key_server.hold()
    asking = threads.look_for()
    key_server.wait()

    assert [result(each) for each in [threads.look_for() for _ in range(8)]] == [None] * 8

    assert threads.pauses
    assert not asking.done()
    assert key_server.asked == 1


def test_nobody_else_waits_for_an_address_that_failed_before(threads, key_server, turnable_clock):
    key_server.status = 500
    assert result(threads.look_for()) is None
    turnable_clock.advance(seconds=61)
    key_server.status = 200
    key_server.wait()
    key_server.hold()
    asking = threads.look_for()
    key_server.wait()

    assert [result(each) for each in [threads.look_for() for _ in range(8)]] == [None] * 8

    assert threads.pauses == 0
    assert not asking.done()
    key_server.release()
    assert result(asking) == result(threads.look_for()) == "good"
    assert key_server.asked == 2


def test_nobody_else_waits_who_has_a_key_of_before(threads, key_server, turnable_clock):
    assert result(threads.look_for()) == "good"
    turnable_clock.advance(minutes=5)
    key_server.publish(key_set(KEY, OTHER))
    key_server.wait()
    key_server.hold()
    asking = threads.look_for()
    key_server.wait()

    assert [result(each) for each in [threads.look_for() for _ in range(8)]] == ["good"] * 8

    assert threads.pauses == 0
    assert not asking.done()
    waiting = threads.look_for("other")
    threads.wait_for_a_pause()
    key_server.release()
    assert (result(asking), result(waiting)) == ("good", "other")
    assert key_server.asked == 2


def test_what_comes_of_a_turn_that_was_over_is_not_stored(
    threads, database, key_server, turnable_clock
):
    key_server.hold()
    late = threads.look_for()
    key_server.wait()
    with database.transaction() as connection:
        turnable_clock.advance(seconds=61)
        connection.execute(update(fetched_keys).values(asked_at=clock.now()))
    waiting = threads.look_for("made-up")
    threads.wait_for_a_pause()

    key_server.release()

    threads.wait_for_a_pause()
    assert database.reader.execute(select(fetched_keys.c.answered_at)).scalar() is None
    with database.transaction() as connection:
        connection.execute(update(fetched_keys).values(answered_at=clock.now()))
    assert result(late) is result(waiting) is None
