"""The shipped file of each proxy for four applications.

For all, for members, for scripts of other origins, and one with no answer.

Only what an operator would change is changed. The tests' proxies have ports of their own, of which
their visitors know nothing.
"""

from dataclasses import dataclass

from tests.behind_proxy.deployment import DOMAIN, replaced
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, Process
from tests.services.caddy import Caddy
from tests.services.nginx import Nginx

FOLDER = ROOT / "docs" / "deployment"
_NAMES = ("dashboard", "members", "scripted", "lost")
OPEN, MEMBERS, SCRIPTED, LOST = (f"{name}.{DOMAIN}" for name in _NAMES)


@dataclass
class Proxy:
    """A proxy as it runs, and what is its own way."""

    process: Process
    port: int
    without_answer: int
    """The status where the service says nothing."""
    refuses_other_identities: bool = False
    """Whether a request with other headers in Remote-… is refused; else it goes on without."""
    own_paths: tuple[str, ...] = ()
    """Where it asks the service, on the host of the application."""


def nginx(running, application, silent, folder):
    """Serve ``nginx-forward-auth.conf``, in front of both servers."""
    port = free_port()
    certificate = str(running.authority.certificate(OPEN, MEMBERS, SCRIPTED, LOST))
    changes = {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/ssl/authservice/fullchain.pem": certificate,
        "/etc/ssl/authservice/privkey.pem": certificate,
    }
    closed = _closed("nginx-forward-auth.conf", application, changes)
    default = 'set $forward_conditions "";'
    example = 'set $forward_conditions "?group=acme/platform&group=acme/support";'
    members = replaced(closed, {default: "", f"# {example}": example, OPEN: MEMBERS})
    example = 'set $forward_conditions "?preflights=pass";'
    scripted = replaced(closed, {default: "", f"# {example}": example, OPEN: SCRIPTED})
    silent_service = {"http://authservice/": f"http://127.0.0.1:{silent}/", "30s": "200ms"}
    lost = replaced(closed, silent_service | {OPEN: LOST})
    workers = "".join(f"server 127.0.0.1:{each};" for each in running.worker_ports)
    upstream = f"upstream authservice {{ {workers} keepalive 4; }}"
    # As somebody may have written for another site.
    lax = "ignore_invalid_headers off; underscores_in_headers on;"
    process = Nginx(
        folder, {"a": lax + upstream, "b": closed, "c": members, "d": scripted, "e": lost}
    )
    own_paths = ("/_forward/ask", "/_forward/refused")
    return Proxy(process, port, 500, refuses_other_identities=True, own_paths=own_paths)


def caddy(running, application, silent, folder):
    """Serve ``caddy-forward-auth.caddyfile``, in front of both servers.

    For members it asks as from another machine, by way of the service's own proxy.
    """
    certificate = str(running.authority.certificate(OPEN, MEMBERS, SCRIPTED, LOST))
    changes = {
        "# tls ": "tls ",
        "/etc/ssl/authservice/fullchain.pem": certificate,
        "/etc/ssl/authservice/privkey.pem": certificate,
    }
    unasked = _closed("caddy-forward-auth.caddyfile", application, changes)
    example = "127.0.0.1:8080 127.0.0.1:8081"
    workers = " ".join(f"127.0.0.1:{each}" for each in running.worker_ports)
    closed = replaced(unasked, {example: workers})
    lost = replaced(unasked, {example: f"127.0.0.1:{silent}", "30s": "200ms", OPEN: LOST})
    elsewhere = {
        example: f"https://127.0.0.1:{running.https_port}",
        # What Caddy knows by itself of a name in DNS and its certificate.
        "transport http {": f"""transport http {{
            tls_server_name auth.{DOMAIN}
            tls_trusted_ca_certs {running.authority.bundle}""",
    }
    default = "uri /api/auth/forward/forward-auth?\n"
    example = "uri /api/auth/forward/forward-auth?group=acme/platform&group=acme/support\n"
    conditions = {default: "", f"# {example}": example}
    members = replaced(unasked, elsewhere | conditions | {OPEN: MEMBERS})
    example = "uri /api/auth/forward/forward-auth?preflights=pass\n"
    lines = ("@options method OPTIONS", "request_body @options {", "\tmax_size 1B", "}\n")
    conditions = {default: "", f"# {example}": example} | {f"# {line}": line for line in lines}
    scripted = replaced(closed, conditions | {OPEN: SCRIPTED})
    process = Caddy(folder, {"a": closed, "b": members, "c": scripted, "d": lost})
    return Proxy(process, process.port, 504)


def _closed(file, application, changes):
    names = {
        "127.0.0.1:3000": f"127.0.0.1:{application.port}",
        "auth.example.com": f"auth.{DOMAIN}",
        "dashboard.example.com": OPEN,
    }
    return replaced((FOLDER / file).read_text(encoding="utf-8"), names | changes)
