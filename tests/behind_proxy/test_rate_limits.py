"""Rate limits, counted in a real Redis by both processes together, for addresses nginx reports."""

import http.client

import pytest
from limits import RateLimitItemPerSecond

from authservice.web.request.counts import RateLimits, TooManyRequestsError
from tests.behind_proxy.deployment import APP, AUTH
from tests.helpers.waiting import until

SIGN_IN = f"{AUTH}/sign-in"
BEGIN = f"{AUTH}/api/auth/sign-in/begin"
SOCIAL = f"{AUTH}/api/auth/sign-in/social"
TOKEN = f"{AUTH}/api/auth/oauth2/token"


@pytest.fixture
def caller(production):
    return production.caller("127.0.0.2")


def _statuses(ask, times):
    return [ask().status for _ in range(times)]


def test_an_application_may_begin_thirty_sign_ins_in_ten_seconds(caller):
    def begin():
        return caller.post_json(SOCIAL, {"provider": "github"}, Origin=APP)

    assert _statuses(begin, 30) == [200] * 30

    answer = begin()

    assert answer.status == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 10
    assert set(answer.json) == {"message", "code"}
    assert answer.json["code"] == "TOO_MANY_REQUESTS"
    # An application's script can read it.
    assert answer.headers["Access-Control-Allow-Origin"] == APP
    assert answer.headers["Access-Control-Expose-Headers"] == "Retry-After"


def test_each_address_and_each_page_counts_apart(production, caller):
    assert caller.statuses(31, BEGIN)[-1] == 429

    assert production.caller("127.0.0.3").get(BEGIN).status == 303
    assert caller.get(SIGN_IN).status == 200
    assert caller.post_json(SOCIAL, {"provider": "github"}).status == 200
    assert caller.get(AUTH).status == 200


@pytest.mark.attack("BROWSER-brute-force", "BROWSER-lock-out")
@pytest.mark.requirement("RFC6749-2.3.1-5")
def test_failures_of_one_address_lock_out_nobody_else(production, caller, own_client):
    failing = {"client_id": own_client["client_id"]}
    assert _statuses(lambda: caller.post_form(TOKEN, failing), 21) == [401] * 20 + [429]

    form = {"grant_type": "refresh_token", "refresh_token": "x"} | own_client
    for address in ("127.0.0.2", "127.0.0.3"):
        answer = production.caller(address).post_form(TOKEN, form)
        assert (answer.status, answer.json["error"]) == (400, "invalid_grant")


@pytest.mark.attack("FAILURES-47")
def test_a_claimed_address_does_not_help(production, caller):
    real = {"X_Real_IP": "198.51.100.1", "Forwarded": "for=198.51.100.1"}
    forged = [real | {"X_Forwarded_For": f"198.51.100.{number}"} for number in range(32)]

    assert caller.statuses_of(forged, BEGIN) == [303] * 30 + [429] * 2


@pytest.mark.attack("BROWSER-lock-out")
def test_a_claimed_address_locks_nobody_out(production, caller):
    caller.statuses(31, BEGIN, X_Forwarded_For="127.0.0.3")

    assert production.caller("127.0.0.3").get(BEGIN).status == 303


def _past_the_proxy(production, address, *forwarded_for, worker=0):
    """Ask a process directly, from an address that is a trusted proxy's or not."""
    port = production.worker_ports[worker]
    connection = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0))
    try:
        connection.putrequest("GET", "/api/auth/sign-in/begin")
        for line in forwarded_for:
            connection.putheader("X-Forwarded-For", line)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


@pytest.mark.attack("RFC9700-4.13")
@pytest.mark.requirement("RFC9700-4.13-1")
def test_who_goes_past_the_proxy_is_not_believed(production):
    statuses = [_past_the_proxy(production, "127.0.0.4", f"198.51.100.{n}") for n in range(32)]

    assert statuses == [303] * 30 + [429] * 2


@pytest.mark.attack("FAILURES-47")
def test_both_servers_know_a_sender_whatever_a_proxy_writes(production):
    for written, another in (
        ("203.0.113.7:{}", "203.0.113.8:51000"),
        ("\t[2001:db8:7::1]:{} ", "[2001:db8:8::1]"),
        ('"[2001:db8:9::1]:{}", 127.0.0.1:{}', "2001:db8:a::1:51000"),
        ("_hidden7", "_hidden8"),
        ("203.0.113.7:70000", "203.0.113.7:70001"),
        (", , ", "unknown"),
    ):
        statuses = [
            _past_the_proxy(
                production,
                "127.0.0.1",
                f"198.51.100.{n}",
                written.replace("{}", str(51000 + n)),
                worker=n % 2,
            )
            for n in range(32)
        ]
        assert statuses == [303] * 30 + [429] * 2, written
        others = [_past_the_proxy(production, "127.0.0.1", another, worker=n) for n in (0, 1)]
        assert others == [303] * 2, another

    assert _past_the_proxy(production, "127.0.0.1") == 303


@pytest.mark.attack("BROWSER-brute-force")
def test_both_processes_count_together(production):
    """Half of the requests to each, so each alone is below its limit."""
    connections = [
        http.client.HTTPConnection("127.0.0.1", port) for port in production.worker_ports
    ]

    statuses = []
    for number in range(32):
        connection = connections[number % 2]
        connection.request(
            "GET", "/api/auth/sign-in/begin", headers={"X-Forwarded-For": "198.51.100.9"}
        )
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    for connection in connections:
        connection.close()

    assert statuses == [303] * 30 + [429] * 2


def test_in_redis_too_one_that_counts_as_several_takes_their_room(redis_server):
    redis_server.forget()
    limits = RateLimits(redis_server.url)
    ten = RateLimitItemPerSecond(10, 60)

    for _ in range(2):
        limits.count(ten, "page", "203.0.113.7", cost=4)
    with pytest.raises(TooManyRequestsError) as refused:
        limits.count(ten, "page", "203.0.113.7", cost=4)

    assert refused.value.retry_after == 60
    for _ in range(2):
        limits.count(ten, "page", "203.0.113.7")
    with pytest.raises(TooManyRequestsError):
        limits.count(ten, "page", "203.0.113.7")


@pytest.mark.parametrize(("fail", "repair"), [("stop", "start"), ("freeze", "thaw")])
def test_without_redis_requests_pass_and_the_log_says_so(
    production, redis_server, caller, fail, repair
):
    before = len(production.output)
    getattr(redis_server, fail)()
    try:
        assert _statuses(lambda: caller.get(BEGIN), 32) == [303] * 32
    finally:
        getattr(redis_server, repair)()

    written = production.output[before:]
    assert "rate limits are off: the storage cannot be reached" in written
    assert "Traceback" not in written
    # Each process asks again within a second.
    until(lambda: _statuses(lambda: caller.get(BEGIN), 32)[-1] == 429)
