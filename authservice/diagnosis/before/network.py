"""The machine and its network: packages, addresses, the rate limits' storage, proxies, the port."""

import errno
import ipaddress
import json
import resource
import socket
from collections.abc import Iterator
from importlib.util import find_spec

from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from sqlalchemy import make_url

from authservice.diagnosis.before.configuration import is_placeholder
from authservice.diagnosis.deployment import Deployment
from authservice.diagnosis.finding import Finding, error, subject, warning
from authservice.httpclient import Client, Method, Request, SendError, Timeouts
from authservice.settings import load_traces_exporter
from authservice.settings.hosts import host_of, origin_of, within_domain

PLACEHOLDERS_CLIENT_ID = error(
    "placeholders.client_id",
    "The client id is still the placeholder of the shipped file.",
    "Copy the client id from the application's page at the identity provider.",
)
PLACEHOLDERS_RULE = error(
    "placeholders.rule",
    "A rule of admission is still an example from the documentation.",
    "Name your own organization, accounts or domain there.",
)
PLACEHOLDERS_EXAMPLE_HOST = error(
    "placeholders.example_host",
    "The host is an example from the documentation. Browsers cannot reach this service there.",
    "Put your own domain there.",
)

# RFC 2606 section 3, RFC 6761 sections 6.4 and 6.5.
_EXAMPLES = ("example.com", "example.net", "example.org", "example", "invalid")


@subject("placeholders", order=4, in_order="No value is a placeholder.")
def placeholders(deployment: Deployment) -> Iterator[Finding]:
    """Yield each placeholder that is left."""
    settings = deployment.settings
    if settings.local_mode:
        return
    if is_placeholder(settings.provider.client_id):
        yield PLACEHOLDERS_CLIENT_ID.at("provider.client_id", found=settings.provider.client_id)
    for rule in settings.admission.rules:
        named = rule.value.split("/")
        if any(is_placeholder(name) for name in named) or is_example(rule.value):
            yield PLACEHOLDERS_RULE.at("admission", found=str(rule))
    addresses = {
        "auth.url": settings.auth_url,
        "provider.authorize_url": settings.provider.authorize_url,
        "provider.token_url": settings.provider.token_url,
        "provider.api_url": settings.provider.api_url,
    }
    for name, url in addresses.items():
        if is_example(url):
            yield PLACEHOLDERS_EXAMPLE_HOST.at(name, found=url)


def is_example(url: str) -> bool:
    """Tell whether an address is at a host that only documentation uses."""
    host = host_of(origin_of(url) or url)
    return any(within_domain(host, example) for example in _EXAMPLES)


PACKAGES_POSTGRESQL = error(
    "packages.postgresql",
    "The database is PostgreSQL, and its driver is not installed.",
    "Install it into the service's environment: pip install 'authservice[postgresql]'",
)
PACKAGES_REDIS = error(
    "packages.redis",
    "Redis counts the rate limits, and its client is not installed.",
    "Install it into the service's environment: pip install 'authservice[redis]'",
)
PACKAGES_METRICS = error(
    "packages.metrics",
    "The settings switch metrics on, and the library of Prometheus is not installed.",
    "Install it into the service's environment: pip install 'authservice[metrics]'",
)
PACKAGES_OPENTELEMETRY = error(
    "packages.opentelemetry",
    "The settings switch traces on, and OpenTelemetry is not installed.",
    "Install it into the service's environment: pip install 'authservice[opentelemetry]'",
)


@subject("packages", order=5, in_order="Every package that the settings need is installed.")
def packages(deployment: Deployment) -> Iterator[Finding]:
    """Yield each package that is needed and missing."""
    settings = deployment.settings
    if settings.database_url.startswith("postgresql") and find_spec("psycopg") is None:
        yield PACKAGES_POSTGRESQL.at("auth.database_url", expected="package psycopg")
    if (settings.ratelimit_storage or "").startswith("redis") and find_spec("redis") is None:
        yield PACKAGES_REDIS.at("ratelimit.storage", expected="package redis")
    if settings.metrics_listen is not None and find_spec("prometheus_client") is None:
        yield PACKAGES_METRICS.at("metrics.listen", expected="package prometheus-client")
    traced = load_traces_exporter(deployment.environ) is not None
    if traced and find_spec("opentelemetry") is None:
        yield PACKAGES_OPENTELEMETRY.at(
            "OTEL_TRACES_EXPORTER", expected="package opentelemetry-sdk"
        )


ADDRESS_UNRESOLVED = warning(
    "address.unresolved",
    "This machine cannot resolve the host of AUTH_URL, so browsers cannot either.",
    "Add its record to your domain's name server before the deployment, or correct AUTH_URL.",
)
ADDRESS_COOKIE_DOMAIN_TOO_NARROW = warning(
    "address.cookie_domain_too_narrow",
    "The cookie domain is the service's own host, so no other application gets the session.",
    "Name the parent domain that your applications share, or remove the setting.",
)
ADDRESS_ORIGIN_OUTSIDE_COOKIE_DOMAIN = warning(
    "address.origin_outside_cookie_domain",
    "A trusted origin is outside the cookie domain, so browsers do not send it the session cookie.",
    "Widen AUTH_COOKIE_DOMAIN, or register the application as an OpenID Connect client.",
)


@subject(
    "address",
    order=6,
    in_order="The host of AUTH_URL has an address, and the cookie domain fits the applications.",
)
def address(deployment: Deployment) -> Iterator[Finding]:
    """Yield what keeps browsers, or the session cookie, from getting where they should."""
    settings = deployment.settings
    if settings.local_mode:
        return
    if not resolves(settings.host):
        yield ADDRESS_UNRESOLVED.at("auth.url", found=settings.host)
    domain = settings.cookie_domain
    if domain == settings.host:
        parent = f".{domain.partition('.')[2]}"
        yield ADDRESS_COOKIE_DOMAIN_TOO_NARROW.at(
            "auth.cookie_domain", found=f".{domain}", expected=parent
        )
    for origin in settings.trusted_origins:
        if not within_domain(host_of(origin), domain or settings.host):
            yield ADDRESS_ORIGIN_OUTSIDE_COOKIE_DOMAIN.at("auth.trusted_origins", found=origin)


def resolves(host: str) -> bool:
    """Tell whether this machine finds an address for a host."""
    try:
        return bool(socket.getaddrinfo(host.strip("[]"), None))
    except (OSError, UnicodeError):
        return False


RATE_LIMITS_UNREACHABLE = error(
    "rate_limits.unreachable",
    "Redis does not answer, or refuses the connection. No rate limit would hold.",
    "Correct host, port and password in ratelimit.storage, or start the server.",
)
RATE_LIMITS_PER_PROCESS = warning(
    "rate_limits.per_process",
    "Each process counts separately, so every limit is multiplied by the number of processes.",
    "Let all processes count together: ratelimit.storage = redis://HOST:PORT/DATABASE",
)

_REDIS_TIMEOUTS = {"socket_timeout": 2, "socket_connect_timeout": 2}


@subject("rate_limits", order=16, in_order="The storage of the rate limits answers.")
def rate_limits(deployment: Deployment) -> Iterator[Finding]:
    """Yield whether the storage cannot be reached."""
    storage = deployment.settings.ratelimit_storage
    if storage is None:
        yield rate_limits.skipped("Local mode limits nothing.")
        return
    if storage == "memory://":
        workers = deployment.granian.get("workers", "1")
        if workers != "1":
            yield RATE_LIMITS_PER_PROCESS.at(
                "ratelimit.storage", found=f"memory:// and {workers} workers"
            )
        return
    try:
        answers = storage_from_string(storage, **_REDIS_TIMEOUTS).check()
    except ConfigurationError:
        yield rate_limits.skipped("The client of Redis is not installed.")
        return
    if not answers:
        # Its password may stand in the query too.
        shown = make_url(storage).set(query={}).render_as_string()
        yield RATE_LIMITS_UNREACHABLE.at("ratelimit.storage", found=shown)


PROXIES_EVERYBODY = error(
    "proxies.everybody",
    "Every sender may choose its own address, so every sender can avoid the rate limits.",
    "Name the proxy's own address or network in auth.trusted_proxies.",
)
PROXIES_NOBODY = warning(
    "proxies.nobody",
    "No proxy is trusted, so all people count as one sender and use up one rate limit.",
    "Name the proxy's address in auth.trusted_proxies.",
)
PROXIES_GRANIAN_ALONE = warning(
    "proxies.granian_alone",
    "granian needs a proxy in front that passes whole requests on and limits connections: clients"
    " that are silent or slow take its places. No proxy is trusted.",
    "Name the proxy's address in auth.trusted_proxies, or serve with pserve and remove"
    " [server:granian].",
)
PROXIES_NOT_THIS_MACHINE = warning(
    "proxies.not_this_machine",
    "Only this machine can reach the service, but its proxy is not trusted.",
    "Add 127.0.0.1 to auth.trusted_proxies.",
)
PROXIES_HEADERS_CLEARED = error(
    "proxies.headers_cleared",
    "The server removes X-Forwarded-For before the service reads it, so all people count as one.",
    "Write into [server:main]: clear_untrusted_proxy_headers = false",
)

# No operator's proxies fill a network of this size.
_WIDEST = {4: 7, 6: 15}
_FALSE = {"false", "no", "off", "0"}
_THIS_MACHINE = {"127.0.0.1", "localhost"}


@subject("proxies", order=17, in_order="The service trusts the proxy, and no other sender.")
def proxies(deployment: Deployment) -> Iterator[Finding]:
    """Yield what is wrong with whom we believe."""
    settings = deployment.settings
    if settings.local_mode:
        yield proxies.skipped("Local mode has no rate limits.")
        return
    for network in settings.trusted_proxies:
        if network.prefixlen <= _WIDEST[network.version]:
            yield PROXIES_EVERYBODY.at("auth.trusted_proxies", found=str(network))
    if not settings.trusted_proxies:
        yield PROXIES_NOBODY.at("auth.trusted_proxies", expected="for example 127.0.0.1")
        if deployment.granian:
            yield PROXIES_GRANIAN_ALONE.at("[server:granian]")
        return
    host = deployment.server.get("host", "")
    loopback = ipaddress.ip_address("127.0.0.1")
    if host in _THIS_MACHINE and not any(loopback in each for each in settings.trusted_proxies):
        networks = ", ".join(map(str, settings.trusted_proxies))
        yield PROXIES_NOT_THIS_MACHINE.at(
            "auth.trusted_proxies", found=networks, expected="127.0.0.1"
        )
    cleared = deployment.server.get("clear_untrusted_proxy_headers", "true").lower()
    if deployment.server.get("use", "").endswith("#waitress") and cleared not in _FALSE:
        yield PROXIES_HEADERS_CLEARED.at(
            "[server:main] clear_untrusted_proxy_headers", found=cleared
        )


LISTENING_TAKEN = error(
    "listening.taken",
    "Another program listens on the port.",
    "Stop it (ss -ltnp names it), or set another listen_port, in the proxy too.",
)
LISTENING_NOT_HERE = error(
    "listening.not_here",
    "This machine does not have the address in listen_host.",
    "If the proxy is on this machine, set listen_host to 127.0.0.1, else to this machine's"
    " address.",
)
LISTENING_NOT_ALLOWED = error(
    "listening.not_allowed",
    "This user may not listen on the port: only root may listen on ports below 1024.",
    "Set listen_port to 1024 or more, and let the proxy listen on the public port.",
)
LISTENING_NO_PORT = error(
    "listening.no_port",
    "The port is not a number from 1 to 65535.",
    "Correct listen_port in the ini file.",
)
LISTENING_FILES = warning(
    "listening.files",
    "The process may open fewer files than connection_limit, so it keeps fewer connections.",
    "Raise the hard limit: LimitNOFILE=65536 in the unit; ulimit -Hn shows it.",
)

_PORTS = range(1, 65536)
# The database, its log, standard streams, what is being delivered.
_OTHER_FILES = 64


@subject("listening", order=18, in_order="The port is free.")
def listening(deployment: Deployment) -> Iterator[Finding]:
    """Yield what would keep the server from listening."""
    host = deployment.server.get("host", "127.0.0.1")
    text = deployment.server.get("port", "8080")
    if not text.isdecimal() or int(text) not in _PORTS:
        yield LISTENING_NO_PORT.at("listen_port", found=text)
        return
    yield from _binding(deployment, host, int(text))
    connections = deployment.server.get("connection_limit", "")
    # A server takes as many as it may have, whatever the soft limit is.
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    too_many = connections.isdecimal() and int(connections) + _OTHER_FILES > files
    if too_many and files != resource.RLIM_INFINITY:
        yield LISTENING_FILES.at(
            "connection_limit", found=f"{files} files", expected=f"{connections} connections"
        )


def _binding(deployment: Deployment, host: str, port: int) -> Iterator[Finding]:
    place = f"{host}:{port}"
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(target)
            probe.listen()
    except PermissionError:
        yield LISTENING_NOT_ALLOWED.at("listen_port", found=place)
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            yield LISTENING_NOT_HERE.at("listen_host", found=place)
        elif _is_ours(deployment, host, port):
            yield listening.ok("The service listens on the port already.", found=place)
        else:
            yield LISTENING_TAKEN.at("listen_port", found=place)


def _is_ours(deployment: Deployment, host: str, port: int) -> bool:
    reached = "127.0.0.1" if host in {"0.0.0.0", "*"} else host  # noqa: S104  (read, not bound)
    with Client(timeouts=Timeouts(connect=2, read=2, total=3), max_redirects=0) as client:
        try:
            answer = client.send(Request(Method.GET, f"http://{reached}:{port}/api/health"))
            content = json.loads(answer.body)
        except (SendError, ValueError):
            return False
    wanted = {"status": "ok", "service": deployment.settings.service_name}
    return bool(content == wanted)
