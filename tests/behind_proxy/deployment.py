"""The service as it is deployed: production.ini, one process of each server, nginx with TLS, Redis.

Only what an operator would change is changed. Every host is a name of its own on the default
port; who connects is sent to nginx on loopback instead.
"""

import base64
import os
import shutil
from pathlib import Path

from sqlalchemy import text

from authservice.database.database import Database
from tests.behind_proxy.https import Caller
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, Process, finished
from tests.helpers.standin_fixture import IdentityProviderStandin
from tests.httpclient.certificates import Authority
from tests.services.nginx import Nginx
from tests.serving.servers import COMMANDS, wait_for

DOMAIN = "example.test"
AUTH = f"https://auth.{DOMAIN}"
APP = f"https://app.{DOMAIN}"
SHOP = f"https://shop.{DOMAIN}"
CLIENT = "https://client.other.test"  # an OpenID Connect client on a site of its own
PROVIDER = "https://code-hosting.test"
COMPANY = "https://sso.company.test"  # where the provider sends some people to sign in
WWW = f"https://www.{DOMAIN}"
HOSTS = [
    address.removeprefix("https://")
    for address in (AUTH, APP, SHOP, WWW, CLIENT, PROVIDER, COMPANY)
]
PROXY_CONFIGURATION = ROOT / "docs" / "deployment" / "nginx.conf"

_OTHER_HOSTS = """
server {{
    listen 127.0.0.1:{port} ssl;
    server_name .example.test client.other.test;
    ssl_certificate {certificate};
    ssl_certificate_key {certificate};
    location / {{
        proxy_pass http://127.0.0.1:{applications};
        proxy_set_header Host $host;
    }}
}}

# Anyone who has allowed the application before is sent straight back, as by the real provider.
map $cookie_remembered $remembered {{
    default "&login=$cookie_remembered";
    "" "";
}}
# An employee signs in at the company first, and comes back from there.
map "$cookie_employee:$arg_came_from" $to_company {{
    default "";
    "yes:" "https://sso.company.test$request_uri";
}}
server {{
    listen 127.0.0.1:{port} ssl;
    server_name sso.company.test;
    ssl_certificate {certificate};
    ssl_certificate_key {certificate};
    return 302 https://code-hosting.test$request_uri&came_from=company;
}}
server {{
    listen 127.0.0.1:{port} ssl;
    server_name code-hosting.test;
    ssl_certificate {certificate};
    ssl_certificate_key {certificate};
    location / {{
        if ($to_company) {{
            return 302 $to_company;
        }}
        set $arguments $args$remembered;
        proxy_pass {standin}$uri?$arguments;
    }}
}}
"""


class Deployment:
    """Everything runs between ``start`` and ``stop``."""

    def __init__(self, folder, database_url, standin_url, redis_url):
        self.folder = folder
        self.https_port = free_port()
        self.worker_ports = [free_port(), free_port()]
        self.standin = IdentityProviderStandin(standin_url)
        self.authority = Authority(folder)
        self.auth_secret = base64.b64encode(os.urandom(32)).decode()
        self.env = {
            "AUTH_URL": AUTH,
            "AUTH_COOKIE_DOMAIN": f".{DOMAIN}",
            "AUTH_DATABASE_URL": database_url,
            "AUTH_SECRET": self.auth_secret,
            "PROVIDER_CLIENT_ID": self.standin.client_id,
            "PROVIDER_CLIENT_SECRET": self.standin.client_secret,
            "ADMISSION_EVERYONE": "true",
        }
        self.database = Database(database_url)
        self._redis_url = redis_url
        self._processes = []

    def start(self):
        (self.folder / "production.ini").write_text(self._ini(), encoding="utf-8")
        shutil.copytree(ROOT / "alembic", self.folder / "alembic")
        self.command("authservice", "migrate", "--config", "production.ini")
        self.workers = [
            self._start_worker(command, port)
            for command, port in zip(COMMANDS.values(), self.worker_ports, strict=True)
        ]
        applications = free_port()
        program = [SCRIPTS / "python", "-m", "tests.behind_proxy.applications"]
        arguments = [applications, self.https_port, self.authority.bundle, self._register_client()]
        self._processes.append(Process([*program, *arguments], ready="Serving"))
        proxy_folder = self.folder / "nginx"
        proxy_folder.mkdir()
        sites = {"authservice": self._proxy_site(), "others": self._other_hosts(applications)}
        self.nginx = Nginx(proxy_folder, sites)
        self._processes.append(self.nginx)

    def stop(self):
        for process in reversed(self._processes):
            process.stop()
        self.database.dispose()

    def command(self, *arguments):
        """Run a console script as an operator would and return what it prints."""
        return finished(
            [SCRIPTS / arguments[0], *arguments[1:]], cwd=self.folder, env=self.env, check=True
        ).stdout

    def caller(self, address="127.0.0.1"):
        """Return an HTTPS client at an address of its own."""
        return Caller(self.https_port, self.authority.bundle, address)

    @property
    def output(self):
        """Return what the processes of the service have written so far."""
        return "".join(line for worker in self.workers for line in worker.output)

    def forget_consents(self):
        """Let every client have to ask again."""
        self.change("DELETE FROM oauth_consent")

    def change(self, statement, **values):
        """Change the database past the service."""
        with self.database.transaction() as connection:
            connection.execute(text(statement), values)

    def register(self, name, redirect_uri, *flags):
        """Register a client and return what the command prints, as JSON text."""
        command = ["authservice", "oauth:register", "--config", "production.ini", "--json"]
        return self.command(*command, "--name", name, "--redirect-uri", redirect_uri, *flags)

    def _start_worker(self, command, port):
        arguments = [command, "production.ini", f"listen_port={port}"]
        worker = Process(arguments, ready="Serving on", env=self.env, cwd=self.folder)
        self._processes.append(worker)
        wait_for(port)
        return worker

    def _register_client(self):
        return self.register("Wiki of the Observatory", f"{CLIENT}/callback")

    def _ini(self):
        # The lines that an operator adds: a GitHub Enterprise Server, whose addresses count, an
        # organization whose groups count, and rate limits in Redis.
        own = {
            "provider.authorize_url": f"{PROVIDER}/login/oauth/authorize",
            "provider.token_url": self.standin.token_url,
            "provider.api_url": self.standin.api_url,
            "provider.trust_emails": "true",
            "claims.groups_from": "acme",
            "ratelimit.storage": self._redis_url,
        }
        lines = "".join(f"{name} = {value}\n" for name, value in own.items())
        text = (ROOT / "production.ini").read_text(encoding="utf-8")
        return replaced(text, {"[server:main]": f"{lines}\n[server:main]"})

    def _proxy_site(self):
        logs = self.folder / "nginx-logs"
        logs.mkdir()
        certificate = self.authority.certificate(*HOSTS)
        self._certificate = certificate
        first, second = self.worker_ports
        changes = {
            "auth.example.com": f"auth.{DOMAIN}",
            "127.0.0.1:8080": f"127.0.0.1:{first}",
            "127.0.0.1:8081": f"127.0.0.1:{second}",
            "listen 80;": f"listen 127.0.0.1:{free_port()};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.https_port} ssl;",
            "/etc/ssl/authservice/fullchain.pem": str(certificate),
            "/etc/ssl/authservice/privkey.pem": str(certificate),
            "/var/log/nginx": str(logs),
        }
        return replaced(PROXY_CONFIGURATION.read_text(encoding="utf-8"), changes)

    def _other_hosts(self, applications):
        return _OTHER_HOSTS.format(
            port=self.https_port,
            certificate=self._certificate,
            applications=applications,
            standin=self.standin.url,
        )

    def proxy_logs(self):
        """Return everything that the proxy has logged of the service."""
        folder = Path(self.folder / "nginx-logs")
        return "".join(file.read_text(encoding="utf-8") for file in folder.iterdir())


def replaced(text, changes):
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text
