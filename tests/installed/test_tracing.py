"""Traces as a collector gets them: which spans there are, and that they tell nothing of people."""

import io
import json
import logging
import sys
from urllib.parse import urlsplit

import pytest
from sqlalchemy.exc import OperationalError

from authservice import httpclient
from authservice.database.database import Database
from authservice.logs import JSONLines
from tests.helpers.browser import Browser
from tests.helpers.otlp_receiver import OTLPReceiver
from tests.helpers.processes import finished
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty
from tests.unit.settings.loading import PRODUCTION_ENVIRON

SERVER, CLIENT = 2, 3
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
_TRACED = "from authservice.application import tracing; tracing()"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def collector(monkeypatch):
    receiver = OTLPReceiver()
    for name, value in receiver.environ.items():
        monkeypatch.setenv(name, value)
    yield receiver
    receiver.close()


@pytest.fixture
def traced(collector, make_app):
    return make_app()


@pytest.fixture
def browser(traced):
    return Browser(traced)


@pytest.fixture
def production(collector, make_app, monkeypatch, identity_provider_standin):
    """A traced service in production, whose people come from the stand-in."""
    identity_provider_standin.application(
        callback_url="https://auth.example.com/api/auth/callback/github",
        client_secret=PRODUCTION_ENVIRON["PROVIDER_CLIENT_SECRET"],
    )
    return production_app(make_app, monkeypatch, **identity_provider_standin.ini)


@pytest.fixture
def person(production):
    """A user's browser, at an address of its own."""
    browser = production_browser(production)
    browser.extra_environ["REMOTE_ADDR"] = "127.0.0.2"
    return browser


def sign_in(person, standin, **headers):
    """Come back from the provider with an account."""
    leaving = person.get("/sign-in").forms[0].submit("choice", value="sign-in").location
    back = standin.allow(leaving)
    return person.follow_home(person.visit(back, headers=headers, expect_errors=True))


@pytest.fixture
def sent(collector, traced):
    """End the application, which sends what is left, and return what arrived."""

    def spans():
        traced.registry.components.close()
        return collector

    return spans


def test_a_request_is_a_span_with_route_status_and_reference(browser, sent):
    browser.get("/api/health")
    page = browser.get("/api/auth/callback/github?code=c&state=s", expect_errors=True)

    (health,) = sent().named("GET /api/health")
    (callback,) = sent().named("GET /api/auth/callback/{provider_id}")
    assert health.kind == SERVER
    assert health.attributes["http.route"] == "/api/health"
    assert health.attributes["http.response.status_code"] == 200
    assert not health.parent_id
    assert callback.attributes["http.response.status_code"] == page.status_int == 400
    assert callback.attributes["authservice.request"] in page.text
    assert not callback.failed
    assert health.resource["service.name"] == "authservice"


def test_a_caller_finds_the_request_in_its_own_trace(browser, sent):
    browser.get("/api/health", headers={"traceparent": CALLER})

    (span,) = sent().named("GET /api/health")
    assert (span.trace_id, span.parent_id) == (TRACE, CALLER.split("-")[2])


@pytest.mark.parametrize("junk", ["", "x", CALLER[:-1], "00-" + "0" * 32 + "-" + "0" * 16 + "-01"])
def test_a_trace_that_is_none_is_begun_anew(browser, sent, junk):
    browser.get("/api/health", headers={"traceparent": junk, "tracestate": "=\xe9"})

    (span,) = sent().named("GET /api/health")
    assert not span.parent_id


def test_nobody_outside_makes_up_a_name(browser, sent):
    for path in ("/nowhere?secret=1", "/%ff", "/static/nothing"):
        browser.get(path, expect_errors=True)
    browser.lint = False
    browser._gen_request("BREW", "/api/health", expect_errors=True)

    # That one is of the start, which marks the database as that of local mode.
    names = {span.name for span in sent().spans if span.name != "transaction"}
    assert names == {"GET", "GET /static/*", "_OTHER /api/health"}


def test_writing_transactions_are_spans_of_their_request(browser, sent, engine):
    browser.sign_in()

    (request,) = sent().named("GET /api/auth/callback/{provider_id}")
    made = [s for s in sent().named("transaction") if s.parent_id == request.span_id]
    # The attempt is spent before the provider is queried, and the session made after that.
    assert len(made) == 2
    for transaction in made:
        assert transaction.trace_id == request.trace_id
        assert transaction.attributes["db.system.name"] == engine.name
        assert transaction.attributes["authservice.committed"] is True
        assert transaction.events == ["begun"]


def test_a_transaction_that_is_rolled_back_says_so(traced, sent):
    with (
        pytest.raises(RuntimeError),
        traced.registry.components.database.transaction(),
    ):
        raise RuntimeError

    # Those before are of the start.
    *_, transaction = sent().named("transaction")
    assert transaction.attributes["authservice.committed"] is False


# Only there does beginning ask the database, which may refuse.
@pytest.mark.engines("sqlite")
def test_a_transaction_that_cannot_begin_is_a_failed_span(traced, sent, monkeypatch):
    database = traced.registry.components.database

    def refused(_connection):
        raise OperationalError("BEGIN", None, Exception("the disk is gone"))

    monkeypatch.setattr("authservice.database.sqlite.engines._begin_immediate", refused)
    with pytest.raises(OperationalError):
        database.begin()

    # Those before are of the start.
    *_, transaction = sent().named("transaction")
    assert transaction.failed
    assert transaction.attributes["error.type"] == "OperationalError"
    assert transaction.events == []


def test_what_is_sent_to_others_names_the_trace(
    collector, production, person, identity_provider_standin
):
    sign_in(person, identity_provider_standin)

    production.registry.components.close()
    (request,) = collector.named("GET /api/auth/callback/{provider_id}")
    exchanges = [span for span in collector.spans if span.parent_id == request.span_id]
    outgoing = [span for span in exchanges if span.kind == CLIENT and span.name != "transaction"]
    assert [span.name for span in outgoing] == ["POST", "GET", "GET"]
    received = identity_provider_standin.requests()[-3:]
    named = [sent["headers"]["traceparent"].split("-")[1:3] for sent in received]
    assert named == [[request.trace_id, span.span_id] for span in outgoing]
    port = urlsplit(identity_provider_standin.url).port
    host = {"server.address": "127.0.0.1", "server.port": port, "http.response.status_code": 200}
    assert all(host.items() <= span.attributes.items() for span in outgoing)


def test_nothing_but_the_trace_goes_on_to_others(person, production, identity_provider_standin):
    carried = {"traceparent": CALLER, "tracestate": "v=1", "baggage": "person=ada"}
    sign_in(person, identity_provider_standin, **carried)

    headers = identity_provider_standin.requests()[-1]["headers"]
    assert headers["traceparent"].startswith(f"00-{TRACE}-")
    assert "baggage" not in headers


def test_a_host_that_does_not_answer_is_a_failed_span(
    collector, production, person, identity_provider_standin
):
    identity_provider_standin.fault("/login/oauth/access_token", "reset")
    sign_in(person, identity_provider_standin)

    production.registry.components.close()
    (exchange,) = collector.named("POST")
    assert exchange.failed
    assert exchange.attributes["error.type"] == "ConnectionFailedError"


def test_no_secret_and_nothing_of_a_person_is_told(
    collector, production, person, identity_provider_standin, database
):
    sign_in(person, identity_provider_standin)
    client = RelyingParty.registered(production, database)
    client.http = production_browser(production)
    code = client.sign_in_with(person)
    tokens = client.redeem(code).json
    client.refresh(tokens["refresh_token"])
    client.http.get("/api/auth/oauth2/userinfo?access_token=in-the-query", expect_errors=True)
    profile = person.get("/api/auth/get-session").json

    production.registry.components.close()
    secret = [code, client.client_id, client.client_secret, "in-the-query", "redirect_uri"]
    secret += [tokens[name] for name in ("access_token", "refresh_token", "id_token")]
    secret += [cookie.value for cookie in person.cookiejar]
    secret += [profile["user"][name] for name in ("id", "name", "email")]
    secret += [
        sent["query"]["state"]
        for sent in identity_provider_standin.requests()
        if "state" in sent["query"]
    ]
    secret += ["WebTest", "127.0.0.2", "octocat"]
    assert collector.named("POST /api/auth/oauth2/token")
    assert [text for text in secret if text.encode() in collector.bytes] == []


def test_lines_of_the_log_name_the_trace(browser, sent, caplog):
    caplog.set_level(logging.INFO, "authservice")
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(JSONLines())
    log = logging.getLogger("authservice")
    log.addHandler(handler)
    try:
        browser.get(
            "/api/auth/callback/github", expect_errors=True, headers={"traceparent": CALLER}
        )
    finally:
        log.removeHandler(handler)

    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert written
    assert {line["trace_id"] for line in written} == {TRACE}


def _run(code, **env):
    return finished([sys.executable, "-c", code], env=env)


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"},
    ],
)
def test_unless_it_is_asked_for_nothing_of_it_is_there(environ, make_app, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    components = make_app().registry.components

    assert components.tracing is None
    assert type(components.database) is Database
    assert httpclient.observers == []
    ended = _run("import authservice.application, sys; print('opentelemetry' in sys.modules)")
    assert ended.stdout == "False\n"


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"OTEL_TRACES_EXPORTER": "jaeger"}, "OTEL_TRACES_EXPORTER: 'jaeger' is none of those"),
        (
            {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "ftp"},
            "OTEL_EXPORTER_OTLP_PROTOCOL: 'ftp' is not http/protobuf or grpc",
        ),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_PROPAGATORS": "pigeon"}, "Propagator pigeon"),
    ],
)
def test_a_variable_of_no_use_stops_the_start(environ, why):
    ended = _run(_TRACED, **environ)

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(f"authservice: {why}")


def test_without_the_library_the_start_says_what_to_install():
    lacking = "import sys; sys.modules['opentelemetry'] = None; "
    ended = _run(f"{lacking}{_TRACED}", OTEL_TRACES_EXPORTER="otlp")

    assert ended.returncode == 1
    assert ended.stderr == (
        "authservice: OTEL_TRACES_EXPORTER needs OpenTelemetry; install it:"
        " pip install 'authservice[opentelemetry]'\n"
    )


def test_the_name_of_the_service_is_the_operators(collector, monkeypatch, make_app):
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=ours,deployment=blue")
    app = make_app()
    Browser(app).get("/api/health")
    app.registry.components.close()

    (span,) = collector.named("GET /api/health")
    assert (span.resource["service.name"], span.resource["deployment"]) == ("ours", "blue")
