"""A deployed service: production.ini behind a real nginx with TLS, in order until spoiled.

So is an application that the same nginx closes.
"""

import base64
import itertools
import os
import shutil
import socket

from tests.diagnosis.machine import HOST
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, Process
from tests.services.nginx import Nginx

URL = f"https://{HOST}"
DASHBOARD = "dashboard.observatory-lab.org"
_DEPLOYMENT = ROOT / "docs" / "deployment"
_numbers = itertools.count(1)


class Service(Process):
    """``pserve production.ini`` with an identity provider, on a port of its own."""

    def __init__(self, folder, template, standin, **env):
        self.port = free_port()
        (folder / "data").mkdir()
        shutil.copy(ROOT / "production.ini", folder)
        shutil.copy(template, folder / "data" / "production.sqlite")
        text = (folder / "production.ini").read_text(encoding="utf-8")
        lines = "".join(f"{key} = {value}\n" for key, value in standin.ini.items())
        text = text.replace("provider.client_id = set-me\n", lines)
        (folder / "production.ini").write_text(text, encoding="utf-8")
        super().__init__(
            [SCRIPTS / "pserve", "production.ini", f"listen_port={self.port}"],
            ready="Serving on",
            cwd=folder,
            env={
                "AUTH_URL": URL,
                "AUTH_COOKIE_DOMAIN": ".observatory-lab.org",
                "AUTH_SECRET": base64.b64encode(os.urandom(32)).decode(),
                "PROVIDER_CLIENT_SECRET": standin.client_secret,
                "ADMISSION_EVERYONE": "true",
            }
            | env,
        )


class Proxy(Nginx):
    """nginx as docs/deployment has it, before a service, after some changes to its text."""

    def __init__(self, folder, service_port, certificate, *changes):
        self.https_port, self.http_port = free_port(), free_port()
        # Each proxy has a sender of its own, so that no test uses up another one's limits.
        number = next(_numbers)
        sender = f"10.1.{number // 250}.{number % 250 + 1}"
        usual = [
            ("auth.example.com", HOST),
            ("server 127.0.0.1:8080;", f"server 127.0.0.1:{service_port};"),
            ("    server 127.0.0.1:8081;\n", ""),
            ("listen 80;", f"listen 127.0.0.1:{self.http_port};"),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.https_port} ssl;"),
            ("/etc/ssl/authservice/fullchain.pem", str(certificate)),
            ("/etc/ssl/authservice/privkey.pem", str(certificate)),
            ("access_log /var/log/nginx/authservice.log authservice;", "access_log off;"),
            ("error_log /var/log/nginx/authservice-error.log crit;", ""),
        ]
        text = (_DEPLOYMENT / "nginx.conf").read_text(encoding="utf-8")
        text = _changed(text, *changes, *usual)
        # Unless a change has taken it out.
        text = text.replace("$proxy_add_x_forwarded_for", sender)
        super().__init__(folder, {"authservice": text})


class ApplicationProxy(Nginx):
    """nginx as it closes an application, after some changes to its text."""

    def __init__(self, folder, service_port, application_port, certificate, *changes):
        self.https_port, self.http_port = free_port(), free_port()
        usual = [
            ("auth.example.com", HOST),
            ("dashboard.example.com", DASHBOARD),
            ("127.0.0.1:3000", f"127.0.0.1:{application_port}"),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.https_port} ssl;"),
            ("/etc/ssl/authservice/fullchain.pem", str(certificate)),
            ("/etc/ssl/authservice/privkey.pem", str(certificate)),
        ]
        text = (_DEPLOYMENT / "nginx-forward-auth.conf").read_text(encoding="utf-8")
        text = _changed(text, *changes, *usual)
        # Unless a change has taken it out.
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self.http_port};")
        upstream = f"upstream authservice {{ server 127.0.0.1:{service_port}; }}"
        super().__init__(folder, {"authservice": upstream, "dashboard": text})


def _changed(text, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def lead_to(monkeypatch, host, https_port, http_port):
    """Let the host's ports 443 and 80 be these of this machine, and others its own."""
    system = socket.getaddrinfo
    ports = {443: https_port, 80: http_port}

    def getaddrinfo(name, port, *args, **kwargs):
        if name != host:
            return system(name, port, *args, **kwargs)
        return system("127.0.0.1", ports.get(port, port), *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
